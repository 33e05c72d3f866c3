import type { RejectOptions, SetInput } from '../schema/calls.js'
import type { DecideResult } from '../schema/conflicts.js'
import type {
  BlacklistAddInput,
  BlacklistAddResult,
  BlacklistRemoveInput,
  BlacklistRemoveResult,
  BlacklistRule,
  GuardResult,
  LockOptions,
  UnlockOptions,
  UnpinInput,
} from '../schema/guards.js'
import type { WriteResult } from '../schema/records.js'
import type { Abortable } from './abortable.js'

/** What must not be written: rules of the handle's scope, which hold for narrower scopes as well. */
export interface BlacklistCalls {
  /**
   * Forbid a text or a pattern in keys, values and labels of writes. A `substring` is found in any case and Unicode form; a `regex` is
   * in RE2 syntax and runs in a worker of its own, in linear time and within a time box. `sweep` also deletes what matches already, up
   * to 1,000 memories, and leaves what is pinned or locked.
   *
   * Rejects with INVALID_ARGUMENT for a pattern that cannot be a rule, FORBIDDEN, QUOTA_EXCEEDED, WORKER_FAILED.
   *
   * ```ts
   * const { rule, sweep } = await memory.blacklist.add({ pattern: 'project falcon', patternType: 'substring', sweep: true })
   * ```
   */
  readonly add: (input: BlacklistAddInput & Abortable) => Promise<BlacklistAddResult>
  /** The rules that hold for writes of this handle, oldest first: its own and those of wider scopes. */
  readonly list: (options?: Abortable) => Promise<readonly BlacklistRule[]>
  /** Take a rule of this scope off. Rejects with NOT_FOUND, and with FORBIDDEN for a rule of a wider scope. */
  readonly remove: (input: BlacklistRemoveInput & Abortable) => Promise<BlacklistRemoveResult>
}

/** Calls that keep memories as they are, and keep out what must not be stored. */
export interface GuardCalls {
  /**
   * `set`, and keep it from being replaced: the value then changes by `update`, `updateById` and `pin` alone. A write that says
   * something else is refused with PINNED_CONFLICT, also under another key, or stored as a proposal with `onPinned: 'propose'`.
   *
   * Rejects as `set`.
   *
   * ```ts
   * await memory.pin({ key: 'user/allergy', value: 'The user is allergic to peanuts.' })
   * ```
   */
  readonly pin: (input: SetInput & Abortable) => Promise<WriteResult>
  /**
   * Let the memory under a key be replaced again. Rejects with NOT_FOUND when nothing lives there.
   *
   * ```ts
   * await memory.unpin({ key: 'user/allergy' })
   * ```
   */
  readonly unpin: (input: UnpinInput & Abortable) => Promise<GuardResult>
  /**
   * Keep the memory under a key as it is. `read_only` refuses another value, another end and deletion; `no_delete` only deletion.
   * Holds until `until`, or until it is taken off. Locking anew replaces one's own lock.
   *
   * Rejects with NOT_FOUND, INVALID_ARGUMENT for an end that has passed, and FORBIDDEN when another actor holds the lock.
   *
   * ```ts
   * await memory.lock('user/allergy', { mode: 'read_only', reason: 'confirmed by a doctor' })
   * ```
   */
  readonly lock: (key: string, options: LockOptions & Abortable) => Promise<GuardResult>
  /**
   * Take the lock off. Rejects with NOT_FOUND, and with FORBIDDEN when another actor holds it, unless `force` is given.
   *
   * ```ts
   * await memory.unlock('user/allergy')
   * ```
   */
  readonly unlock: (key: string, options?: UnlockOptions & Abortable) => Promise<GuardResult>
  /**
   * Mark the memory under a key as wrong: it is no longer served, and stays in history with the reason. The next `set` of the key is a
   * memory of its own.
   *
   * Rejects with NOT_FOUND when nothing lives there, LOCKED and PINNED_CONFLICT.
   *
   * ```ts
   * await memory.reject('user/home/city', 'She never lived there.')
   * ```
   */
  readonly reject: (key: string, reason: string, options?: RejectOptions & Abortable) => Promise<DecideResult>
  readonly blacklist: BlacklistCalls
}
