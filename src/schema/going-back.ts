import * as z from 'zod/mini'
import { Cursor, exactlyOne } from './history.js'
import type { Status } from './records.js'
import { IdempotencyKey, Instant, Label } from './scalars.js'
import type { Scope } from './scope.js'

const goingBack = {
  /** Answer with the plan and change nothing. Default true. */
  dryRun: z._default(z.boolean(), true),
  /** Memories named in the answer; the counts are of all. */
  limit: z._default(z.int().check(z.gte(1), z.lte(1000)), 100),
  cursor: Cursor,
  idempotencyKey: z.optional(IdempotencyKey),
}

/** Input of `namespaces.rollback`. */
export const RollbackInput = z.strictObject({
  /** The instant to go back to. */
  to: Instant,
  /** Default the namespace of the handle. */
  namespace: z.optional(Label),
  ...goingBack,
})
export type RollbackInput = z.input<typeof RollbackInput>

/** Input of `undo`: whose writes are taken back. */
export const UndoInput = z
  .strictObject({
    /** What handles of this run wrote. */
    run: z.optional(Label),
    /** What writes said to come from this origin. */
    origin: z.optional(Label),
    /** One write, by the `batch` that it answered with. */
    batch: z.optional(z.string().check(z.regex(/^[0-9a-f]{16}\.\d{1,10}$/, 'is not the name of a batch'))),
    /** The last writes of this handle's scope. */
    lastN: z.optional(z.int().check(z.gte(1), z.lte(1000))),
    ...goingBack,
  })
  .check(exactlyOne(['run', 'origin', 'batch', 'lastN']))
export type UndoInput = z.input<typeof UndoInput>

/** What brings a memory back: to service, to what it was, or out of service since it was not there. */
export type RestoreAction = 'restore' | 'revert' | 'tombstone'

/** Why a memory is left as it is. */
export type KeptReason =
  | 'locked'
  | 'pinned'
  /** Somebody else has written it since. */
  | 'changed_since'
  /** What it held was scrubbed. */
  | 'redacted'
  /** A rule forbids what it held. */
  | 'blacklisted'
  /** Another memory lives under its key now. */
  | 'key_taken'

/** A state of a memory in a plan. */
export interface PlannedState {
  readonly version: string
  readonly status: Status
  /** Null for a value that is highly sensitive or was scrubbed. */
  readonly contentSha256: string | null
}

/** What becomes of one memory. */
export interface PlannedRow {
  readonly id: string
  /** Null for a memory that is highly sensitive. */
  readonly key: string | null
  readonly action: RestoreAction | 'keep'
  /** Why it is kept. */
  readonly reason: KeptReason | null
  readonly from: PlannedState
  /** Null when it did not exist. */
  readonly to: PlannedState | null
}

/** Answer of `namespaces.rollback` and of `undo`. */
export interface RestoreResult {
  readonly rows: readonly PlannedRow[]
  readonly nextCursor: string | null
  readonly counts: { readonly [Action in RestoreAction | 'keep']: number }
  /** Names what was written, for an `undo` of it; null for a plan, and when nothing was written. */
  readonly batch: string | null
  readonly dryRun: boolean
  readonly scope: Scope
}
