/** How a run that used a memory ended. */
export type RunOutcome = 'helped' | 'harmed' | 'neutral'

/** After so long an outcome counts for half: what was useful last year says little of today. */
export const USAGE_HALF_LIFE_MS = 30 * 24 * 60 * 60 * 1000

/** What the outcomes of one kind add up to at most: whoever reports the same a thousand times can still be outvoted. */
export const MOST_OUTCOMES = 10

/** What usage adds to the score of a memory at most, as a share of it: a few ranks, not a place that words and meaning do not give. */
export const MOST_BOOST = 0.05

/** Outcomes in one direction from which half of the boost is reached. */
const HALF_BOOST_AT = 2

/** What outcomes add up to, as of a moment. */
export interface Usage {
  readonly helped: number
  readonly harmed: number
  /** Runs that used it, whatever came of them. */
  readonly uses: number
  /** Epoch milliseconds. */
  readonly at: number
}

export const UNUSED: Usage = { helped: 0, harmed: 0, uses: 0, at: 0 }

/** What outcomes are worth at a later moment. A clock that was set back makes none worth more. */
export const decayed = (usage: Usage, nowMs: number): Usage => {
  const left = 0.5 ** (Math.max(0, nowMs - usage.at) / USAGE_HALF_LIFE_MS)
  return { ...usage, helped: usage.helped * left, harmed: usage.harmed * left, at: Math.max(usage.at, nowMs) }
}

/** Usage after one more run. */
export const afterOutcome = (before: Usage, outcome: RunOutcome, nowMs: number): Usage => {
  const { helped, harmed, uses, at } = decayed(before, nowMs)
  return {
    helped: outcome === 'helped' ? Math.min(MOST_OUTCOMES, helped + 1) : helped,
    harmed: outcome === 'harmed' ? Math.min(MOST_OUTCOMES, harmed + 1) : harmed,
    uses: uses + 1,
    at,
  }
}

/** All that is known of one memory, as of a moment: several handles may have kept outcomes of it. */
export const summed = (all: readonly Usage[], nowMs: number): Usage =>
  all.reduce(
    (sum, usage) => {
      const { helped, harmed, uses } = decayed(usage, nowMs)
      return { ...sum, helped: sum.helped + helped, harmed: sum.harmed + harmed, uses: sum.uses + uses }
    },
    { ...UNUSED, at: nowMs },
  )

/**
 * What usage adds to a memory's score, as a share of it. Never less than nothing: harm takes back what help has given, and leaves a memory
 * at its own relevance, since one bad answer may be no fault of its.
 */
export const boostOf = ({ helped, harmed }: Usage): number => {
  const net = Math.max(0, helped - harmed)
  return (MOST_BOOST * net) / (net + HALF_BOOST_AT)
}
