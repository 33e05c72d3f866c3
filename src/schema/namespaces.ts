import * as z from 'zod/mini'
import type { Status } from './records.js'
import { IdempotencyKey, Label, MAX_TTL_SECONDS, Share } from './scalars.js'

/** What a namespace does with statements that meet. */
export const ConflictPolicy = z.enum(['auto_reinforce', 'manual_review', 'newest_wins', 'append_only'])
export type ConflictPolicy = z.infer<typeof ConflictPolicy>

const Thresholds = z
  .strictObject({
    /** Cosine from which two statements may be one, where their words and values agree. */
    duplicate: z.optional(Share),
    /** Cosine from which two statements are about the same thing. */
    conflict: z.optional(Share),
  })
  .check(
    z.refine(({ duplicate, conflict }) => duplicate === undefined || conflict === undefined || conflict <= duplicate, {
      message: 'must not be above duplicate',
      path: ['conflict'],
    }),
  )

const Attribute = z.strictObject({
  /** As it is said before the verb: `mascot` in "The team's mascot is a heron". */
  attribute: Label,
  /** Whether a subject has one of it at a time, so that another value takes the place of the one before. */
  cardinality: z.enum(['one', 'many']),
})

const Retention = z.strictObject({
  /** A memory leaves service so long after it was last written. Its own end holds where it is sooner. */
  ttlSeconds: z.int().check(z.gte(1), z.lte(MAX_TTL_SECONDS)),
  /** What becomes of it then. Default `hide`. */
  onExpire: z.optional(z.enum(['tombstone', 'hide'])),
})

const judging = { conflictPolicy: z.optional(ConflictPolicy), thresholds: z.optional(Thresholds) }

const settings = {
  defaultConflictPolicy: z.optional(z.nullable(ConflictPolicy)),
  /** In place of what was measured of the embedder. */
  thresholds: z.optional(z.nullable(Thresholds)),
  /** What holds for one type of memories, by its name. */
  types: z.optional(
    z.nullable(
      z
        .record(Label, z.strictObject(judging))
        .check(z.refine((types) => Object.keys(types).length <= 64, { message: 'has more than 64 types' })),
    ),
  ),
  attributes: z.optional(z.nullable(z.array(Attribute).check(z.maxLength(256)))),
  /** A window over all memories of the namespace. Without one, nothing leaves by age. */
  retention: z.optional(z.nullable(Retention)),
  /** What holds for memories that carry a tag, written in this case. Of several tags the first that settles something decides. */
  tagRegistry: z.optional(
    z.nullable(
      z
        .record(Label, z.strictObject({ ...judging, retention: z.optional(Retention) }))
        .check(z.refine((tags) => Object.keys(tags).length <= 64, { message: 'has more than 64 tags' })),
    ),
  ),
}

const Namespace = z.optional(Label)

/** Input of `namespaces.register`: each setting that is given replaces the one before, null takes it away. */
export const RegisterInput = z.strictObject({
  /** Default the namespace of the handle. */
  namespace: Namespace,
  ...settings,
  idempotencyKey: z.optional(IdempotencyKey),
  dryRun: z.optional(z.boolean()),
})
export type RegisterInput = z.input<typeof RegisterInput>

/** Input of `namespaces.get`. */
export const NamespaceInput = z.strictObject({ namespace: Namespace })
export type NamespaceOptions = z.input<typeof NamespaceInput>

/** Input of `namespaces.audit`. */
export const AuditInput = z.strictObject({
  namespace: Namespace,
  /** Memories named per finding. */
  limit: z._default(z.int().check(z.gte(1), z.lte(1000)), 100),
})
export type AuditOptions = z.input<typeof AuditInput>

/** How long memories stay in service after they were last written. */
export interface RetentionWindow {
  readonly ttlSeconds: number
  readonly onExpire?: 'tombstone' | 'hide'
}

interface OwnPolicy {
  readonly conflictPolicy?: ConflictPolicy
  readonly thresholds?: { readonly duplicate?: number; readonly conflict?: number }
}

/** What a namespace has settled; what is missing is as the product decides. */
export interface NamespaceSettings {
  readonly defaultConflictPolicy?: ConflictPolicy
  readonly thresholds?: { readonly duplicate?: number; readonly conflict?: number }
  readonly types?: Readonly<Record<string, OwnPolicy>>
  readonly attributes?: readonly { readonly attribute: string; readonly cardinality: 'one' | 'many' }[]
  readonly retention?: RetentionWindow
  readonly tagRegistry?: Readonly<Record<string, OwnPolicy & { readonly retention?: RetentionWindow }>>
}

/** Answer of `namespaces.get` and `namespaces.register`. */
export interface NamespaceReport extends NamespaceSettings {
  readonly org: string
  readonly namespace: string
  readonly defaultConflictPolicy: ConflictPolicy
  /** Memories that the handle may read, by status. */
  readonly memories: Readonly<Partial<Record<Status, number>>>
  /** When it was last registered, epoch milliseconds, or null. */
  readonly registeredAt: number | null
  readonly registeredBy: string | null
  readonly dryRun: boolean
}

/** What `namespaces.audit` looks for. */
export type FindingKind =
  | 'hash_keys'
  | 'numbered_keys'
  | 'confusable_keys'
  | 'multi_fact'
  | 'open_conflicts'
  | 'open_proposals'
  | 'unjudged'
  | 'never_recalled'

/** One kind of thing that is worth a look. */
export interface Finding {
  readonly kind: FindingKind
  /** What it is and what to do about it, in a sentence. */
  readonly advice: string
  readonly count: number
  readonly memories: readonly { readonly id: string; readonly key: string }[]
}

/** Answer of `namespaces.audit`. */
export interface AuditReport {
  readonly namespace: string
  readonly looked: number
  readonly findings: readonly Finding[]
}
