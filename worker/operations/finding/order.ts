import type { Evidence } from '../../../src/domain/search/fusion.js'
import { asksForThen } from '../../../src/domain/search/time.js'
import type { Engine } from '../context.js'

/** A candidate with what it is worth. */
export interface Ranked {
  readonly memory: number
  readonly passage: number
  /** Of its nearest passage; null when it has no vector. */
  readonly slot: number | null
  readonly score: number
  readonly prior: number
  readonly boost: number
  /** When it was said, epoch milliseconds. */
  readonly at: number
  readonly evidence: Evidence
  readonly raw: Readonly<Record<'vector' | 'lexical', number>>
}

/** Of the best so many, the newer of two that speak of one thing comes first. */
const LOOKED_AT = 20

/** The share of the older one's score that the newer must have by itself: order is no relevance. */
const NEARLY = 0.6

/** Puts the newer of two that speak of the same above the older, unless the query asks for how things were. */
export const newerFirst = (engine: Engine, query: string, ranked: readonly Ranked[]): readonly Ranked[] => {
  if (asksForThen(query)) return ranked
  const { matrix } = engine.store.resident
  const alike = engine.store.embedder.calibration?.paraphrases.p5 ?? 0.6
  const top = ranked.slice(0, LOOKED_AT)
  for (let i = 1; i < top.length; i++) {
    const one = top[i] as Ranked
    if (one.slot === null) continue
    const vector = matrix.vectorAt(one.slot)
    const above = top.findIndex(
      (other, j) =>
        j < i &&
        other.at < one.at &&
        other.slot !== null &&
        one.score >= NEARLY * other.score &&
        matrix.similarity(vector, other.slot) >= alike,
    )
    if (above >= 0) top.splice(above, 0, ...top.splice(i, 1))
  }
  return [...top, ...ranked.slice(LOOKED_AT)]
}
