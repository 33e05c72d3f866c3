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

/** A memory on trial, with what it stands against. */
export interface Proposal {
  readonly row: MemoryRow
  readonly against: readonly MemoryRow[]
}

/** Answer of `proposals.list`. */
export interface ProposalsResult {
  readonly proposals: readonly Proposal[]
  /** Pass it back as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** Answer of `proposals.decide` and of `reject`. */
export interface DecideResult {
  readonly id: string
  readonly key: string
  readonly version: string
  /** `active`, `conflicted` when it was accepted while it is contradicted, or `rejected`. */
  readonly status: Status
  readonly dryRun: boolean
  readonly scope: Scope
}
