import { type Calibration, floorOf } from '../calibration.js'

/** Confidence below which a search abstains, unless the caller says otherwise. */
export const LEAST_CONFIDENCE = 0.45

/** What coverage of the query's words counts for; the rest is nearness in meaning. */
const COVERAGE_WEIGHT = 0.3

/** Confidence at most where a query names somebody or something that no memory knows. */
const UNKNOWN_NAME = 0.3

/** Cosine of two ways of saying one thing, where it was not measured: the median under MiniLM. */
const FALLBACK_ALIKE = 0.85

/** From here on a text is the query itself, but for what packing a vector into bytes loses: near, whatever else an embedder takes for near. */
const SAME_TEXT = 0.999

/** What the best of the answer rests on. */
export interface Grounds {
  /** Share of the query that the best memory has the words of, by rarity; null where words were not asked. */
  readonly coverage: number | null
  /** Cosine of the nearest memory; null where vectors were not asked. */
  readonly cosine: number | null
  /** The query names things, and none of them is known. */
  readonly isUnknown: boolean
  /** The query is a name that is known, and nothing else. */
  readonly isNamed: boolean
  /** The key of the best memory has a word of the query: keys are chosen to say what a memory answers. */
  readonly isKeyed: boolean
}

/** How likely it is that something in the answer fits, from 0 to 1, alike for all embedders: by what each makes of two ways of saying one thing. */
export const confidenceIn = (
  { coverage, cosine, isUnknown, isNamed, isKeyed }: Grounds,
  calibration: Calibration | null,
): number => {
  const alike = calibration?.paraphrases.p50 ?? FALLBACK_ALIKE
  const near = cosine === null ? null : share(cosine / Math.max(alike, 0.1))
  const joined =
    near !== null && coverage !== null
      ? COVERAGE_WEIGHT * coverage + (1 - COVERAGE_WEIGHT) * near
      : // One leg by itself: by its own threshold.
        cosine !== null
        ? share((LEAST_CONFIDENCE * cosine) / Math.max(floorOf(calibration), 0.01))
        : Math.sqrt(coverage ?? 0)
  const isCertain = isKeyed || isNamed || (cosine ?? 0) >= SAME_TEXT
  return isUnknown ? Math.min(joined, UNKNOWN_NAME) : isCertain ? Math.max(joined, LEAST_CONFIDENCE) : joined
}

const share = (value: number): number => Math.max(0, Math.min(1, value))

/** Whether a key has one of some words that tell something, in the same form or with another ending of a letter. */
export const isInKey = (key: string, words: readonly string[]): boolean => {
  const parts = new Set(
    key
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .map(withoutS),
  )
  return words.some((word) => parts.has(withoutS(word.toLowerCase())))
}

const withoutS = (word: string): string => (word.length > 3 ? word.replace(/s$/, '') : word)
