import type { Alignment, Pair } from './align.js'
import type { Lexicon } from './lexicon.js'
import type { StatementRelation } from './relation.js'
import type { ContentWord, Signature } from './signature.js'
import { SAME_TOPIC, sharedWeight } from './weight.js'
import { TELLING_PREPOSITIONS } from './word-classes.js'

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

/** One side lacks a quality that the other tells; nothing stands in its place. */
export const nearRestatement = (
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
  // A word that is not known may deny: nicht, pas, inte.
  const isQuality = ({ text, value, isName }: ContentWord): boolean =>
    value === null &&
    !isName &&
    !TELLING_PREPOSITIONS.has(text) &&
    (lexicon.isA(text, 'adjective') || lexicon.isA(text, 'adverb'))
  if (telling.length > 1 || !telling.every(isQuality)) return null
  return { kind: 'nearly', because: `they differ in ${telling[0]?.text ?? 'little'} only` }
}

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
