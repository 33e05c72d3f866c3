import type { RemoveResult } from '../schema/neighbours/profile.js'
import type {
  AcquireOptions,
  LeaseResult,
  RenewOptions,
  WorkingFilter,
  WorkingPatchOptions,
  WorkingResult,
  WorkingRow,
  WorkingSetOptions,
  WorkingTargetOptions,
} from '../schema/neighbours/working.js'
import type { JsonValue } from '../schema/scalars.js'
import type { Abortable } from './abortable.js'

/** What changes with each step: a plan, a cursor, "where was I". Never embedded and in no search. */
export interface WorkingCalls {
  /**
   * Put a value under a name. `ifMatchSha256` makes it a compare-and-set, `ttlSeconds` lets it leave by itself, `fence` refuses who has lost a
   * lease meanwhile.
   *
   * Rejects with PRECONDITION_FAILED (details: the hash of what stands there), INVALID_ARGUMENT, FORBIDDEN, LOCKED, PINNED_CONFLICT,
   * BLACKLISTED, STORAGE_FULL.
   *
   * ```ts
   * await memory.working.set('plan', { step: 1, of: 4 }, { ttlSeconds: 3600 })
   * ```
   */
  readonly set: (name: string, value: JsonValue, options?: WorkingSetOptions & Abortable) => Promise<WorkingRow>
  /**
   * Change parts of a value by a JSON merge patch (RFC 7396): fields given replace, null takes a field away, all others stay. Nothing there
   * counts as `{}`; an end stays unless `ttlSeconds` gives another.
   *
   * Rejects as `set`.
   *
   * ```ts
   * await memory.working.patch('plan', { step: 2 })
   * ```
   */
  readonly patch: (name: string, patch: JsonValue, options?: WorkingPatchOptions & Abortable) => Promise<WorkingRow>
  /**
   * What stands under a name, or null; of several tiers the nearest answers.
   *
   * ```ts
   * const plan = await memory.working.get('plan')
   * ```
   */
  readonly get: (name: string, options?: Abortable) => Promise<WorkingRow | null>
  /** Everything that the handle may read, by name, a page at a time. */
  readonly list: (filter?: WorkingFilter & Abortable) => Promise<WorkingResult>
  /** Delete what the handle's own scope has under a name. */
  readonly delete: (name: string, options?: WorkingTargetOptions & Abortable) => Promise<RemoveResult>
  /**
   * Take a lease: while one caller holds it, in whatever tab, no other gets it. `held` says whether it was given; if not, `remainingMs` says when
   * to ask again. A lease is of this device, and of the handle's own scope.
   *
   * When the clock is set forward a lease may end early: give its `token` as `fence` to the writes that depend on it.
   *
   * ```ts
   * const { held, token } = await memory.working.acquire('nightly-summary', { ttlSeconds: 60 })
   * if (held && token !== null) await memory.working.set('summary', 'started', { fence: { lease: 'nightly-summary', token } })
   * ```
   */
  readonly acquire: (lease: string, options?: AcquireOptions & Abortable) => Promise<LeaseResult>
  /** Hold a lease for longer, counted from now. `held` is false when somebody else has held it since, or it was given back. */
  readonly renew: (lease: string, token: number, options?: RenewOptions & Abortable) => Promise<LeaseResult>
  /** Give a lease back. Nothing happens when somebody else has held it since. */
  readonly release: (lease: string, token: number, options?: Abortable) => Promise<LeaseResult>
}
