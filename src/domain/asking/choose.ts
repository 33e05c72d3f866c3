import { normalize } from '../normalize.js'

/** A sentence that may answer, with how near it is to the question in meaning, where that is known. */
export interface Candidate {
  /** Place of its memory among what the search found, best first. */
  readonly rank: number
  readonly text: string
  readonly similarity: number | null
}

/** Memories that an answer tells of, at the most. */
const MOST_TOLD = 3

/** A sentence of a further memory is told when it is as near to the question as this share of the nearest. */
const AS_NEAR = 0.9

/** Weight of shared words beside meaning. */
const WORDS = 0.5

/**
 * The sentences that answer, one of each memory at the most: of the memory that the search put first, and of further ones that are about as
 * near to the question. In the order of the search.
 */
export const chooseSentences = (question: string, candidates: readonly Candidate[]): readonly Candidate[] => {
  const asked = wordsOf(question)
  const worth = new Map(candidates.map((one) => [one, (one.similarity ?? 0) + WORDS * shareOf(asked, wordsOf(one.text))]))
  const best = new Map<number, Candidate>()
  for (const one of candidates) {
    const before = best.get(one.rank)
    if (before === undefined || (worth.get(one) ?? 0) > (worth.get(before) ?? 0)) best.set(one.rank, one)
  }
  const chosen = [...best.values()].sort((a, b) => a.rank - b.rank)
  const bar = AS_NEAR * Math.max(...chosen.map((one) => worth.get(one) ?? 0))
  return chosen.filter((one, i) => i === 0 || (worth.get(one) ?? 0) >= bar).slice(0, MOST_TOLD)
}

/** Words of a text, folded: without case, marks and the endings that inflect them. */
export const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (
      normalize(text, 'NFKD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? []
    ).map((word) => word.replace(/(?<=..)(?:ies|ied|es|ed|ing|s|y)$/u, '')),
  )

const shareOf = (asked: ReadonlySet<string>, said: ReadonlySet<string>): number =>
  asked.size === 0 ? 0 : [...asked].filter((word) => said.has(word)).length / asked.size
