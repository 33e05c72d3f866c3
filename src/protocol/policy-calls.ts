import type { ConflictsFilter, DecideInput } from '../schema/calls.js'
import type { DecideResult, ProposalsResult } from '../schema/conflicts.js'
import type { RestoreResult, RollbackInput } from '../schema/going-back.js'
import type { AuditOptions, AuditReport, NamespaceOptions, NamespaceReport, RegisterInput } from '../schema/namespaces.js'
import type { Abortable } from './abortable.js'

/** Memories on trial: stored, found only when asked for, believed once somebody accepts them. */
export interface ProposalCalls {
  /**
   * Proposals that the handle may read, newest first, a page at a time, each with the live memories it stands against.
   *
   * ```ts
   * const { proposals } = await memory.proposals.list()
   * ```
   */
  readonly list: (filter?: ConflictsFilter & Abortable) => Promise<ProposalsResult>
  /**
   * End the trial. `accept`: it is believed from now on, marked as in conflict while what it stands against lives. `reject`: it is marked
   * wrong, and stays in history.
   *
   * Rejects with NOT_FOUND when no proposal has this id, and with FORBIDDEN when the handle may not change it.
   *
   * ```ts
   * await memory.proposals.decide({ id: row.id, action: 'accept' })
   * ```
   */
  readonly decide: (input: DecideInput & Abortable) => Promise<DecideResult>
}

/** What holds for all memories of a namespace. */
export interface NamespaceCalls {
  /**
   * Settle how a namespace is judged and how long it keeps what it holds: its policy, its thresholds, what holds for one type or one tag, how
   * many values an attribute has, and windows after which memories leave service. What is left out stays as it is; null takes it away.
   * Policies hold for what is written from then on, windows for what stands there too, at once.
   *
   * Rejects with INVALID_ARGUMENT, and with FORBIDDEN for a handle of a user or session, since it holds for all of them.
   *
   * ```ts
   * await memory.namespaces.register({ defaultConflictPolicy: 'newest_wins' })
   * ```
   */
  readonly register: (input: RegisterInput & Abortable) => Promise<NamespaceReport>
  /** What a namespace has settled, and how many memories of it the handle may read. */
  readonly get: (options?: NamespaceOptions & Abortable) => Promise<NamespaceReport>
  /**
   * Look over all live memories of a namespace that the handle may read: keys that say nothing, several facts under one key, what waits
   * for a decision, what no search has found. Changes nothing; each finding says what to do about it.
   *
   * ```ts
   * const { findings } = await memory.namespaces.audit()
   * ```
   */
  readonly audit: (options?: AuditOptions & Abortable) => Promise<AuditReport>
  /**
   * Bring every memory of the handle's own scope back to what it was at an instant, by new versions: exactly those that the handle may
   * change, so none of a wider or narrower scope. What is locked or pinned, and what was scrubbed, is left and told. A plan unless
   * `dryRun: false` is given; more than 2,000 memories go in steps, and the next opening finishes what this one did not.
   *
   * Rejects with INVALID_ARGUMENT and FORBIDDEN; aborted between two steps with ABORTED, whose details tell how many were brought back.
   *
   * ```ts
   * const { counts } = await memory.namespaces.rollback({ to: '2026-03-01T09:00:00Z' })
   * ```
   */
  readonly rollback: (input: RollbackInput & Abortable) => Promise<RestoreResult>
}
