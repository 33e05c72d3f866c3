import { type Alignment, align, MOST_WORDS } from './align.js'
import { isInflected, type Lexicon } from './lexicon.js'
import type { StatementRelation } from './relation.js'
import { nearRestatement, restatement, sameModality } from './restate.js'
import type { ContentWord, Signature } from './signature.js'
import { restShared, SAME_TOPIC, sharedWeight, weightOf, wordAt } from './weight.js'
import { areOpposedQuantities, DISLIKING, LIKING, TELLING_PREPOSITIONS } from './word-classes.js'

export type { RelationKind, StatementRelation } from './relation.js'

/** How the second statement, the newer one, stands to the first. */
export const relate = (a: Signature, b: Signature, lexicon: Lexicon): StatementRelation => {
  if (a.words.length > MOST_WORDS || b.words.length > MOST_WORDS) return TOO_LONG
  const subjects = differentSubjects(a, b, lexicon)
  if (subjects !== null) return { kind: 'apart', because: subjects }
  // So unequal in length that no matching of words makes one statement of them: only a claim may speak of another.
  if (Math.min(a.words.length, b.words.length) * MOST_UNEQUAL + 3 < Math.max(a.words.length, b.words.length))
    return refinement(a, b, NOTHING_SHARED, lexicon) ?? SAYS_OTHER
  const alignment = align(a.words, b.words, lexicon)
  return (
    opposition(a, b, alignment, lexicon) ??
    refinement(a, b, alignment, lexicon) ??
    restatement(a, b, alignment, lexicon) ??
    nearRestatement(a, b, alignment, lexicon) ??
    difference(a, b, alignment, lexicon) ??
    SAYS_OTHER
  )
}

/** How many times as many words one of two statements may have. */
const MOST_UNEQUAL = 2

const NOTHING_SHARED: Alignment = { pairs: [], onlyA: [], onlyB: [] }

const SAYS_OTHER: StatementRelation = { kind: 'apart', because: 'they say different things' }

/** What longer texts are to each other: they say many things. */
export const TOO_LONG: StatementRelation = { kind: 'apart', because: 'one of them is more than a statement' }

const differentSubjects = ({ claim: a }: Signature, { claim: b }: Signature, lexicon: Lexicon): string | null => {
  if (a === null || b === null || a.isLine !== b.isLine) return null
  if (sameSubject(a.subject, b.subject, lexicon) || (a.isLine && b.isLine)) return null
  return `one is about ${nameOf(a.subject)}, the other about ${nameOf(b.subject)}`
}

const sameSubject = (a: string, b: string, lexicon: Lexicon): boolean => {
  const [one, other] = [a.split(' '), b.split(' ')]
  if (one.length !== other.length) return false
  return one.every((word, i) => ['same', 'synonym'].includes(lexicon.relation(word, other[i] ?? '')))
}

const nameOf = (subject: string): string => (subject === 'i' ? 'the speaker' : subject === '' ? 'something else' : subject)

/** The same said and denied, liked and disliked, or told with opposite words. */
const opposition = (a: Signature, b: Signature, alignment: Alignment, lexicon: Lexicon): StatementRelation | null => {
  const topic = sharedWeight(a, b, alignment)
  // What somebody likes is told by the attitude.
  const opposites = alignment.pairs.filter(
    ({ a: i, b: j, relation }) =>
      relation === 'opposite' &&
      !LIKING.has(wordAt(a, i)) &&
      !DISLIKING.has(wordAt(a, i)) &&
      // Sons and daughters are others, not opposites of what is said.
      !(isThing(a.words[i], lexicon) && isThing(b.words[j], lexicon)),
  )
  const [pair] = opposites
  const [preposition] = alignment.pairs.filter(({ a: i, b: j }) => isDenied(a.words[i]) !== isDenied(b.words[j]))
  const quantity = a.quantifiers.some((one) => b.quantifiers.some((other) => areOpposedQuantities(one, other)))
  if (a.claim?.isLine && b.claim?.isLine && a.attitude !== b.attitude && a.attitude !== null && b.attitude !== null)
    return sameObject(a, b) ? { kind: 'refines', because: 'it moved from one list to its opposite' } : null
  const flips =
    Number(a.isNegated !== b.isNegated) +
    Number(a.attitude !== null && b.attitude !== null && a.attitude !== b.attitude) +
    opposites.length +
    Number(preposition !== undefined) +
    Number(quantity)
  // Two turns bring it back: is not open, is closed.
  if (topic < SAME_TOPIC || flips % 2 === 0) return null
  if (weightOf(a, alignment.onlyA) + weightOf(b, alignment.onlyB) > 1.5 + 0.1 * a.words.length) return null
  if (pair !== undefined) return { kind: 'opposes', because: `${wordAt(a, pair.a)} is the opposite of ${wordAt(b, pair.b)}` }
  if (a.isNegated !== b.isNegated && flips === 1 && deniesMore(a, b, alignment)) return null
  if (a.isNegated !== b.isNegated) return { kind: 'opposes', because: 'one denies what the other says' }
  if (quantity) return { kind: 'opposes', because: 'one says it of many, the other of few' }
  if (preposition !== undefined) return { kind: 'opposes', because: `one is without ${wordAt(a, preposition.a)}` }
  return { kind: 'opposes', because: 'one likes what the other dislikes' }
}

/** Who does not ride by the creek may ride: what is denied with more words than it was said with is not denied. */
const deniesMore = (a: Signature, b: Signature, { onlyA, onlyB }: Alignment): boolean => {
  const [denied, left] = a.isNegated ? [a, onlyA] : [b, onlyB]
  return left.some((place) => {
    const word = denied.words[place]
    return word !== undefined && !word.isLight && !TELLING_PREPOSITIONS.has(word.text) && word.text !== 'longer'
  })
}

/** A noun by itself, or by where it stands: a man, though one can man a boat. */
const isThing = (word: ContentWord | undefined, lexicon: Lexicon): boolean => {
  if (word === undefined || !lexicon.isA(word.text, 'noun')) return false
  if (lexicon.isA(word.text, 'adjective') || lexicon.isA(word.text, 'adverb')) return false
  return !lexicon.isA(word.text, 'verb') || word.isSubject || word.after !== null
}

const isDenied = (word: ContentWord | undefined): boolean => word?.after === 'without'

const sameObject = ({ claim: a }: Signature, { claim: b }: Signature): boolean =>
  a !== null && b !== null && a.object.length === b.object.length && a.object.every((word, i) => word === b.object[i])

const isPartOf = (part: readonly string[], whole: readonly string[]): boolean => part.every((word) => whole.includes(word))

/** Another value of an attribute of which a subject has one. */
const refinement = (a: Signature, b: Signature, alignment: Alignment, lexicon: Lexicon): StatementRelation | null => {
  const [one, other] = [a.claim, b.claim]
  if (one === null || other === null || !one.isSingle || !other.isSingle) return null
  if (!sameSubject(one.subject, other.subject, lexicon) || one.attribute !== other.attribute) return null
  const sameFrameOfMind = a.isNegated === b.isNegated && sameModality(a.modality, b.modality) && a.attitude === b.attitude
  // What it is not tells nothing of what it is.
  if (!one.isLine && (!sameFrameOfMind || a.isNegated)) return null
  // What only says more of the value, or less, gives no other.
  if (!one.isLine && (isPartOf(one.object, other.object) || isPartOf(other.object, one.object))) return null
  if (!one.isLine && restatement(a, b, alignment, lexicon) !== null) return null
  return {
    kind: 'refines',
    because: `${one.attribute} was ${one.object.join(' ')}, now ${other.object.join(' ')}`,
  }
}

/** The same but for a value, a name or a quality in one place. */
const difference = (a: Signature, b: Signature, alignment: Alignment, lexicon: Lexicon): StatementRelation | null => {
  if (a.isNegated !== b.isNegated || !sameModality(a.modality, b.modality) || a.attitude !== b.attitude) return null
  const tells = ({ isLight, value }: ContentWord): boolean => !isLight || value !== null
  const left = alignment.onlyA.filter((i) => tells(a.words[i] as ContentWord))
  const right = alignment.onlyB.filter((j) => tells(b.words[j] as ContentWord))
  const [i = -1] = left
  const [j = -1] = right
  if (left.length !== 1 || right.length !== 1) return null
  const [from, to] = [a.words[i] as ContentWord, b.words[j] as ContentWord]
  if (from.after !== to.after || from.isSubject !== to.isSubject || restShared(a, b, alignment, i, j) < SAME_TOPIC)
    return null
  // Room 204 and room 402, the fifth order and the sixth: another number before the verb is another thing.
  const isValue = from.value !== null && to.value !== null && !from.isSubject
  const isOneOfMany = a.claim !== null && b.claim !== null && !a.claim.isSingle && a.claim.attribute === b.claim.attribute
  const isQuality =
    !isOneOfMany &&
    [from, to].every(({ text, isName }) => !isName && !isInflected(text, lexicon) && lexicon.isA(text, 'adjective'))
  return isValue || isQuality ? { kind: 'differs', because: `${from.text} is not ${to.text}` } : null
}
