import type { MemoryRow, Status } from './records.js'
import type { Scope } from './scope.js'

/** A memory that stands beside others it cannot be reconciled with, nearest first. */
export interface Conflict {
  readonly row: MemoryRow
  readonly with: readonly MemoryRow[]
}

/** Answer of `conflicts.list`. */
export interface ConflictsResult {
  readonly conflicts: readonly Conflict[]
  /** Pass it back as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** Answer of `conflicts.resolve`. */
export interface ResolveResult {
  readonly id: string
  readonly key: string
  readonly status: Status
  /** Keys of the memories that were deleted by the decision. */
  readonly tombstoned: readonly string[]
  /** Keys of the memories that are no longer in conflict. */
  readonly settled: readonly string[]
  readonly dryRun: boolean
  readonly scope: Scope
}
