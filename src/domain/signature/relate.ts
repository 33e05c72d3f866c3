import { type Alignment, align, type Pair } from './align.js'
import type { Lexicon } from './lexicon.js'
import type { ContentWord, Signature } from './signature.js'
import { areOpposedQuantities, DISLIKING, LIKING, TELLING_PREPOSITIONS } from './word-classes.js'

/**
 * How a statement stands to an earlier one. `restates`: nothing new. `nearly`: the same but for a word that one of them lacks.
 * `refines`: another value of an attribute of which there is one. `opposes`: both cannot be so. `differs`: the same but for a value
 * that is likely to exclude the other. `apart`: none of these.
 */
export type RelationKind = 'restates' | 'nearly' | 'refines' | 'opposes' | 'differs' | 'apart'

export interface StatementRelation {
  readonly kind: RelationKind
  /** What was found, as the end of a sentence about the two. */
  readonly because: string
}

/** Share of the words that have to be shared before what differs says anything. */
const SAME_TOPIC = 0.6

/** How the second statement, the newer one, stands to the first. */
export const relate = (a: Signature, b: Signature, lexicon: Lexicon): StatementRelation => {
  const alignment = align(a.words, b.words, lexicon)
  const subjects = differentSubjects(a, b, lexicon)
  if (subjects !== null) return { kind: 'apart', because: subjects }
  return (
    opposition(a, b, alignment, lexicon) ??
    refinement(a, b, alignment, lexicon) ??
    restatement(a, b, alignment, lexicon) ??
    nearRestatement(a, b, alignment, lexicon) ??
    difference(a, b, alignment, lexicon) ?? { kind: 'apart', because: 'they say different things' }
  )
}

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
      !(isThing(wordAt(a, i), lexicon) && isThing(wordAt(b, j), lexicon)),
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
  if (a.isNegated !== b.isNegated) return { kind: 'opposes', because: 'one denies what the other says' }
  if (quantity) return { kind: 'opposes', because: 'one says it of many, the other of few' }
  if (preposition !== undefined) return { kind: 'opposes', because: `one is without ${wordAt(a, preposition.a)}` }
  return { kind: 'opposes', because: 'one likes what the other dislikes' }
}

const isThing = (word: string, lexicon: Lexicon): boolean =>
  lexicon.isA(word, 'noun') && !(['adjective', 'verb', 'adverb'] as const).some((part) => lexicon.isA(word, part))

const isDenied = (word: ContentWord | undefined): boolean => word?.after === 'without'

const sameObject = ({ claim: a }: Signature, { claim: b }: Signature): boolean =>
  a !== null && b !== null && a.object.length === b.object.length && a.object.every((word, i) => word === b.object[i])

/** Another value of an attribute of which a subject has one. */
const refinement = (a: Signature, b: Signature, alignment: Alignment, lexicon: Lexicon): StatementRelation | null => {
  const [one, other] = [a.claim, b.claim]
  if (one === null || other === null || !one.isSingle || !other.isSingle) return null
  if (!sameSubject(one.subject, other.subject, lexicon) || one.attribute !== other.attribute) return null
  const sameFrameOfMind = a.isNegated === b.isNegated && a.modality === b.modality && a.attitude === b.attitude
  if (!one.isLine && !sameFrameOfMind) return null
  if (sameObject(a, b)) return null
  if (!one.isLine && restatement(a, b, alignment, lexicon) !== null) return null
  return {
    kind: 'refines',
    because: `${one.attribute} was ${one.object.join(' ')}, now ${other.object.join(' ')}`,
  }
}

/** Nothing is said that was not said before. */
const restatement = (a: Signature, b: Signature, alignment: Alignment, lexicon: Lexicon): StatementRelation | null => {
  if (a.words.length === 0 || !sameFrame(a, b) || !sameRoles(a, b, alignment.pairs, lexicon)) return null
  if (alignment.pairs.some(({ relation }) => relation === 'opposite' || relation === 'narrower')) return null
  if (alignment.pairs.some(({ relation }) => relation === 'broader') && !isUpward(b)) return null
  if (!alignment.onlyB.every((j) => b.words[j]?.isLight)) return null
  const left = alignment.onlyA.filter((i) => !a.words[i]?.isLight)
  if (left.length > 0 && !(isUpward(b) && left.every((i) => isQualifier(a.words[i] as ContentWord, lexicon)))) return null
  if (left.length > 1 || sharedWeight(a, b, alignment) < SAME_TOPIC) return null
  return { kind: 'restates', because: left.length > 0 ? 'it says less than what is known' : 'it says the same' }
}

/** One side lacks a quality that the other tells; nothing stands in its place. */
const nearRestatement = (
  a: Signature,
  b: Signature,
  { pairs, onlyA, onlyB }: Alignment,
  lexicon: Lexicon,
): StatementRelation | null => {
  const [words, left] = onlyB.length === 0 ? [a.words, onlyA] : [b.words, onlyB]
  if (left.length === 0 || (onlyA.length > 0 && onlyB.length > 0)) return null
  if (!sameFrame(a, b) || !sameRoles(a, b, pairs, lexicon) || a.claim?.isLine) return null
  if (pairs.some(({ relation }) => relation === 'opposite' || relation === 'narrower' || relation === 'broader')) return null
  const telling = left.map((place) => words[place] as ContentWord).filter(({ isLight }) => !isLight)
  if (telling.length > 1 || telling.some(({ text, value, isName }) => value !== null || isName || isPlace(text))) return null
  return { kind: 'nearly', because: `they differ in ${telling[0]?.text ?? 'little'} only` }
}

const isPlace = (text: string): boolean => TELLING_PREPOSITIONS.has(text)

/** Equal values, polarity, modality, quantity and attitude. */
const sameFrame = (a: Signature, b: Signature): boolean =>
  a.values.join() === b.values.join() &&
  a.isNegated === b.isNegated &&
  a.modality === b.modality &&
  a.attitude === b.attitude &&
  a.quantifiers.join() === b.quantifiers.join()

/** What says less follows from what says more, unless it is denied, liked, or said of all. */
const isUpward = ({ isNegated, attitude, quantifiers, claim }: Signature): boolean =>
  !isNegated && attitude === null && quantifiers.length === 0 && !claim?.isSingle

const isQualifier = ({ text, value, isName, after }: ContentWord, lexicon: Lexicon): boolean =>
  value === null && !isName && after === null && (lexicon.isA(text, 'adjective') || lexicon.isA(text, 'adverb'))

/** Who does what to whom, and from where to where. In the passive the doer comes after `by`. */
const sameRoles = (a: Signature, b: Signature, pairs: readonly Pair[], lexicon: Lexicon): boolean => {
  const turned = pairs.some(({ a: i, b: j }) => {
    const [from, to] = [a.words[i]?.after, b.words[j]?.after]
    return (from === 'from' && to === 'to') || (from === 'to' && to === 'from')
  })
  if (turned) return false
  if (a.isPassive !== b.isPassive) return a.isPassive ? isDoerFirst(a, pairs, 'a') : isDoerFirst(b, pairs, 'b')
  const goesInto = (pair: Pair, from: Signature, side: 'a' | 'b'): boolean => {
    const other = side === 'a' ? 'b' : 'a'
    const into = (side === 'a' ? b : a).words[pair[other]]
    return isInCore(from.words[pair[side]], lexicon) && into?.after != null
  }
  // The log lies on the bear, the bear lies on the log.
  if (pairs.some((pair) => goesInto(pair, a, 'a')) && pairs.some((pair) => goesInto(pair, b, 'b'))) return false
  const core = pairs.filter(({ a: i, b: j }) => isInCore(a.words[i], lexicon) && isInCore(b.words[j], lexicon))
  return core.every((second, at) => {
    const first = core[at - 1]
    return first === undefined || second.b >= first.b || (isList(a, first.a, second.a) && isList(b, second.b, first.b))
  })
}

/** Whether all words from one to another are joined into a list, in which the order is free. */
const isList = ({ words }: Signature, from: number, to: number): boolean =>
  from < to && words.slice(from + 1, to + 1).every(({ isJoined }) => isJoined)

/** Qualities follow their noun or go before it: the electric guitar, the guitar which is electric. */
const isInCore = (word: ContentWord | undefined, lexicon: Lexicon): boolean =>
  word !== undefined && word.after === null && !word.isLight && !isQualifier(word, lexicon)

/** Whether the doer of the passive side comes before all else it is matched with on the other. */
const isDoerFirst = (passive: Signature, pairs: readonly Pair[], side: 'a' | 'b'): boolean => {
  const other = side === 'a' ? 'b' : 'a'
  const doers = pairs.filter((pair) => passive.words[pair[side]]?.after === 'by')
  const first = Math.min(...pairs.map((pair) => pair[other]))
  return doers.length > 0 && doers.some((pair) => pair[other] === first)
}

/** The same but for a value, a name or a quality in one place. */
const difference = (a: Signature, b: Signature, alignment: Alignment, lexicon: Lexicon): StatementRelation | null => {
  if (a.isNegated !== b.isNegated || a.modality !== b.modality || a.attitude !== b.attitude) return null
  const tells = ({ isLight, value }: ContentWord): boolean => !isLight || value !== null
  const left = alignment.onlyA.filter((i) => tells(a.words[i] as ContentWord))
  const right = alignment.onlyB.filter((j) => tells(b.words[j] as ContentWord))
  const [i = -1] = left
  const [j = -1] = right
  if (left.length !== 1 || right.length !== 1) return null
  const [from, to] = [a.words[i] as ContentWord, b.words[j] as ContentWord]
  if (from.after !== to.after || restShared(a, b, alignment, i, j) < SAME_TOPIC) return null
  const isValue = from.value !== null && to.value !== null
  const isOneOfMany = a.claim !== null && b.claim !== null && !a.claim.isSingle && a.claim.attribute === b.claim.attribute
  const isQuality = !isOneOfMany && [from, to].every(({ text, isName }) => !isName && lexicon.isA(text, 'adjective'))
  return isValue || isQuality ? { kind: 'differs', because: `${from.text} is not ${to.text}` } : null
}

/** Share of the words that are shared beside one that differs. */
const restShared = (a: Signature, b: Signature, { pairs }: Alignment, i: number, j: number): number => {
  const without = (signature: Signature, place: number): number =>
    weightOf(
      signature,
      [...signature.words.keys()].filter((other) => other !== place),
    )
  const whole = Math.max(without(a, i), without(b, j))
  const shared = weightOf(
    a,
    pairs.map((pair) => pair.a),
  )
  return whole < 1 ? 0 : shared / whole
}

/** Share of the words of the longer side that both have; light ones count little, values and names double. */
const sharedWeight = (a: Signature, b: Signature, { pairs }: Alignment): number => {
  const shared = pairs.filter(({ relation }) => relation !== 'opposite')
  const opposite = pairs.filter(({ relation }) => relation === 'opposite')
  const left = weightOf(a, [...a.words.keys()])
  const right = weightOf(b, [...b.words.keys()])
  const both = Math.min(
    weightOf(
      a,
      shared.map((pair) => pair.a),
    ),
    weightOf(
      b,
      shared.map((pair) => pair.b),
    ),
  )
  // Opposites stand in one place, so that they speak neither for nor against one topic.
  const neutral = weightOf(
    a,
    opposite.map((pair) => pair.a),
  )
  const whole = Math.max(left, right) - neutral
  return whole <= 0 ? 1 : both / whole
}

const weightOf = ({ words }: Signature, places: readonly number[]): number =>
  places.reduce((sum, place) => {
    const word = words[place]
    return sum + (word === undefined ? 0 : word.isLight ? 0.2 : 1)
  }, 0)

const wordAt = ({ words }: Signature, place: number): string => words[place]?.text ?? ''
