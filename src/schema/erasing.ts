import * as z from 'zod/mini'
import { ArchivePassphrase } from './archive.js'
import { IdempotencyKey, Instant, KeyPrefix, Label, MAX_KEY_LENGTH, MemoryId, Salt, Sha256, Text } from './scalars.js'
import { type Scope, ScopeId } from './scope.js'

const UserId = z.nullable(ScopeId)

const erasing = {
  /** Only memories that were written last before this instant. */
  before: z.optional(Instant),
  /** Why, kept with the receipt. */
  reason: z.optional(Label),
  idempotencyKey: z.optional(IdempotencyKey),
  /** Count what would go, and erase nothing. */
  dryRun: z.optional(z.boolean()),
}

/** Input of `forget`. */
export const ForgetInput = z
  .strictObject({
    /** Everything about a person: in every session, of every agent. Null for the anonymous ones. */
    user: z.optional(UserId),
    /** One conversation. */
    session: z.optional(ScopeId),
    /** A whole namespace with its rules and settings. */
    namespace: z.optional(ScopeId),
    /** Memories whose key begins so; alone, those of the handle's own scope. */
    keyPrefix: z.optional(KeyPrefix),
    ...erasing,
  })
  .check(
    z.refine((input) => [input.user, input.session, input.namespace, input.keyPrefix].some((given) => given !== undefined), {
      message: 'is missing, and so are session, namespace and keyPrefix: one of them says what to erase',
      path: ['user'],
    }),
    z.refine((input) => input.keyPrefix !== '', { message: 'is empty', path: ['keyPrefix'] }),
  )
export type ForgetInput = z.input<typeof ForgetInput>

export const UserInput = z.strictObject({ user: UserId })
export const UserEraseInput = z.strictObject({ user: UserId, ...erasing })
export type UserEraseOptions = Omit<z.input<typeof UserEraseInput>, 'user'>
export const UserExportInput = z.strictObject({
  user: UserId,
  passphrase: z.optional(ArchivePassphrase),
  includeSensitive: z.optional(z.boolean()),
})
export type UserExportOptions = Omit<z.input<typeof UserExportInput>, 'user'>

const Count = z.int().check(z.gte(0))

const Counts = z.strictObject({
  memories: Count,
  versions: Count,
  /** Stretches of text in the search index, each with its words and vectors. */
  passages: Count,
  /** Of other memories: links that were taken off, reasons that quoted, and merged memories that repeated it. */
  links: Count,
  quotes: Count,
  merged: Count,
  /** Rows of the audit whose hashes were taken out. */
  audit: Count,
  /** Kept results of repeated requests. */
  results: Count,
  usage: Count,
  rules: Count,
  settings: Count,
  identities: Count,
})

/** What was found of what was to be erased. */
export type ErasureCounts = Readonly<z.infer<typeof Counts>>

/** What was erased there, by salted hashes: names what must not come back without saying what it was. */
export const ArchivedErasure = z.strictObject({
  id: MemoryId,
  at: z.int(),
  /** What began up to here is gone: nanoseconds as decimal text. */
  ver: z.string().check(z.regex(/^\d{1,19}$/, 'is not a version')),
  /** Only what was written last before, epoch milliseconds; null for all. */
  before: z.nullable(z.int()),
  kind: z.enum(['user', 'session', 'namespace', 'keys']),
  actor: Text.check(z.minLength(1), z.maxLength(1_024)),
  reason: z.nullable(Label),
  salt: Salt,
  levels: z.array(z.enum(['org', 'namespace', 'agent', 'user', 'session'])).check(z.minLength(2), z.maxLength(5)),
  target: Sha256,
  room: Sha256,
  prefix: z.nullable(Sha256),
  prefixLength: z.nullable(z.int().check(z.gte(1), z.lte(MAX_KEY_LENGTH))),
  counts: Counts,
})
export type ArchivedErasure = z.infer<typeof ArchivedErasure>

/** What an erasure could not reach. */
export type NotReached = 'exports' | 'backups' | 'other_devices' | 'damaged_copies' | 'file_space'

/** What was erased, without what it was. */
export interface Erasure {
  readonly id: string
  readonly at: number
  /** What it was about. */
  readonly kind: 'user' | 'session' | 'namespace' | 'keys'
  readonly actor: string
  readonly reason: string | null
  /** `pending` until the last step is done; the next opening goes on with it. */
  readonly state: 'done' | 'pending'
  readonly counts: ErasureCounts
  /**
   * `exports`: archives that were made before. `backups`: copies of the browser's profile. `other_devices`: until they have heard of it.
   * `damaged_copies`: files that were put aside as damaged. `file_space`: the disk was too full to write the file anew; the next opening tries again.
   */
  readonly notReached: readonly NotReached[]
}

/** Answer of `forget`. */
export interface ForgetResult extends Omit<Erasure, 'id'> {
  /** Null when nothing was erased, as in a dry run. */
  readonly id: string | null
  readonly dryRun: boolean
  readonly scope: Scope
}

/** Answer of `erasures.list`, newest first. */
export interface ErasuresResult {
  readonly erasures: readonly Erasure[]
  readonly scope: Scope
}

/** Answer of `users.profile`: what is held about somebody, in numbers. */
export interface UserProfile {
  readonly user: string | null
  readonly memories: number
  readonly versions: number
  /** Of the texts and all that describes them, in all versions, in bytes. */
  readonly bytes: number
  readonly byType: Readonly<Record<string, number>>
  readonly byStatus: Readonly<Record<string, number>>
  readonly sessions: number
  readonly agents: readonly string[]
  readonly firstAt: number | null
  readonly lastAt: number | null
  readonly scope: Scope
}
