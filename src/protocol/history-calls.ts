import type { HistoryOptions } from '../schema/calls.js'
import type { RestoreResult, UndoInput } from '../schema/going-back.js'
import type {
  DiffOptions,
  DiffResult,
  RedactOptions,
  RedactResult,
  TimelineInput,
  TimelineResult,
  VerifyHistoryOptions,
  VerifyReport,
} from '../schema/history.js'
import type { HistoryEntry } from '../schema/records.js'
import type { Abortable } from './abortable.js'

/** Calls that read what memories were, and bring it back. */
export interface HistoryCalls {
  /** All versions under a key, newest first, those of earlier lineages included. */
  readonly history: (key: string, options?: HistoryOptions & Abortable) => Promise<readonly HistoryEntry[]>
  /**
   * What differs between two versions under a key, by default the newest and the one before it: each field that changed, and for texts
   * the words that went and came.
   *
   * Rejects with NOT_FOUND when nothing ever stood under the key, or no version is the one that is named.
   *
   * ```ts
   * const { changes, words } = await memory.diff('user/home/city')
   * ```
   */
  readonly diff: (key: string, options?: DiffOptions & Abortable) => Promise<DiffResult>
  /**
   * All versions of the memories under a key or a prefix, about a subject, or that name an entity, in the order in which they were
   * written, a page at a time: who did what, and which value stood before and after.
   *
   * Rejects with INVALID_ARGUMENT unless exactly one of them is given.
   *
   * ```ts
   * const { events } = await memory.timeline({ entity: 'Billing Service' })
   * ```
   */
  readonly timeline: (input: TimelineInput & Abortable) => Promise<TimelineResult>
  /**
   * Take back what a run, an origin, one bulk write or the last writes of this scope did: what stood before is written again, as new
   * versions. What somebody else has written since is left and told. A plan unless `dryRun: false` is given.
   *
   * Rejects with NOT_FOUND for a batch that is none of this scope, INVALID_ARGUMENT, FORBIDDEN; aborted between two steps with ABORTED.
   *
   * ```ts
   * const { rows, counts } = await memory.undo({ lastN: 1, dryRun: false })
   * ```
   */
  readonly undo: (input: UndoInput & Abortable) => Promise<RestoreResult>
  /**
   * Scrub the value that one version holds: that version, others of the memory that carry the value, its words, vectors, hashes and
   * kept results are gone for good, and the file is written anew. When and why stays on record, and the hash chain verifies. A memory
   * that still says it is deleted in the same step: give it a new value first to keep it.
   *
   * Rejects with NOT_FOUND, LOCKED, and with FORBIDDEN when the handle may read the version but not change it.
   *
   * ```ts
   * await memory.redact('user/phone', version, 'She asked for it.')
   * ```
   */
  readonly redact: (
    key: string,
    version: string,
    reason: string,
    options?: RedactOptions & Abortable,
  ) => Promise<RedactResult>
  /**
   * Hold every version that this handle may read against the hashes it was sealed with. Redacted versions verify as well.
   *
   * Rejects with ABORTED when it is stopped.
   *
   * ```ts
   * const { ok, broken } = await memory.verifyHistory()
   * ```
   */
  readonly verifyHistory: (options?: VerifyHistoryOptions & Abortable) => Promise<VerifyReport>
}
