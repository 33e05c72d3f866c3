import type {
  LabelOptions,
  ProfileFilter,
  ProfileResult,
  ProfileRow,
  ProfileSetOptions,
  RemoveResult,
} from '../schema/neighbours/profile.js'
import type { JsonValue } from '../schema/scalars.js'
import type { Abortable } from './abortable.js'

/** What is always loaded: a persona, preferences. Fetched by label, never embedded and in no search. */
export interface ProfileCalls {
  /**
   * Put a value under a label; the one before stays in history.
   *
   * Rejects with INVALID_ARGUMENT, FORBIDDEN, LOCKED, PINNED_CONFLICT, BLACKLISTED, PRECONDITION_FAILED, STORAGE_FULL.
   *
   * ```ts
   * await memory.profile.set('tone', 'Short sentences, no exclamation marks.')
   * ```
   */
  readonly set: (label: string, value: JsonValue, options?: ProfileSetOptions & Abortable) => Promise<ProfileRow>
  /**
   * What stands under a label, or null; of several tiers the nearest answers.
   *
   * Rejects with AMBIGUOUS_KEY as `get` of a memory.
   *
   * ```ts
   * const tone = await memory.profile.get('tone')
   * ```
   */
  readonly get: (label: string, options?: Abortable) => Promise<ProfileRow | null>
  /**
   * Everything that the handle may read, by label, a page at a time.
   *
   * ```ts
   * const { rows } = await memory.profile.list()
   * ```
   */
  readonly list: (filter?: ProfileFilter & Abortable) => Promise<ProfileResult>
  /**
   * Delete what the handle's own scope has under a label. It can be restored for 14 days by its key.
   *
   * ```ts
   * await memory.profile.delete('tone')
   * ```
   */
  readonly delete: (label: string, options?: LabelOptions & Abortable) => Promise<RemoveResult>
}
