import * as z from 'zod/mini'
import { type JsonValue, MAX_TTL_SECONDS, Sha256, Value } from '../scalars.js'
import type { Scope } from '../scope.js'
import { Name, paging, writing } from './names.js'

/** A number that a lease has given with a grant; each grant gives a higher one. */
const Token = z.int().check(z.gte(1))

const options = {
  /** Leaves after so many seconds. */
  ttlSeconds: z.optional(z.number().check(z.positive(), z.lte(MAX_TTL_SECONDS))),
  /** Compare and set: write only if the value has this hash; null, only if there is none. Else `PRECONDITION_FAILED`. */
  ifMatchSha256: z.optional(z.nullable(Sha256)),
  /** Write only while no later grant of this lease was given, and it was not given back. Else `PRECONDITION_FAILED`. */
  fence: z.optional(z.strictObject({ lease: Name, token: Token })),
  ...writing,
}

/** Input of `working.set`. */
export const WorkingSetInput = z.strictObject({ name: Name, value: Value, ...options })
export type WorkingSetOptions = Omit<z.input<typeof WorkingSetInput>, 'name' | 'value'>

/** Input of `working.patch`. */
export const WorkingPatchInput = z.strictObject({ name: Name, patch: Value, ...options })
export type WorkingPatchOptions = Omit<z.input<typeof WorkingPatchInput>, 'name' | 'patch'>

/** Input of `working.get`. */
export const WorkingNameInput = z.strictObject({ name: Name })

/** Input of `working.delete`. */
export const WorkingTarget = z.strictObject({ name: Name, ...writing })
export type WorkingTargetOptions = Omit<z.input<typeof WorkingTarget>, 'name'>

/** Input of `working.list`. */
export const WorkingInput = z.strictObject(paging)
export type WorkingFilter = z.input<typeof WorkingInput>

/** A lease is for a day at most: who works longer renews it. */
const LeaseSeconds = z.number().check(z.gte(0.1), z.lte(86_400))

/** Input of `working.acquire`. */
export const AcquireInput = z.strictObject({
  lease: Name,
  /** How long it is held unless it is renewed. Default 30. */
  ttlSeconds: z._default(LeaseSeconds, 30),
  /** Who asks. The holder of that name gets it again, under a new token. Each call is somebody else where it is left out. */
  holder: z.optional(Name),
})
export type AcquireOptions = Omit<z.input<typeof AcquireInput>, 'lease'>

/** Input of `working.renew`. */
export const RenewInput = z.strictObject({ lease: Name, token: Token, ttlSeconds: z._default(LeaseSeconds, 30) })
export type RenewOptions = Omit<z.input<typeof RenewInput>, 'lease' | 'token'>

/** Input of `working.release`. */
export const ReleaseInput = z.strictObject({ lease: Name, token: Token })

/** A working value as it is read. Times are epoch milliseconds. */
export interface WorkingRow {
  readonly name: string
  readonly value: JsonValue
  readonly contentSha256: string
  readonly updatedAt: number
  readonly expiresAt: number | null
  /** Of the memory that holds it: `history` and the others take its key. */
  readonly key: string
  readonly id: string
  readonly version: string
  readonly scope: Scope
}

/** Answer of `working.list`: by name. */
export interface WorkingResult {
  readonly rows: readonly WorkingRow[]
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** Answer of the calls on leases. */
export interface LeaseResult {
  readonly lease: string
  /** Whether the caller holds it now. */
  readonly held: boolean
  /** Of the caller's grant, to be given as a fence; null where it is not held. */
  readonly token: number | null
  /** How long it is held from now, by whoever holds it; 0 where nobody does. Count it with a clock that is never set, such as `performance.now()`. */
  readonly remainingMs: number
  /** Who holds it, where somebody does. */
  readonly holder: string | null
}
