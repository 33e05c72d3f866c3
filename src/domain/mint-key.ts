import { normalize } from './normalize.js'

/** A key made for a statement that came without one. */
export interface MintedKey {
  readonly key: string
  /**
   * `attribute`: the statement gives a single-valued attribute of its subject, so a later statement of it belongs under the same
   * key. `statement`: the key only names this one statement, and another one must not land on it.
   */
  readonly names: 'attribute' | 'statement'
}

const STOP_WORDS = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have he her his i if in is it its me my of on or our ' +
    'she should so that the their them they this to was we were what when where which who will with would you your'
  ).split(' '),
)

const SLUG_LENGTH = 80
const CONTENT_WORDS = 6

/** Attributes of which one subject has one, as they are said of somebody. */
const SINGLE_VALUED =
  /^(name|birthday|date of birth|e-?mail(?: address)?|phone(?: number)?|address|employer|home ?town|age|favou?rite [\p{L}]+(?: [\p{L}]+)?)$/u

const OWNED =
  /^(?<owner>my|(?<name>[\p{L}][\p{L}'-]*(?: [\p{L}][\p{L}'-]*){0,2}?)['’]s) (?<attribute>[\p{L} -]{2,40}?) (?:is|was|are) /iu
const RESIDES =
  /^(?<who>i|[\p{L}][\p{L}'-]*(?: [\p{L}][\p{L}'-]*){0,2}?)(?:['’](?:ve|m|s)| have| has| am| is)?(?: just| now| recently)? (?:lives? in|moved to|living in) /iu
const WORKS =
  /^(?<who>i|[\p{L}][\p{L}'-]*(?: [\p{L}][\p{L}'-]*){0,2}?)(?:['’](?:m|s)| am| is)?(?: now| currently)? (?:works? (?:at|for)|working (?:at|for)) /iu

/**
 * A readable key for a statement: subject and attribute where the statement gives a single-valued attribute, else its first
 * content words under `note/`.
 */
export const mintKey = (text: string): MintedKey => {
  const statement = normalize(text, 'NFC').trim()
  const attribute = attributeKey(statement)
  if (attribute !== null) return { key: attribute, names: 'attribute' }
  const words = wordsOf(statement).filter((word) => !STOP_WORDS.has(word))
  return { key: `note/${slug(words.slice(0, CONTENT_WORDS)) || 'untitled'}`, names: 'statement' }
}

/** A segment of a key that names something: its words, or the first of those that say something when there are many. */
export const keySegment = (text: string): string => {
  const words = wordsOf(normalize(text, 'NFC'))
  const telling = words.length > CONTENT_WORDS ? words.filter((word) => !STOP_WORDS.has(word)) : words
  return slug(telling.slice(0, CONTENT_WORDS)) || 'untitled'
}

/** The n-th key of the same statement key, for when another statement already has it. */
export const alternativeKey = (key: string, n: number): string => `${key}~${n}`

const attributeKey = (statement: string): string | null => {
  const owned = OWNED.exec(statement)?.groups
  if (owned?.['attribute'] !== undefined && SINGLE_VALUED.test(owned['attribute'].toLowerCase()))
    return keyOf(owned['name'] ?? 'i', slug(wordsOf(owned['attribute'])))
  const resides = RESIDES.exec(statement)?.groups?.['who']
  if (resides !== undefined) return keyOf(resides, 'lives-in')
  const works = WORKS.exec(statement)?.groups?.['who']
  return works === undefined ? null : keyOf(works, 'works-at')
}

const keyOf = (who: string, attribute: string): string | null => {
  const words = wordsOf(who)
  if (words.join() === 'i') return `user/${attribute}`
  const named = words[0] === 'my' ? words.slice(1) : words
  // Who "she" is changes from one statement to the next, so nothing may be revised under such a word.
  return named.length === 0 || named.some((word) => STOP_WORDS.has(word)) ? null : `${slug(words)}/${attribute}`
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/['’ʼ]/gu, '')
    .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []

/** In the form in which keys are looked up; quick, since it is short. */
const slug = (words: readonly string[]): string => joined(words).normalize('NFC')

const joined = (words: readonly string[]): string => {
  let made = ''
  for (const word of words) {
    const next = made === '' ? word : `${made}-${word}`
    if (next.length > SLUG_LENGTH) return made === '' ? [...word].slice(0, SLUG_LENGTH / 2).join('') : made
    made = next
  }
  return made
}
