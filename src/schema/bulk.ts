import * as z from 'zod/mini'
import type { MemoryRow, Status, WriteResult } from './records.js'
import { IdempotencyKey, Instant, Key, KeyPrefix, Label, MAX_TTL_SECONDS, Share } from './scalars.js'
import type { Scope } from './scope.js'
import type { UsageReport } from './usage.js'

const Labels = z.array(Label).check(z.minLength(1), z.maxLength(64))

const ApplyFilter = z
  .strictObject({
    keyPrefix: z.optional(KeyPrefix),
    type: z.optional(Label),
    /** All of them must be there, in this case. */
    tags: z.optional(Labels),
    sourceClass: z.optional(z.enum(['asserted', 'extracted', 'observed', 'derived', 'imported', 'external'])),
    minConfidence: z.optional(Share),
    includeDuplicates: z.optional(z.boolean()),
    includeProposed: z.optional(z.boolean()),
  })
  .check(
    // A condition that was meant and came out undefined would otherwise mean all memories.
    z.refine(
      ({ keyPrefix, type, tags, sourceClass, minConfidence }) =>
        [keyPrefix, type, tags, sourceClass, minConfidence].some((given) => given !== undefined),
      { message: 'needs keyPrefix, type, tags, sourceClass or minConfidence' },
    ),
  )

/** Options that go with one action each. */
const OWN_OPTIONS = {
  delete: [],
  expire: ['expiresAt'],
  lock: ['mode', 'reason', 'until', 'ttlSeconds'],
  label: ['addTags', 'removeTags'],
  demote: ['confidence'],
} as const

/** Input of `apply`. */
export const ApplyInput = z
  .strictObject({
    filter: ApplyFilter,
    action: z.enum(['delete', 'expire', 'lock', 'label', 'demote']),
    /** With `expire`: when they leave service. Default now. */
    expiresAt: z.optional(Instant),
    /** With `lock`, as there. */
    mode: z.optional(z.enum(['read_only', 'no_delete'])),
    reason: z.optional(Label),
    until: z.optional(Instant),
    ttlSeconds: z.optional(z.number().check(z.positive(), z.lte(MAX_TTL_SECONDS))),
    /** With `label`. */
    addTags: z.optional(Labels),
    removeTags: z.optional(Labels),
    /** With `demote`: what their confidence is lowered to, where it is higher. Default 0.5. */
    confidence: z.optional(Share),
    /** Only says what would be done. Default true. */
    dryRun: z._default(z.boolean(), true),
    idempotencyKey: z.optional(IdempotencyKey),
  })
  .check((context) => {
    const { action } = context.value
    const refuse = (path: string, message: string): void =>
      void context.issues.push({ code: 'custom', input: undefined, path: [path], message })
    for (const [owner, options] of Object.entries(OWN_OPTIONS))
      for (const option of options)
        if (owner !== action && context.value[option] !== undefined) refuse(option, `goes with ${owner} only`)
    const { mode, reason, until, ttlSeconds, addTags, removeTags } = context.value
    if (action === 'lock' && mode === undefined) refuse('mode', 'is missing')
    if (action === 'lock' && reason === undefined) refuse('reason', 'is missing')
    if (action === 'lock' && until !== undefined && ttlSeconds !== undefined)
      refuse('ttlSeconds', 'give until or ttlSeconds, not both')
    if (action === 'label' && addTags === undefined && removeTags === undefined) refuse('addTags', 'is missing')
  })
export type ApplyInput = z.input<typeof ApplyInput>

const Id = Label.check(z.refine((text) => text !== '*', "'*' reads across users and sessions only"))

/** Input of `promote`. */
export const PromoteInput = z
  .strictObject({
    key: Key,
    /** The tier of the handle, which the memory is written to. */
    to: z.enum(['session', 'user', 'global']),
    /** In which narrower scope it stands: of one user or session, or private to one agent. */
    from: z.strictObject({ agent: z.optional(Id), user: z.optional(z.nullable(Id)), session: z.optional(Id) }).check(
      z.refine((from) => Object.values(from).some((level) => level !== undefined), {
        message: 'needs agent, user or session',
      }),
    ),
    idempotencyKey: z.optional(IdempotencyKey),
    dryRun: z.optional(z.boolean()),
  })
  .check(
    z.refine(({ to, from }) => to !== 'session' || from.agent !== undefined, {
      message: 'is the narrowest tier: only what is private to an agent can be promoted to it',
      path: ['to'],
    }),
  )
export type PromoteOptions = Omit<z.input<typeof PromoteInput>, 'key'>

/** Input of `related`. */
export const RelatedInput = z.strictObject({
  key: Key,
  limit: z._default(z.int().check(z.gte(1), z.lte(100)), 10),
})
export type RelatedOptions = Omit<z.input<typeof RelatedInput>, 'key'>

/** Why `apply` leaves a memory alone. `full`: it has as many tags as one may have. */
export type KeptWhy = 'locked' | 'pinned' | 'full'

/** Answer of `apply`. */
export interface ApplyResult {
  readonly action: 'delete' | 'expire' | 'lock' | 'label' | 'demote'
  /** True when nothing was done, and this only says what would be. */
  readonly dryRun: boolean
  /** Memories of this scope that the filter lets through. */
  readonly matched: number
  readonly changed: number
  /** They are so already. */
  readonly unchanged: number
  /** Changed by somebody else while it ran, so that the filter lets them through no more. */
  readonly gone: number
  /** How many were left alone, by why. What is `sensitive` is reached by its key only. */
  readonly kept: Readonly<Record<KeptWhy | 'sensitive', number>>
  /** The first that change, as they were. */
  readonly rows: readonly { readonly id: string; readonly key: string; readonly status: Status }[]
  /** The first that were left alone. */
  readonly left: readonly { readonly id: string; readonly key: string; readonly why: KeptWhy }[]
  readonly scope: Scope
}

/** Answer of `promote`: that of the write in the wider scope, with what became of the narrower memory. */
export interface PromoteResult extends WriteResult {
  readonly from: { readonly id: string; readonly key: string; readonly status: Status; readonly scope: Scope }
}

/** Why a memory is related to another. */
export type RelatedWhy = 'conflict' | 'duplicate' | 'lineage' | 'vector' | 'entities'

/** A memory that has to do with another. */
export interface RelatedMemory {
  readonly row: MemoryRow
  readonly why: readonly RelatedWhy[]
  /** Cosine of the nearest passages, or null where they are not close. */
  readonly similarity: number | null
  /** Entities that both name. */
  readonly shared: readonly string[]
}

/** Answer of `inspect`: everything that is stored about one memory. */
export interface Inspection {
  readonly row: MemoryRow
  /** Versions of it, this one included. */
  readonly versions: number
  /** Stretches of its value that searches find it by. */
  readonly passages: number
  /** How many of them have a vector, by the id of the embedder. */
  readonly vectors: readonly { readonly embedder: string; readonly passages: number }[]
  /** Ids of memories that stand as its duplicates, and of those that name it as their source. */
  readonly duplicates: readonly string[]
  readonly derived: readonly string[]
  readonly usage: UsageReport
  /** How often searches have found it, and when last, roughly. */
  readonly recalls: number
  readonly recalledAt: number | null
  /** When it leaves service, or has left it, by its own end or by a window; epoch milliseconds, or null. */
  readonly leavesAt: number | null
  /** Whether its lock is in force now. */
  readonly locked: boolean
  /** Whether it was stored without being weighed against others, and still waits for that. */
  readonly unjudged: boolean
  /** Rows of the audit that name it. */
  readonly audited: number
  readonly scope: Scope
}
