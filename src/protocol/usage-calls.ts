import type { CompleteRunInput, CompleteRunResult, OutcomeOptions, OutcomeResult } from '../schema/usage.js'
import type { Abortable } from './abortable.js'

/** What came of runs of an agent. */
export interface RunCalls {
  /**
   * Tell what came of a run, and which memories it used: those that helped rank a little higher for this user from then on. Harm takes
   * such help back; it never ranks a memory below its own relevance, and nothing is deleted.
   *
   * Rejects with FORBIDDEN for a handle that reads across users, and with AMBIGUOUS_KEY for a key that several writers hold.
   *
   * ```ts
   * await memory.runs.complete({ memoriesUsed: hits.map(({ id }) => id), outcome: 'helped' })
   * ```
   */
  readonly complete: (input: CompleteRunInput & Abortable) => Promise<CompleteRunResult>
}

/** Calls that tell which memories were of use. */
export interface UsageCalls {
  /**
   * Tell that the memory under a key helped or harmed, as `runs.complete` does for those of a run.
   *
   * Rejects with NOT_FOUND when nothing that the handle may read lives there, and with AMBIGUOUS_KEY as `get`.
   *
   * ```ts
   * await memory.outcome('user/diet', 'helped')
   * ```
   */
  readonly outcome: (
    key: string,
    outcome: 'helped' | 'harmed',
    options?: OutcomeOptions & Abortable,
  ) => Promise<OutcomeResult>
  readonly runs: RunCalls
}
