import * as z from 'zod/mini'
import type { VersionBody } from './records.js'
import { isWellFormed, keyProblem, Label, MAX_ID_LENGTH, MemoryId, Salt, Sha256, Share, Text, Value } from './scalars.js'

/** Device and its gapless counter. A device that was lost with a damaged file has a name of its own. */
export const RowId = z.string().check(z.regex(/^(?:[0-9a-f]{16}|lost-\d{1,9})\.[1-9]\d{0,9}$/, 'is not a row id'))

const id = z.string().check(
  z.minLength(1),
  z.maxLength(MAX_ID_LENGTH),
  z.refine((text) => isWellFormed(text) && !text.includes('\0') && text !== '*'),
)

/** Where a row stands, as rows say it: levels that are not there are unset. */
export const RowScope = z.strictObject({
  org: id,
  namespace: id,
  agent: z.exactOptional(id),
  user: z.exactOptional(z.nullable(id)),
  session: z.exactOptional(id),
})

const Time = z.int().check(z.gte(-8_640_000_000_000_000), z.lte(8_640_000_000_000_000))
const StoredStatus = z.enum(['active', 'conflicted', 'duplicate', 'superseded', 'proposed', 'rejected', 'tombstoned'])

/**
 * A version on its way out of a store or into one: what an archive holds, one to a line. Its identity is `id`; its body is the text
 * that was stored, byte for byte, since the commitment covers those bytes.
 */
export const Row = z.strictObject({
  id: RowId,
  /** Nanoseconds as decimal text: beyond what a JSON number holds exactly. */
  ver: z.string().check(z.regex(/^[1-9]\d{0,18}$/, 'is not a version')),
  kind: z.enum(['set', 'tomb', 'restore']),
  memory: MemoryId,
  scope: RowScope,
  parents: z.array(RowId).check(z.maxLength(8)),
  human: z.boolean(),
  /** Null once it was redacted; the salt goes with it. */
  body: z.nullable(z.string()),
  salt: z.nullable(Salt),
  commitment: Sha256,
  prev: z.nullable(Sha256),
  sha256: Sha256,
  /** Who has redacted it when and why, and what is left to tell of it. */
  redacted: z.exactOptional(
    z.strictObject({
      at: Time,
      actor: Text.check(z.minLength(1), z.maxLength(1_024)),
      reason: Label,
      writtenAt: Time,
      status: StoredStatus,
    }),
  ),
})
export type Row = z.infer<typeof Row>

const Word = z.optional(z.nullable(Text.check(z.maxLength(65_536))))
const Labels = z.optional(z.array(Text.check(z.minLength(1), z.maxLength(1_024))).check(z.maxLength(256)))
const Ids = z.optional(z.array(MemoryId).check(z.maxLength(64)))
const OptionalTime = z.optional(z.nullable(Time))
const OptionalPrecision = z.optional(z.nullable(z.enum(['year', 'month', 'day', 'minute'])))

/** What the body of a row may hold. Fields that have their usual value are left out, and a tombstone has no value. */
export const RowBody = z.strictObject({
  key: z.string().check(z.refine((key) => key === key.normalize('NFC') && keyProblem(key) === null, 'is not a key')),
  value: z.optional(Value),
  type: z.optional(Label),
  tags: Labels,
  entities: Labels,
  relations: z.optional(z.array(z.strictObject({ subject: Label, predicate: Label, object: Label })).check(z.maxLength(64))),
  files: Labels,
  confidence: z.optional(Share),
  run: Word,
  status: z.optional(StoredStatus),
  statusReason: Word,
  pinned: z.optional(z.boolean()),
  conflictWith: Ids,
  duplicateOf: z.optional(z.nullable(MemoryId)),
  supersededBy: z.optional(z.nullable(MemoryId)),
  reinforcementCount: z.optional(z.int().check(z.gte(1))),
  createdAt: Time,
  updatedAt: Time,
  validAt: OptionalTime,
  validTo: OptionalTime,
  temporalAnchor: OptionalTime,
  validAtPrecision: OptionalPrecision,
  validToPrecision: OptionalPrecision,
  temporalAnchorPrecision: OptionalPrecision,
  invalidAt: OptionalTime,
  tombstonedAt: OptionalTime,
  expiresAt: OptionalTime,
  actor: Text.check(z.minLength(1), z.maxLength(1_024)),
  sourceClass: z.optional(z.enum(['asserted', 'extracted', 'observed', 'derived', 'imported', 'external'])),
  sourceResourceId: Word,
  sourceTrace: Word,
  origin: Word,
  /** Empty where a deletion tells nothing of what it buries. */
  contentSha256: z.union([Sha256, z.literal('')]),
  verifiedBy: Word,
  verifiedSha256: z.optional(z.nullable(Sha256)),
  lockMode: z.optional(z.nullable(z.enum(['read_only', 'no_delete']))),
  lockUntil: OptionalTime,
  lockReason: Word,
  lockBy: Word,
  sensitivity: z.optional(z.enum(['none', 'medium', 'high'])),
  onExpire: z.optional(z.enum(['tombstone', 'hide'])),
} satisfies { readonly [Name in keyof VersionBody]: z.ZodMiniType })
export type RowBody = z.infer<typeof RowBody>
