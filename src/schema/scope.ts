import * as z from 'zod/mini'
import { isWellFormed, MAX_ID_LENGTH } from './scalars.js'

const id = z.string('must be a string: pass String(id)').check(
  z.maxLength(MAX_ID_LENGTH),
  z.refine(isWellFormed, 'contains a lone surrogate'),
  z.refine((text) => !text.includes('\0'), 'contains NUL'),
)
/** An id that names one: of a bucket, not of all. */
export const ScopeId = id.check(
  z.minLength(1),
  z.refine((text) => text !== '*', "'*' reads across users and sessions only"),
)

/**
 * What a handle is narrowed to. `user: null` is the anonymous bucket; `'*'` as user or session reads across all of them and
 * never writes; the empty string as user or session reads nothing and never writes.
 */
export const ScopePatch = z.strictObject({
  /** Whose installation. Default `local`. */
  org: z.optional(ScopeId),
  /** A partition with policies of its own. Default `default`. */
  namespace: z.optional(ScopeId),
  /** The agent that writes; reads then see its rows and those of no agent. */
  agent: z.optional(ScopeId),
  /** The person the memories are about. */
  user: z.optional(z.nullable(id)),
  /** One conversation. */
  session: z.optional(id),
  /** Who wrote it: recorded, not part of the identity. */
  run: z.optional(ScopeId),
  /** `human:<subject>` or `process:<subject>`, stamped on every write of the handle. */
  actor: z.optional(id.check(z.regex(/^(human|process):.+$/su, 'must be human:<subject> or process:<subject>'))),
})
export type ScopePatch = z.infer<typeof ScopePatch>

/** Who can see a row: everyone of the namespace, one user, or one session. */
export const Tier = z.enum(['global', 'user', 'session'])
export type Tier = z.infer<typeof Tier>

/** Where a row stands. A missing level is unset; `user: null` is the anonymous bucket. */
export interface Scope {
  readonly org: string
  readonly namespace: string
  readonly agent?: string
  readonly user?: string | null
  readonly session?: string
}
