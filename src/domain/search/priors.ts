import type { SourceClass } from '../../schema/records.js'

/** All priors together move a score by no more than this share, so that none lifts a memory over one that is clearly more relevant. */
export const MOST_PRIOR = 0.15

const TRUST: Readonly<Record<SourceClass, number>> = {
  asserted: 1.03,
  observed: 1.02,
  extracted: 1,
  derived: 0.99,
  imported: 0.99,
  external: 0.93,
}

/** What is known of a memory beside what it says. */
export interface Standing {
  readonly sourceClass: SourceClass
  readonly confidence: number
  /** What outcomes of earlier uses add, as a share. */
  readonly boost: number
  /** 0 for the newest of the candidates, 1 for the oldest; null where the query does not ask for now. */
  readonly age: number | null
}

/** The factor by which what is known of a memory moves its score. */
export const priorOf = ({ sourceClass, confidence, boost, age }: Standing): number => {
  const sure = 0.95 + 0.05 * confidence
  const recent = age === null ? 1 : 1.05 - 0.1 * age
  return Math.max(1 - MOST_PRIOR, Math.min(1 + MOST_PRIOR, TRUST[sourceClass] * sure * recent * (1 + boost)))
}
