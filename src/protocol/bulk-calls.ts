import type {
  ApplyInput,
  ApplyResult,
  Inspection,
  PromoteOptions,
  PromoteResult,
  RelatedMemory,
  RelatedOptions,
} from '../schema/bulk.js'
import type { ConsolidateInput, ConsolidateResult } from '../schema/consolidation.js'
import type { Abortable } from './abortable.js'

/** Calls that look after many memories, or after all there is about one. */
export interface BulkCalls {
  /**
   * Delete, end, lock, label or demote all memories of this scope that a filter lets through. By default it only says what it would do:
   * `dryRun: false` does it, batch by batch. What is pinned or locked is not deleted, ended or demoted, and is named.
   *
   * Rejects with INVALID_ARGUMENT for a filter without a condition, FORBIDDEN for a handle that reads across users, and ABORTED
   * (details: how many were changed).
   *
   * ```ts
   * const preview = await memory.apply({ filter: { keyPrefix: 'trip/' }, action: 'delete' })
   * await memory.apply({ filter: { keyPrefix: 'trip/' }, action: 'delete', dryRun: false })
   * ```
   */
  readonly apply: (input: ApplyInput & Abortable) => Promise<ApplyResult>
  /**
   * Merge what this scope says of a subject into one memory per level of trust and type, with a sentence to a line. Its fragments stay as they
   * are. The merged memory is of type `summary` and source class `derived`, and names its sources; when one of them changes, goes or is
   * contradicted it is marked `conflicted`, when none is left it is deleted, and it heals when they come back. Fragments that exclude each
   * other, and what comes from outside without a person's attestation, stay out. No language model is asked; the same memories give
   * the same result, and a second run writes nothing.
   *
   * Rejects with INVALID_ARGUMENT for a subject without a name, FORBIDDEN for a handle that reads across users, EMBEDDING_FAILED, and
   * ABORTED (details: how many were written; another run goes on).
   *
   * ```ts
   * const { rows } = await memory.consolidate({ subject: 'Ada', dryRun: true })
   * await memory.consolidate({ subject: 'Ada' })
   * ```
   */
  readonly consolidate: (input: ConsolidateInput & Abortable) => Promise<ConsolidateResult>
  /**
   * Say for a user, or for all of them, what a memory of a session, or of a user, says; or for all agents what one keeps for itself. A handle of the wider tier does it, and names where
   * the memory stands. It is judged like any write there and names the narrower memory as its source, which becomes a duplicate of it.
   *
   * Rejects with NOT_FOUND, FORBIDDEN when the handle is not of the tier `to` or the memory is too sensitive for all users, LOCKED,
   * PINNED_CONFLICT, PRECONDITION_FAILED when another memory answers for it already, and as `set`.
   *
   * ```ts
   * await alice.promote('user/name', { to: 'user', from: { session: 's1' } })
   * ```
   */
  readonly promote: (key: string, options: PromoteOptions & Abortable) => Promise<PromoteResult>
  /**
   * Memories that have to do with the one under a key, each with why: what it contradicts, repeats, comes from or led to, what says
   * something close, and what names the same entities. Empty when there are none.
   *
   * ```ts
   * const related = await memory.related('user/diet', { limit: 5 })
   * ```
   */
  readonly related: (key: string, options?: RelatedOptions & Abortable) => Promise<readonly RelatedMemory[]>
  /**
   * Everything that is stored about the memory under a key, or null when nothing ever stood there.
   *
   * ```ts
   * const stored = await memory.inspect('user/diet')
   * ```
   */
  readonly inspect: (key: string, options?: Abortable) => Promise<Inspection | null>
}
