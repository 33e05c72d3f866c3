import type { Percentiles } from '../schema/embedder.js'
import { FALLBACK_THRESHOLDS, type Thresholds } from './judge.js'

/** How one embedder's similarities are spread over the calibration texts. */
export interface Calibration {
  /** Which texts it was measured on. */
  readonly texts: number
  /** Pairs that have nothing to do with each other. */
  readonly randomPairs: Percentiles
  /** Pairs that say one thing in two ways. */
  readonly paraphrases: Percentiles
  readonly measuredAt: number
}

/** In force until similarities have been measured: a little above the 95th percentile of unrelated sentence pairs under MiniLM (SICK). */
const FALLBACK_FLOOR = 0.4

/** Raised when the calibration texts change: what was measured on others is measured again. */
export const CALIBRATION_REVISION = 1

/**
 * Spread of similarities over pairs of texts, each said twice: first ways of saying come before all second ways, in one order.
 * The vectors have unit length.
 */
export const calibrationOf = (vectors: readonly Float32Array[], measuredAt: number): Calibration => {
  const half = vectors.length / 2
  const paraphrases: number[] = []
  const randomPairs: number[] = []
  vectors.forEach((a, i) => {
    vectors.slice(i + 1).forEach((b, j) => {
      const list = i + 1 + j === i + half ? paraphrases : randomPairs
      list.push(cosine(a, b))
    })
  })
  return {
    texts: CALIBRATION_REVISION,
    randomPairs: percentilesOf(randomPairs),
    paraphrases: percentilesOf(paraphrases),
    measuredAt,
  }
}

/** Between the ranks is interpolated, as `numpy.percentile` does by default. */
export const percentilesOf = (values: readonly number[]): Percentiles => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => {
    const rank = share * Math.max(0, sorted.length - 1)
    const below = sorted[Math.floor(rank)] ?? 0
    const above = sorted[Math.ceil(rank)] ?? below
    return below + (above - below) * (rank - Math.floor(rank))
  }
  return { p5: at(0.05), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95) }
}

/** Of vectors of unit length; of different lengths, they are not comparable and so not similar. */
export const cosine = (a: Float32Array, b: Float32Array): number => {
  if (a.length !== b.length) return 0
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

/** From when on texts count as alike, by what was measured of the embedder, else by what holds for most. */
export const thresholdsOf = (calibration: Calibration | null): Thresholds =>
  calibration === null
    ? FALLBACK_THRESHOLDS
    : { duplicate: calibration.paraphrases.p95, conflict: calibration.paraphrases.p25 }

/**
 * The cosine below which a vector is no evidence that a memory fits: a quarter of the way from where unrelated texts end to where
 * texts of one meaning begin, since a question shares less with its answer than two ways of saying it do.
 */
export const floorOf = (calibration: Calibration | null): number => {
  if (calibration === null) return FALLBACK_FLOOR
  const { randomPairs, paraphrases } = calibration
  return randomPairs.p95 + Math.max(0, paraphrases.p5 - randomPairs.p95) / 4
}
