import { normalize } from './normalize.js'

/** Scripts written without spaces: their characters are indexed one by one and searched as phrases. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const UNSPACED_EACH = new RegExp(`(?:${UNSPACED.source})\\p{M}*`, 'gu')
const WORDS = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{M}\p{Co}]*/gu

/** Most terms of one query; 20,000 of them took 692 ms. */
export const MAX_QUERY_TERMS = 64

/** Longest query in characters; the rest is not looked at. */
export const MAX_QUERY_LENGTH = 4_000

const STOP_WORDS = new Set(
  (
    'a about am an and any are as at be been but by can could did do does for from had has have he her hers him his how i if in is ' +
    'it its me my of on or our she should so some tell than that the their them then there these they this those to us was we ' +
    'were what when where which who whom whose why will with would you your'
  ).split(' '),
)

/** Text as the word index takes it: composed, and spaced where its script is not. */
export const indexText = (text: string): string => normalize(text, 'NFKC').replace(UNSPACED_EACH, ' $& ')

/** A query as the word index takes it. */
export interface LexicalQuery {
  /** Full-text expression of quoted words only, so that no character of a query can be syntax. */
  readonly expression: string
  /** True when no word of it says what the query is about. */
  readonly onlyStopWords: boolean
}

/** Turns a query into quoted words, or null when it has none. */
export const lexicalQuery = (query: string): LexicalQuery | null => {
  const { phrases, telling } = phrasesOf(query)
  const chosen = [...new Set(telling.length > 0 ? telling : phrases)].slice(0, MAX_QUERY_TERMS)
  if (chosen.length === 0) return null
  return { expression: chosen.map(quoted).join(' OR '), onlyStopWords: telling.length === 0 }
}

/** Whether a word says nothing of what a text is about. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word.toLowerCase())

/** The words of a query as expressions of their own: those that say what it is about, or all where none does. */
export const queryTerms = (query: string): { readonly terms: readonly string[]; readonly onlyStopWords: boolean } => {
  const { phrases, telling } = phrasesOf(query)
  const chosen = telling.length > 0 ? telling : phrases
  return { terms: [...new Set(chosen)].slice(0, MAX_QUERY_TERMS).map(quoted), onlyStopWords: telling.length === 0 }
}

/** The words of a text that say what it is about, each as an expression of its own. */
export const tellingWords = (text: string): readonly string[] =>
  [...new Set(phrasesOf(text).telling)].slice(0, MAX_QUERY_TERMS).map(quoted)

const quoted = (phrase: string): string => `"${phrase}"`

const phrasesOf = (query: string): { readonly phrases: readonly string[]; readonly telling: readonly string[] } => {
  const phrases: string[] = []
  for (const chunk of normalize(query.slice(0, MAX_QUERY_LENGTH), 'NFKC').split(/\s+/u)) {
    // An apostrophe inside a word is no boundary: the index sees don't as two words, so both sides ask for the phrase.
    const words = chunk.match(WORDS) ?? []
    for (const word of words) phrases.push(...(UNSPACED.test(word) ? unspaced(word) : [word]))
    if (words.length > 1) phrases.push(words.map((word) => word.replace(UNSPACED_EACH, ' $& ')).join(' '))
  }
  return { phrases, telling: phrases.filter((phrase) => !isStopWord(phrase)) }
}

/** A run of an unspaced script as one phrase, and as its overlapping pairs when it is long enough to be a clause. */
const unspaced = (word: string): string[] => {
  const characters = word.match(UNSPACED_EACH) ?? []
  const rest = word.replace(UNSPACED_EACH, ' ').match(WORDS) ?? []
  const phrase = characters.join(' ')
  if (characters.length <= 3) return [phrase, ...rest]
  const pairs = characters.slice(1).map((character, i) => `${characters[i] ?? ''} ${character}`)
  return [phrase, ...pairs, ...rest]
}
