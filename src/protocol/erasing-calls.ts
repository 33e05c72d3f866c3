import type {
  ErasuresResult,
  ForgetInput,
  ForgetResult,
  UserEraseOptions,
  UserExportOptions,
  UserProfile,
} from '../schema/erasing.js'
import type { Abortable } from './abortable.js'

/** What was erased. */
export interface ErasureCalls {
  /**
   * Receipts of what was erased, newest first: of the handle's own scope, or of its whole namespace where it is bound to no user, session or
   * agent. They do not say whom or what it was about.
   *
   * ```ts
   * const { erasures } = await memory.erasures.list()
   * ```
   */
  readonly list: (options?: Abortable) => Promise<ErasuresResult>
}

/** Everything about one person. `null` stands for the anonymous ones. */
export interface UserCalls {
  /**
   * What is held about a person, in numbers: memories, versions, bytes, sessions. No value and no key.
   *
   * Rejects with FORBIDDEN when the handle is bound to another user.
   *
   * ```ts
   * const { memories, bytes } = await memory.users.profile('alice')
   * ```
   */
  readonly profile: (user: string | null, options?: Abortable) => Promise<UserProfile>
  /**
   * An archive of what belongs to a person and nothing else, as `export` makes it. Rejects as `profile` and `export`.
   *
   * ```ts
   * const archive = await memory.users.export('alice')
   * ```
   */
  readonly export: (user: string | null, options?: UserExportOptions & Abortable) => Promise<Blob>
  /**
   * Erases everything about a person, or what was last written `before` an instant, as `forget({ user })` does. Rejects as `forget`.
   *
   * ```ts
   * const receipt = await memory.users.erase('alice')
   * ```
   */
  readonly erase: (user: string | null, options?: UserEraseOptions & Abortable) => Promise<ForgetResult>
}

/** Calls that erase. */
export interface ErasingCalls {
  /**
   * Erases for good: everything about a user, a session or a namespace, or the memories whose keys begin in some way. History, vectors, words,
   * kept results and the hashes of the audit go too, and the file is written anew; other memories lose their links to it. What stays is a
   * receipt that says how much and not what, and by which an import knows what must not come back. A later `set` begins anew.
   *
   * It goes in recorded steps: once it has begun it is carried to its end, by the next opening if need be, and an abort does not stop it.
   *
   * Rejects with INVALID_ARGUMENT when nothing is named, and with FORBIDDEN when the handle is bound to something else.
   *
   * ```ts
   * const { counts, notReached } = await memory.forget({ user: 'alice', reason: 'asked for it' })
   * ```
   */
  readonly forget: (input: ForgetInput & Abortable) => Promise<ForgetResult>
  readonly erasures: ErasureCalls
  readonly users: UserCalls
}
