import { type Claim, claimOf, type DeclaredAttribute } from './attribute.js'
import { isInflected, type Lexicon, NO_LEXICON } from './lexicon.js'
import { type Token, tokensOf } from './tokens.js'
import {
  ARTICLES,
  AUXILIARIES,
  BE,
  CARRIERS,
  CONJUNCTIONS,
  DEFINITES,
  DEPENDING,
  DISLIKING,
  ENDING,
  FILLERS,
  FIRST_PERSON,
  LIGHT_PREPOSITIONS,
  LIKING,
  MODALS,
  type Modality,
  NEGATIONS,
  QUANTIFIERS,
  SAYING,
  TELLING_PREPOSITIONS,
  USING,
} from './word-classes.js'

/** A word that tells something, with the preposition it hangs on. */
export interface ContentWord {
  readonly text: string
  readonly value: string | null
  readonly isName: boolean
  /** Carries little: may be missing on the other side. */
  readonly isLight: boolean
  /** The preposition before it in its phrase, or null in the core of the clause. */
  readonly after: string | null
  /** Of one certain thing: the dog, my dog. */
  readonly isDefinite: boolean
  /** Stands before the verb. */
  readonly isSubject: boolean
  /** Joined to the word before it by and, or, or a comma. */
  readonly isJoined: boolean
  /** Which clause it stands in, counted from the first. */
  readonly clause: number
  /** The conjunction that makes its clause depend on another: because, if. */
  readonly under: string | null
}

/** What two statements may not differ in, if they are to say the same. */
export interface Signature {
  readonly words: readonly ContentWord[]
  /** Numbers, dates, amounts and the like, sorted. */
  readonly values: readonly string[]
  readonly isNegated: boolean
  readonly modality: Modality
  readonly quantifiers: readonly string[]
  /** Whether it says that somebody likes or dislikes something. */
  readonly attitude: 'liking' | 'disliking' | null
  /** Whether what is spoken of is done by whom `by` names. */
  readonly isPassive: boolean
  readonly claim: Claim | null
}

/** Phrases with a negation in them that deny nothing of what they stand in. */
const NO_DENIALS =
  /\b(?:(?:do|does|did|will|should|must|let us) not forget|never forget|(?:can|could) not wait|nothing beats|not only|no doubt|no matter|not to mention|why not|no later than|no less than|no more than|not until)\b/gi

/** Longest text that is compared as a statement: what is longer is a document, not a claim. */
export const LONGEST_STATEMENT = 600

/** The signature of a statement. Without a lexicon, as for languages other than English, words are compared as they are written. */
export const signatureOf = (
  text: string,
  lexicon: Lexicon = NO_LEXICON,
  declared: readonly DeclaredAttribute[] = [],
): Signature => {
  const plain = text.slice(0, LONGEST_STATEMENT)
  const tokens = tokensOf(plain)
  const undenied = plain.replace(NO_DENIALS, ' ')
  const denying = undenied === plain ? tokens : tokensOf(undenied)
  const words = contentWordsOf(tokens, verbAt(tokens, lexicon))
  const isPassive = tokens.some(
    ({ text }, i) => text === 'by' && tokens.slice(Math.max(0, i - 8), i).some((before) => BE.has(before.text)),
  )
  return {
    words,
    values: words.flatMap(({ value }) => (value === null || value === '1' ? [] : [value])).sort(),
    isNegated: isNegated(denying),
    modality: modalityOf(tokens),
    quantifiers: tokens.flatMap(({ text }) => (Object.hasOwn(QUANTIFIERS, text) ? [QUANTIFIERS[text] ?? ''] : [])).sort(),
    attitude: attitudeOf(tokens),
    isPassive,
    claim: claimOf(plain, tokens, lexicon, declared),
  }
}

const isNegated = (tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ text }, i) =>
      NEGATIONS.has(text) ||
      (ENDING.has(text) && (/ing$/.test(tokens[i + 1]?.text ?? '') || tokens[i + 1]?.text === 'up')) ||
      (text === 'longer' && tokens[i - 1]?.text === 'no'),
  )

const modalityOf = (tokens: readonly Token[]): Modality => {
  const usedTo = tokens.some(
    ({ text }, i) => text === 'used' && tokens[i + 1]?.text === 'to' && !BE.has(tokens[i - 1]?.text ?? ''),
  )
  if (usedTo) return 'past'
  for (const { text, value } of tokens) if (value === null && Object.hasOwn(MODALS, text)) return MODALS[text] ?? 'stated'
  return 'stated'
}

const attitudeOf = (tokens: readonly Token[]): Signature['attitude'] => {
  const found = tokens.find(({ text }) => LIKING.has(text) || DISLIKING.has(text))
  return found === undefined ? null : LIKING.has(found.text) ? 'liking' : 'disliking'
}

/** Where the first verb stands, as far as its form tells: an auxiliary, else an inflected verb. */
const verbAt = (tokens: readonly Token[], lexicon: Lexicon): number => {
  const first = tokens.findIndex(({ afterBreak }, i) => i > 0 && afterBreak)
  const clause = tokens.slice(0, first < 0 ? tokens.length : first)
  const auxiliary = clause.findIndex(({ text }) => AUXILIARIES.has(text) || Object.hasOwn(MODALS, text))
  if (auxiliary > 0) return auxiliary
  const verb = clause.findIndex(
    ({ text, value, isName }, i) => i > 0 && value === null && !isName && isInflected(text, lexicon),
  )
  return Math.max(0, verb)
}

const contentWordsOf = (tokens: readonly Token[], verb: number): readonly ContentWord[] => {
  const words: ContentWord[] = []
  let after: string | null = null
  let isDefinite = false
  let isJoined = false
  let clause = 0
  let under: string | null = null
  let isUsing = false
  for (const [at, { text, value, isName, afterBreak }] of tokens.entries()) {
    const joins = text === 'and' || text === 'or'
    if (afterBreak || joins) isJoined = true
    if (afterBreak || joins || CONJUNCTIONS.has(text) || SAYING.has(tokens[at - 1]?.text ?? '')) {
      clause++
      under = DEPENDING.has(text) ? text : null
      isUsing = false
    }
    // Whoever stands in a list stands under the preposition of the list.
    if ((afterBreak || CONJUNCTIONS.has(text)) && !joins) after = null
    if (LIGHT_PREPOSITIONS.has(text) || TELLING_PREPOSITIONS.has(text)) after = text
    // What is used to open a box is what it is opened with.
    if (USING.has(text)) {
      isUsing = true
      after = 'with'
    } else if (isUsing && text === 'to') {
      isUsing = false
      after = null
    }
    if (ARTICLES.has(text) || FIRST_PERSON.has(text) || DEFINITES.has(text) || after === text)
      isDefinite = DEFINITES.has(text)
    if (value === null && (isSilent(text) || CONJUNCTIONS.has(text))) continue
    // One stands for a, unless another number stands against it.
    const isLight = value === '1' || (value === null && !isName && (CARRIERS.has(text) || FILLERS.has(text)))
    words.push({ text, value, isName, isLight, after, isDefinite, isJoined, isSubject: at < verb, clause, under })
    isJoined = false
  }
  return words
}

/** Tells nothing by itself, or is told elsewhere in the signature. */
const isSilent = (text: string): boolean =>
  ARTICLES.has(text) ||
  AUXILIARIES.has(text) ||
  NEGATIONS.has(text) ||
  LIGHT_PREPOSITIONS.has(text) ||
  FIRST_PERSON.has(text) ||
  Object.hasOwn(QUANTIFIERS, text)
