import { isInflected, type Lexicon } from './lexicon.js'
import type { Token } from './tokens.js'
import {
  ARTICLES,
  AUXILIARIES,
  DISLIKING,
  FILLERS,
  FIRST_PERSON,
  LIKING,
  MODALS,
  NEGATIONS,
  SAYING,
  TELLING_PREPOSITIONS,
} from './word-classes.js'

/** What a statement says of whom: Tomas · employer · Halden. */
export interface Claim {
  /** Who or what it is about, in one spelling; `i` for the first person, empty where only the key tells. */
  readonly subject: string
  readonly attribute: string
  /** The value given, as content words in order. */
  readonly object: readonly string[]
  /** Whether one subject has one value of it at a time. */
  readonly isSingle: boolean
  /** Written as a line of a profile: `Music I like: techno`. */
  readonly isLine: boolean
}

/** An attribute that a namespace declares: the words by which it is told, and whether a subject has one or many. */
export interface DeclaredAttribute {
  readonly attribute: string
  readonly isSingle: boolean
}

/** Verbs, in any form, with the preposition that belongs to them, and the attribute they tell. */
const VERBS: readonly (readonly [verbs: string, preposition: string, attribute: string, isSingle: boolean])[] = [
  ['live lives lived living reside resides residing', 'in', 'home', true],
  ['move moves moved moving relocate relocates relocated', 'to', 'home', true],
  ['work works worked working', 'at for', 'employer', true],
  ['employed', 'by at', 'employer', true],
  ['work works worked working', 'as', 'job', true],
  ['come comes came', 'from', 'origin', true],
  ['born', 'in on', 'birth', true],
  ['called named', '', 'name', true],
  ['married engaged', 'to', 'partner', true],
  ['report reports reported', 'to', 'manager', true],
  ['study studies studied studying', 'at in', 'school', true],
  ['weigh weighs weighed', '', 'weight', true],
  ['cost costs', '', 'price', true],
  ['listen listens listening run runs running', 'on', 'place it runs', true],
  ['start starts begin begins', 'at on', 'start', true],
  ['end ends', 'at on', 'end', true],
  ['speak speaks spoke', '', 'languages', false],
  ['like likes love loves enjoy enjoys prefer prefers dislike dislikes hate hates', '', 'tastes', false],
  ['know knows knew', '', 'acquaintances', false],
  ['use uses used using', '', 'tools', false],
  ['own owns have has had', '', 'belongings', false],
  ['visit visits visited', '', 'visits', false],
  ['need needs needed', '', 'needs', false],
]

interface VerbPattern {
  readonly preposition: readonly string[]
  readonly attribute: string
  readonly isSingle: boolean
}

const PATTERNS: ReadonlyMap<string, readonly VerbPattern[]> = (() => {
  const patterns = new Map<string, VerbPattern[]>()
  for (const [verbs, preposition, attribute, isSingle] of VERBS)
    for (const verb of verbs.split(' ')) {
      const known = patterns.get(verb) ?? []
      known.push({ preposition: preposition === '' ? [] : preposition.split(' '), attribute, isSingle })
      patterns.set(verb, known)
    }
  return patterns
})()

/** Longest subject and longest label in words: beyond, a sentence is no plain claim. */
const LONGEST_SUBJECT = 6

const COPULA = new Set(['is', 'are', 'was', 'were'])

/** The claim a statement makes, when it has one of the plain forms; null for all others. */
export const claimOf = (
  text: string,
  tokens: readonly Token[],
  lexicon: Lexicon,
  declared: readonly DeclaredAttribute[] = [],
): Claim | null => {
  const claim = lineClaim(text, tokens, lexicon) ?? sentenceClaim(tokens, lexicon)
  const known = claim === null ? undefined : declared.find((one) => endsIn(claim.attribute, spelled(one.attribute, lexicon)))
  return claim === null || known === undefined ? claim : { ...claim, isSingle: known.isSingle }
}

/** `favourite mascot` is a mascot. */
const endsIn = (attribute: string, declared: string): boolean => ` ${attribute}`.endsWith(` ${declared}`)

const spelled = (attribute: string, lexicon: Lexicon): string =>
  attribute
    .split(/\s+/)
    .map((word) => lexicon.baseForms(word)[0] ?? word)
    .join(' ')

/** `Favourite editor: Vim`, `Foods I dislike: fast food`; `Clinton: Europe must do more` tells what somebody says. */
const lineClaim = (text: string, tokens: readonly Token[], lexicon: Lexicon): Claim | null => {
  const label = /^\s*([\p{L}\p{N}][^:\n.!?]{1,60}):\s+\S/u.exec(text)?.[1]
  if (label === undefined) return null
  const count = label.split(/\s+/).length
  const at = tokens.findIndex((token, i) => i > 0 && token.afterBreak)
  if (count > LONGEST_SUBJECT || at < 1 || tokens.slice(0, at).some(({ text: word }) => SAYING.has(word))) return null
  if (tokens.slice(at).some(({ text: word }) => Object.hasOwn(MODALS, word))) return null
  const words = contentOf(tokens.slice(0, at), lexicon).filter((word) => !LIKING.has(word) && !DISLIKING.has(word))
  return {
    subject: ownerOf(tokens.slice(0, at)),
    attribute: words.slice(0, 3).join(' '),
    object: contentOf(tokens.slice(at), lexicon),
    isSingle: true,
    isLine: true,
  }
}

const ownerOf = (tokens: readonly Token[]): string => {
  const owner = tokens.find(({ text }) => FIRST_PERSON.has(text) || PRONOUNS.has(text))?.text ?? ''
  return FIRST_PERSON.has(owner) ? 'i' : owner
}

const PRONOUNS = new Set(['he', 'she', 'they', 'his', 'her', 'their', 'it', 'its', 'you', 'your'])

const sentenceClaim = (tokens: readonly Token[], lexicon: Lexicon): Claim | null => {
  const verb = tokens.findIndex(({ text, value }, i) => i > 0 && value === null && (COPULA.has(text) || PATTERNS.has(text)))
  if (verb < 1 || verb > LONGEST_SUBJECT + 1 || tokens.slice(1, verb).some(({ afterBreak }) => afterBreak)) return null
  return byVerb(tokens, verb, lexicon) ?? byCopula(tokens, verb, lexicon)
}

/** Idris works at Halden. */
const byVerb = (tokens: readonly Token[], found: number, lexicon: Lexicon): Claim | null => {
  // Past the auxiliary: has lived, is called, was born.
  let verb = found
  while (AUXILIARIES.has(tokens[verb]?.text ?? '') && PATTERNS.has(tokens[verb + 1]?.text ?? '')) verb++
  const pattern = PATTERNS.get(tokens[verb]?.text ?? '')?.find(
    ({ preposition }) => preposition.length === 0 || preposition.includes(tokens[verb + 1]?.text ?? ''),
  )
  if (pattern === undefined) return null
  const object = clauseFrom(tokens, verb + (pattern.preposition.length > 0 ? 2 : 1))
  const subject = subjectOf(tokens.slice(0, found), lexicon)
  const content = contentOf(object, lexicon)
  if (subject === null || content.length === 0) return null
  return { subject, attribute: pattern.attribute, object: content, isSingle: pattern.isSingle, isLine: false }
}

/** My favourite composer is Fauré. The invoice contact is Tomas Reyl. Her birthday is on 3 May. */
const byCopula = (tokens: readonly Token[], verb: number, lexicon: Lexicon): Claim | null => {
  if (!COPULA.has(tokens[verb]?.text ?? '')) return null
  const object = clauseFrom(tokens, verb + 1)
  const content = contentOf(object, lexicon)
  const head = tokens.slice(0, verb)
  const isOne = DEFINITE.has(head[0]?.text ?? '') || (head.length > 1 && !INDEFINITE.has(head[0]?.text ?? ''))
  if (content.length === 0 || !isOne || !givesValue(object, lexicon)) return null
  const owned = head.findIndex(({ text }) => FIRST_PERSON.has(text) || PRONOUNS.has(text))
  const attribute = contentOf(head.slice(owned + 1), lexicon).join(' ')
  const subject = owned < 0 ? '' : subjectOf(head.slice(0, owned + 1), lexicon)
  if (attribute === '' || subject === null) return null
  const isSingle = COPULA_SINGULAR.has(tokens[verb]?.text ?? '')
  return { subject, attribute, object: content, isSingle, isLine: false }
}

const DEFINITE = new Set(['the', 'my', 'our', 'his', 'her', 'their', 'its', 'your'])
/** Some house is no house that is known: what is said of it is not what was said before. */
const INDEFINITE = new Set(['a', 'an', 'another', 'some'])
const COPULA_SINGULAR = new Set(['is', 'was'])

/** A name, a value or a noun stands on the other side; `is so happy`, `is ridden` and `is near two trees` tell how it is and what happens. */
const givesValue = (object: readonly Token[], lexicon: Lexicon): boolean => {
  const words = object.filter(({ text }) => !ARTICLES.has(text) && !AUXILIARIES.has(text) && !FILLERS.has(text))
  const [first] = words
  if (first === undefined || TELLING_PREPOSITIONS.has(first.text)) return false
  if (!first.isName && !first.text.endsWith('s') && isInflected(first.text, lexicon)) return false
  if (words.some(({ value, isName }) => value !== null || isName)) return true
  return !/ing$|ed$/.test(first.text) && lexicon.isA(first.text, 'noun') && !lexicon.isA(first.text, 'adjective')
}

/** Words up to the end of the clause. */
const clauseFrom = (tokens: readonly Token[], at: number): readonly Token[] => {
  const end = tokens.findIndex((token, i) => i > at && (token.afterBreak || CLAUSE_ENDS.has(token.text)))
  return tokens.slice(at, end < 0 ? tokens.length : end)
}

const CLAUSE_ENDS = new Set(['because', 'since', 'while', 'when', 'but', 'although', 'so', 'and'])

const subjectOf = (tokens: readonly Token[], lexicon: Lexicon): string | null => {
  const words = tokens.filter(({ text }) => !ARTICLES.has(text) && !AUXILIARIES.has(text) && !NEGATIONS.has(text))
  const spelled = words.map(({ text }) => (FIRST_PERSON.has(text) ? 'i' : (lexicon.baseForms(text)[0] ?? text)))
  return spelled.length === 0 || spelled.length > LONGEST_SUBJECT ? null : spelled.join(' ')
}

const contentOf = (tokens: readonly Token[], lexicon: Lexicon): readonly string[] =>
  tokens
    .filter(({ text }) => !ARTICLES.has(text) && !AUXILIARIES.has(text) && !NEGATIONS.has(text) && !SKIPPED.has(text))
    .map(({ text, value }) => value ?? lexicon.baseForms(text)[0] ?? text)

const SKIPPED = new Set([
  'of',
  'to',
  'in',
  'on',
  'at',
  'for',
  'i',
  'my',
  'we',
  'our',
  'they',
  'their',
  'he',
  'she',
  'his',
  'her',
  'now',
])
