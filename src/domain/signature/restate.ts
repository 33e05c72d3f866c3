import type { Alignment, Pair } from './align.js'
import { isInflected, type Lexicon } from './lexicon.js'
import type { StatementRelation } from './relation.js'
import type { ContentWord, Signature } from './signature.js'
import { SAME_TOPIC, sharedWeight } from './weight.js'
import { type Modality, TELLING_PREPOSITIONS } from './word-classes.js'

/** Nothing is said that was not said before. */
export const restatement = (
  a: Signature,
  b: Signature,
  alignment: Alignment,
  lexicon: Lexicon,
): StatementRelation | null => {
  if (a.words.length === 0 || !sameFrame(a, b) || !sameRoles(a, b, alignment.pairs, lexicon)) return null
  if (alignment.pairs.some(({ relation }) => relation === 'opposite' || relation === 'narrower')) return null
  if (alignment.pairs.some(({ relation }) => relation === 'broader') && !isUpward(b)) return null
  if (!alignment.onlyB.every((j) => b.words[j]?.isLight)) return null
  const left = alignment.onlyA.filter((i) => !a.words[i]?.isLight)
  if (left.length > 0 && !(isUpward(b) && left.every((i) => isQualifier(a.words[i] as ContentWord, lexicon)))) return null
  if (left.length > 1 || sharedWeight(a, b, alignment) < SAME_TOPIC) return null
  return { kind: 'restates', because: left.length > 0 ? 'it says less than what is known' : 'it says the same' }
}

/**
 * What a difference weighs: how much of the way from the similarity of what speaks of one thing to that of one sentence said twice the
 * two have to have gone, if they are to say the same all the same. To leave something out takes nothing away from what is known.
 */
const DOUBTS = {
  lessQuality: 0.2,
  lessDetail: 0.7,
  moreQuality: 0.8,
  moreDetail: 1,
  act: 1,
  narrowerAct: 0.5,
  fullerName: 0.3,
}

/** Beyond, no similarity is enough. */
const MOST_DOUBT = 1.2

/** One side lacks what the other tells, and nothing stands in its place; or it tells an act more closely. */
export const nearRestatement = (
  a: Signature,
  b: Signature,
  alignment: Alignment,
  lexicon: Lexicon,
): StatementRelation | null => {
  const { pairs, onlyA, onlyB } = alignment
  if (!sameFrame(a, b) || !sameRoles(a, b, pairs, lexicon) || a.claim?.isLine || b.claim?.isLine) return null
  const unequal = pairs.filter(
    ({ relation }) => relation === 'opposite' || relation === 'narrower' || relation === 'broader',
  )
  if (!unequal.every((pair) => isAct(a, b, pair, lexicon))) return null
  const less = onlyA.map((place) => a.words[place] as ContentWord).filter(({ isLight }) => !isLight)
  const more = onlyB.map((place) => b.words[place] as ContentWord).filter(({ isLight }) => !isLight)
  if (less.length > 0 && more.length > 0) return null
  const [longer, left] = more.length > 0 ? [b, onlyB] : [a, onlyA]
  const paired = new Set(pairs.map((pair) => (more.length > 0 ? pair.b : pair.a)))
  const namesFully = new Set(left.filter((place) => isPartOfName(longer, place, paired)).map((place) => longer.words[place]))
  if (![...less, ...more].every((word) => namesFully.has(word) || isHarmless(word, more.length > 0, lexicon))) return null
  if (isReplaced(alignment)) return null
  const weigh = (words: readonly ContentWord[], quality: number, detail: number): number =>
    words.reduce((sum, word) => {
      if (namesFully.has(word)) return sum + DOUBTS.fullerName
      if (isInflected(word.text, lexicon)) return sum + DOUBTS.act
      return sum + (isQuality(word, lexicon) ? quality : detail)
    }, 0)
  const doubt =
    weigh(less, DOUBTS.lessQuality, DOUBTS.lessDetail) +
    weigh(more, DOUBTS.moreQuality, DOUBTS.moreDetail) +
    unequal.length * DOUBTS.narrowerAct
  if (doubt > MOST_DOUBT) return null
  const [pair] = unequal
  const texts = [...less, ...more].map(({ text }) => text)
  const told = pair === undefined ? [] : [`${a.words[pair.a]?.text} and ${b.words[pair.b]?.text}`]
  return { kind: 'nearly', because: `they differ in ${[...texts, ...told].join(', ') || 'little'} only`, doubt }
}

/** Whether words of both sides are left over between the same neighbours: other people, identical people. */
const isReplaced = ({ pairs, onlyA, onlyB }: Alignment): boolean =>
  onlyB.some((j) => {
    const before = Math.max(-1, ...pairs.filter(({ b }) => b < j).map(({ a }) => a))
    const behind = Math.min(Number.POSITIVE_INFINITY, ...pairs.filter(({ b }) => b > j).map(({ a }) => a))
    return onlyA.some((i) => i > before && i < behind)
  })

/** A first name or what somebody is called before a name that both have: Bill de Blasio, Justice Ginsburg. */
const isPartOfName = ({ words }: Signature, place: number, paired: ReadonlySet<number>): boolean => {
  const [word, next] = [words[place], words[place + 1]]
  if (word === undefined || next === undefined || next.isJoined || next.after !== word.after || next.clause !== word.clause)
    return false
  return next.isName && paired.has(place + 1) && (word.isName || place === 0)
}

/** Cutting and slicing, not the dog and the poodle. */
const isAct = (a: Signature, b: Signature, { a: i, b: j, relation }: Pair, lexicon: Lexicon): boolean =>
  relation !== 'opposite' &&
  [a.words[i], b.words[j]].every((word) => word !== undefined && !word.isSubject && lexicon.isA(word.text, 'verb')) &&
  [a.words[i], b.words[j]].some((word) => word !== undefined && isInflected(word.text, lexicon))

/** A word that is not known may deny: nicht, pas, inte. A place or a time that is added is news. */
const isHarmless = ({ text, value, isName }: ContentWord, isAdded: boolean, lexicon: Lexicon): boolean =>
  value === null && !TELLING_PREPOSITIONS.has(text) && (isName ? !isAdded : lexicon.isKnown(text))

const isQuality = ({ text, isName }: ContentWord, lexicon: Lexicon): boolean =>
  !isName && (lexicon.isA(text, 'adjective') || lexicon.isA(text, 'adverb'))

/** Equal values, polarity, modality, quantity and attitude. */
const sameFrame = (a: Signature, b: Signature): boolean =>
  a.values.join() === b.values.join() &&
  a.isNegated === b.isNegated &&
  sameModality(a.modality, b.modality) &&
  a.attitude === b.attitude &&
  a.quantifiers.join() === b.quantifiers.join()

/** What can be done could be done, and mostly is. */
export const sameModality = (a: Modality, b: Modality): boolean =>
  a === b ||
  [a, b].every((one) => one === 'able' || one === 'possible') ||
  [a, b].every((one) => one === 'able' || one === 'stated')

/** What says less follows from what says more, unless it is denied, liked, or said of all. */
const isUpward = ({ isNegated, attitude, quantifiers, claim }: Signature): boolean =>
  !isNegated && attitude === null && quantifiers.length === 0 && !claim?.isSingle

const isQualifier = ({ text, value, isName, after }: ContentWord, lexicon: Lexicon): boolean =>
  value === null && !isName && after === null && (lexicon.isA(text, 'adjective') || lexicon.isA(text, 'adverb'))

/** Who does what to whom, and from where to where. In the passive the doer comes after `by`. */
const sameRoles = (a: Signature, b: Signature, pairs: readonly Pair[], lexicon: Lexicon): boolean => {
  const turned = pairs.some(({ a: i, b: j }) => {
    const [from, to] = [a.words[i]?.after, b.words[j]?.after]
    return (from === 'from' && isTowards(to)) || (isTowards(from) && to === 'from')
  })
  if (turned) return false
  if (a.isPassive !== b.isPassive) return a.isPassive ? isDoerFirst(a, b, pairs, 'a') : isDoerFirst(b, a, pairs, 'b')
  const goesInto = (pair: Pair, from: Signature, side: 'a' | 'b'): boolean => {
    const other = side === 'a' ? 'b' : 'a'
    const into = (side === 'a' ? b : a).words[pair[other]]
    return isInCore(from.words[pair[side]], lexicon) && into?.after != null
  }
  // The log lies on the bear, the bear lies on the log.
  if (pairs.some((pair) => goesInto(pair, a, 'a')) && pairs.some((pair) => goesInto(pair, b, 'b'))) return false
  const core = pairs.filter(({ a: i, b: j }) => isInCore(a.words[i], lexicon) && isInCore(b.words[j], lexicon))
  const isInOrder = core.every((second, at) => {
    const first = core[at - 1]
    return first === undefined || second.b >= first.b || (isList(a, first.a, second.a) && isList(b, second.b, first.b))
  })
  return isInOrder || isInClauses(a, b, core)
}

const isTowards = (preposition: string | null | undefined): boolean =>
  preposition === 'to' || preposition === 'into' || preposition === 'onto'

/** Whether whole clauses have changed places, as in what is said and who said it, and nothing within one. */
const isInClauses = (a: Signature, b: Signature, core: readonly Pair[]): boolean => {
  const places = core.flatMap(({ a: i, b: j }) => {
    const [from, to] = [a.words[i], b.words[j]]
    return from === undefined || to === undefined ? [] : [{ i, j, from, to }]
  })
  const isWhole = (side: 'from' | 'to', other: 'from' | 'to'): boolean =>
    places.every((one) =>
      places.every((two) => one[side].clause !== two[side].clause || one[other].clause === two[other].clause),
    )
  const isApart = (one: (typeof places)[number], two: (typeof places)[number]): boolean =>
    one.from.clause !== two.from.clause && one.to.clause !== two.to.clause
  return (
    places.every(({ from, to }) => from.under === to.under) &&
    (isWhole('from', 'to') || isWhole('to', 'from')) &&
    places.every((one) => places.every((two) => one.i >= two.i || one.j <= two.j || isApart(one, two)))
  )
}

/** Whether all words from one to another are joined into a list, in which the order is free. */
const isList = ({ words }: Signature, from: number, to: number): boolean =>
  from < to && words.slice(from + 1, to + 1).every(({ isJoined }) => isJoined)

/** Qualities follow their noun or go before it: the electric guitar, the guitar which is electric. */
const isInCore = (word: ContentWord | undefined, lexicon: Lexicon): boolean =>
  word !== undefined && word.after === null && !word.isLight && !isQualifier(word, lexicon)

/** Whether the doer of the passive side comes first in its clause on the other. */
const isDoerFirst = (passive: Signature, active: Signature, pairs: readonly Pair[], side: 'a' | 'b'): boolean => {
  const other = side === 'a' ? 'b' : 'a'
  const doers = pairs.filter((pair) => passive.words[pair[side]]?.after === 'by')
  return doers.some((doer) => {
    const clause = active.words[doer[other]]?.clause
    return doer[other] === Math.min(...pairs.map((pair) => pair[other]).filter((at) => active.words[at]?.clause === clause))
  })
}
