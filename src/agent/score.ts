import type { Hit } from '../schema/records.js'

/** How hits are weighed against each other. Weights are shares of one another: 1, 1, 1 is the same as 2, 2, 2. */
export interface ScoreWeights {
  /** How well a memory fits the question. Default 1. */
  readonly relevance?: number
  /** How lately it was written. Default 1. */
  readonly recency?: number
  /** How much it matters. Default 1. */
  readonly importance?: number
  /** Days after which recency has halved. Default 30. */
  readonly halfLifeDays?: number
  /** How much a memory matters, from 0 to 1. Default {@link importanceOf}. */
  readonly importanceOf?: (hit: Hit) => number
}

/** A hit with what its place rests on. */
export interface Weighed {
  readonly hit: Hit
  readonly score: number
  readonly relevance: number
  readonly recency: number
  readonly importance: number
}

const DAY_MS = 86_400_000

/**
 * 1 for what is pinned; else how sure it is, and how often it was heard: `confidence × (1 − 1 / (n + 1))` for the n-th time, so that what
 * was said once counts half of what is said again and again.
 */
export const importanceOf = ({ pinned, confidence, reinforcementCount }: Hit): number =>
  pinned ? 1 : confidence * (1 - 1 / (Math.max(reinforcementCount, 1) + 1))

/**
 * Hits in the order of
 *
 *     (w₁ · relevance + w₂ · recency + w₃ · importance) / (w₁ + w₂ + w₃)
 *
 * where relevance is the score against the best one of the answer, and recency 0.5 ^ (age in days / half-life), the age counted from the
 * last write. All three lie between 0 and 1. Weights that are no numbers above 0 count as 0; when all do, relevance alone decides.
 */
export const weigh = (hits: readonly Hit[], weights: ScoreWeights, nowMs: number): readonly Weighed[] => {
  const { halfLifeDays = 30, importanceOf: matters = importanceOf } = weights
  const given = [weights.relevance ?? 1, weights.recency ?? 1, weights.importance ?? 1].map(asWeight)
  // As shares of the largest: sums of weights may be beyond any number.
  const most = Math.max(...given)
  const [w1 = 0, w2 = 0, w3 = 0] = most > 0 ? given.map((weight) => weight / most) : [1, 0, 0]
  const best = Math.max(...hits.map(({ score }) => score), 0)
  return hits
    .map((hit): Weighed => {
      const relevance = best > 0 ? share(hit.score / best) : 0
      const days = Math.max(nowMs - hit.updatedAt, 0) / DAY_MS
      const recency = halfLifeDays > 0 ? share(0.5 ** (days / halfLifeDays)) : 0
      const importance = share(matters(hit))
      const score = (w1 * relevance + w2 * recency + w3 * importance) / (w1 + w2 + w3)
      return { hit, score, relevance, recency, importance }
    })
    .toSorted((a, b) => b.score - a.score)
}

const asWeight = (weight: number): number => (Number.isFinite(weight) && weight > 0 ? weight : 0)

const share = (value: number): number => (Number.isFinite(value) ? Math.min(Math.max(value, 0), 1) : 0)
