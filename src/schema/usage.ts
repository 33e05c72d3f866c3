import * as z from 'zod/mini'
import { IdempotencyKey, Key, Label } from './scalars.js'
import type { Scope } from './scope.js'

const repeatable = { idempotencyKey: z.optional(IdempotencyKey), dryRun: z.optional(z.boolean()) }

/** Input of `runs.complete`. */
export const CompleteRunInput = z.strictObject({
  /** Ids or keys of the memories that the run used. */
  memoriesUsed: z.array(Label).check(z.maxLength(500)),
  /** What they did to it. `neutral` counts the use alone. */
  outcome: z.enum(['helped', 'harmed', 'neutral']),
  ...repeatable,
})
export type CompleteRunInput = z.input<typeof CompleteRunInput>

/** Input of `outcome`. */
export const OutcomeInput = z.strictObject({ key: Key, outcome: z.enum(['helped', 'harmed']), ...repeatable })
export type OutcomeOptions = Omit<z.input<typeof OutcomeInput>, 'key' | 'outcome'>

/** Answer of `runs.complete`. */
export interface CompleteRunResult {
  /** The run of the handle, or null. */
  readonly run: string | null
  readonly counted: readonly { readonly id: string; readonly key: string }[]
  /** What was given and is no memory that the handle may read. */
  readonly unknown: readonly string[]
  readonly dryRun: boolean
  readonly scope: Scope
}

/** What has come of using a memory, as far as the handle may know. */
export interface UsageReport {
  /** Sums of outcomes, each worth half after 30 days. */
  readonly helped: number
  readonly harmed: number
  /** Outcomes that were told in all. */
  readonly uses: number
  /** What it adds to the score of a hit now, as a share of it: 0 to 0.05. */
  readonly boost: number
}

/** Answer of `outcome`. */
export interface OutcomeResult extends UsageReport {
  readonly id: string
  readonly key: string
  readonly dryRun: boolean
  readonly scope: Scope
}
