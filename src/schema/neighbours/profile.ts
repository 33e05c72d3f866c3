import * as z from 'zod/mini'
import type { Status } from '../records.js'
import { type JsonValue, Sha256, Value } from '../scalars.js'
import type { Scope } from '../scope.js'
import { Name, paging, writing } from './names.js'

/** Input of `profile.set`. */
export const ProfileSetInput = z.strictObject({
  label: Name,
  value: Value,
  /** Write only if the value still has this hash, else `PRECONDITION_FAILED`. */
  ifMatchSha256: z.optional(Sha256),
  ...writing,
})
export type ProfileSetOptions = Omit<z.input<typeof ProfileSetInput>, 'label' | 'value'>

/** Input of `profile.get`. */
export const LabelInput = z.strictObject({ label: Name })

/** Input of `profile.delete`. */
export const LabelTarget = z.strictObject({ label: Name, ...writing })
export type LabelOptions = Omit<z.input<typeof LabelTarget>, 'label'>

/** Input of `profile.list`. */
export const ProfileInput = z.strictObject(paging)
export type ProfileFilter = z.input<typeof ProfileInput>

/** What stands under a label. Times are epoch milliseconds. */
export interface ProfileRow {
  readonly label: string
  readonly value: JsonValue
  readonly contentSha256: string
  readonly status: Status
  readonly updatedAt: number
  /** Of the memory that holds it: `history`, `lock` and the others take its key. */
  readonly key: string
  readonly id: string
  readonly version: string
  readonly scope: Scope
}

/** Answer of `profile.list`: by label. */
export interface ProfileResult {
  readonly rows: readonly ProfileRow[]
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** Answer of a delete. */
export interface RemoveResult {
  readonly found: boolean
  readonly scope: Scope
}
