import { normalize } from './normalize.js'

const DETERMINERS = new Set('a an the my your his her its our their whose this that these those'.split(' '))

const IRREGULAR: Readonly<Record<string, string>> = {
  people: 'person',
  children: 'child',
  men: 'man',
  women: 'woman',
  feet: 'foot',
  teeth: 'tooth',
  geese: 'goose',
  mice: 'mouse',
  lives: 'life',
  wives: 'wife',
  knives: 'knife',
  leaves: 'leaf',
  halves: 'half',
  shelves: 'shelf',
  wolves: 'wolf',
  thieves: 'thief',
  loaves: 'loaf',
  series: 'series',
  species: 'species',
  news: 'news',
  shoes: 'shoe',
  movies: 'movie',
  cookies: 'cookie',
}

/**
 * The name under which mentions of one entity meet: lower case, without articles, possessives and punctuation, its head noun in the
 * singular. "Billing Services", "the billing service" and "our Billing Service's" are one. Empty when nothing is left.
 *
 * The head noun is the last word, or the one before the first "of". Rules of English spelling; words in other scripts stay as they are.
 */
export const canonicalEntity = (name: string): string => {
  const words = normalize(name, 'NFKC')
    .toLowerCase()
    .replace(/(\p{L})['’ʼ]s?(?![\p{L}\p{N}])/gu, '$1')
    .replace(/['’ʼ]/gu, '')
    .split(/[^\p{L}\p{N}\p{M}+#]+/u)
    .filter((word) => word !== '')
  const telling = words.filter((word) => !DETERMINERS.has(word))
  // A name that is nothing but such a word ("The The", "A") is one all the same.
  const kept = telling.length > 0 ? telling : words
  const of = kept.indexOf('of')
  const head = of > 0 ? of - 1 : kept.length - 1
  return kept.map((word, at) => (at === head ? singular(word) : word)).join(' ')
}

/** Endings that no plural has: class, virus, analysis. */
const NO_PLURAL = /(ss|us|is)$/

const singular = (word: string): string => {
  const known = Object.hasOwn(IRREGULAR, word) ? IRREGULAR[word] : undefined
  if (known !== undefined) return known
  if (word.length <= 3 || !/^[a-z]+s$/.test(word) || NO_PLURAL.test(word)) return word
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(ss|x|z|ch|sh|o)es$/.test(word)) return word.slice(0, -2)
  return word.slice(0, -1)
}
