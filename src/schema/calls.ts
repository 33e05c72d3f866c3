import * as z from 'zod/mini'
import { asOfFields } from './as-of.js'
import {
  DateText,
  IdempotencyKey,
  Key,
  KeyPrefix,
  Label,
  MAX_TTL_SECONDS,
  MemoryId,
  Sha256,
  Share,
  Text,
  TimeZone,
  Value,
} from './scalars.js'
import { Tier } from './scope.js'

const Labels = z.array(Label).check(z.maxLength(64))
const Tiers = z.array(Tier).check(z.minLength(1), z.maxLength(3))

const content = {
  /** Free word, default `semantic`; some words have a meaning, see the README. */
  type: z.optional(Label),
  tags: z.optional(Labels),
  entities: z.optional(Labels),
  relations: z.optional(z.array(z.strictObject({ subject: Label, predicate: Label, object: Label })).check(z.maxLength(64))),
  files: z.optional(Labels),
  confidence: z.optional(Share),
  /** When it became true in the world. */
  validAt: z.optional(DateText),
  /** When it stopped being true. */
  validTo: z.optional(DateText),
  /** The date it is about. */
  temporalAnchor: z.optional(DateText),
  /** When it leaves service. */
  expiresAt: z.optional(DateText),
  /** Of dates without a zone; default that of the browser. */
  timeZone: z.optional(TimeZone),
  /** Leaves service this many seconds after the write; not together with `expiresAt`. */
  ttlSeconds: z.optional(z.number().check(z.positive(), z.lte(MAX_TTL_SECONDS))),
  /** What becomes of it at its end: left unread, or deleted as well. Default `hide`. */
  onExpire: z.optional(z.enum(['tombstone', 'hide'])),
  /** Only a downgrade may be stated; a direct write is `asserted`. */
  sourceClass: z.optional(z.enum(['derived', 'external', 'imported'])),
  sourceResourceId: z.optional(Label),
  sourceTrace: z.optional(Label),
  origin: z.optional(Label),
  sensitivity: z.optional(z.enum(['none', 'medium', 'high'])),
}

const writing = {
  /** Write only if the live value still has this hash, else `PRECONDITION_FAILED`. */
  ifMatchSha256: z.optional(Sha256),
  idempotencyKey: z.optional(IdempotencyKey),
  /** Run every check, write nothing. */
  dryRun: z.optional(z.boolean()),
  /** `queue` stores the row without its vector and judges it when the embedder is back. Default `fail`. */
  onEmbedFailure: z.optional(z.enum(['fail', 'queue'])),
  /** `propose` stores what a pinned memory stands against as a proposal, instead of refusing it. Default `fail`. */
  onPinned: z.optional(z.enum(['fail', 'propose'])),
}

const oneExpiry = z.refine<{ expiresAt?: unknown; ttlSeconds?: unknown }>(
  (input) => input.expiresAt === undefined || input.ttlSeconds === undefined,
  { message: 'give expiresAt or ttlSeconds, not both', path: ['ttlSeconds'] },
)

const setShape = { key: z.optional(Key), value: Value, ...content, ...writing }

/** Input of `set`. Without a key, one is made from the statement and returned. */
export const SetInput = z.strictObject(setShape).check(oneExpiry)
export type SetInput = z.input<typeof SetInput>

const clearable = z.optional(z.nullable(DateText))

/** A correction may take a time away again: null. */
const changes = {
  value: z.optional(Value),
  ...content,
  validAt: clearable,
  validTo: clearable,
  temporalAnchor: clearable,
  expiresAt: clearable,
}

/** Input of `update`: the fields given replace those of the live memory, all others are carried forward. */
export const UpdateInput = z.strictObject({ key: Key, ...changes, ...writing }).check(oneExpiry)
export type UpdateInput = z.input<typeof UpdateInput>

/** Input of `updateById`. */
export const UpdateByIdInput = z.strictObject({ id: MemoryId, ...changes, ...writing }).check(oneExpiry)
export type UpdateByIdInput = z.input<typeof UpdateByIdInput>

/** One entry of `bulkSet`. */
export const BulkEntry = z
  .strictObject({
    key: z.optional(Key),
    value: Value,
    ...content,
    ifMatchSha256: writing.ifMatchSha256,
    onEmbedFailure: writing.onEmbedFailure,
    onPinned: writing.onPinned,
  })
  .check(oneExpiry)
export type BulkEntry = z.input<typeof BulkEntry>

/** Input of `bulkSet`. Entries are checked one by one: a bad one is reported and the others are written. */
export const BulkSetInput = z.strictObject({
  entries: z.array(z.unknown()).check(z.maxLength(100_000)),
  idempotencyKey: writing.idempotencyKey,
  dryRun: writing.dryRun,
})

export const KeyInput = z.strictObject({
  key: Key,
  /** Read these tiers only; default all that the handle may read. */
  tiers: z.optional(Tiers),
  ...asOfFields,
})
export type KeyOptions = Omit<z.input<typeof KeyInput>, 'key'>

export const IdInput = z.strictObject({ id: MemoryId })

export const TargetInput = z.strictObject({ key: Key, idempotencyKey: writing.idempotencyKey, dryRun: writing.dryRun })
export type TargetOptions = Omit<z.input<typeof TargetInput>, 'key'>

/** What a search, a list or a question may narrow to. */
export const searchFilter = {
  keyPrefix: z.optional(KeyPrefix),
  type: z.optional(Label),
  /** All of them must be there. `list` compares in any case, `search` exactly. */
  tags: z.optional(Labels),
  sourceClass: z.optional(z.enum(['asserted', 'extracted', 'observed', 'derived', 'imported', 'external'])),
  minConfidence: z.optional(Share),
  includeDuplicates: z.optional(z.boolean()),
  includeSuperseded: z.optional(z.boolean()),
  includeProposed: z.optional(z.boolean()),
  tiers: z.optional(Tiers),
  ...asOfFields,
}

/** Filter of `list`: newest first. */
export const ListInput = z.strictObject({
  ...searchFilter,
  limit: z._default(z.int().check(z.gte(1), z.lte(1000)), 100),
  cursor: z.optional(z.string().check(z.maxLength(200))),
})
export type ListFilter = z.input<typeof ListInput>

/** Input of `conflicts.list`: newest first. */
export const ConflictsInput = z.strictObject({
  keyPrefix: z.optional(KeyPrefix),
  limit: z._default(z.int().check(z.gte(1), z.lte(200)), 50),
  cursor: z.optional(z.string().check(z.maxLength(200))),
})
export type ConflictsFilter = z.input<typeof ConflictsInput>

/** Input of `conflicts.resolve`. */
export const ResolveInput = z
  .strictObject({
    /** The memory that is decided about. */
    id: MemoryId,
    /** `revise`: it takes the value given, and what contradicted it goes. `allow`: both stand. `contract`: it goes. */
    action: z.enum(['revise', 'allow', 'contract']),
    /** With `revise`; left out, the value it has is right. */
    value: z.optional(Value),
    idempotencyKey: writing.idempotencyKey,
    dryRun: writing.dryRun,
  })
  .check(
    z.refine((input) => input.action === 'revise' || input.value === undefined, {
      message: 'goes with revise only',
      path: ['value'],
    }),
  )
export type ResolveInput = z.input<typeof ResolveInput>

/** Input of `search`. */
export const SearchInput = z.strictObject({
  query: Text,
  ...searchFilter,
  legs: z.optional(z.array(z.enum(['vector', 'lexical', 'entity', 'chunk', 'digest'])).check(z.minLength(1))),
  /** What "last month" is counted from, in epoch milliseconds; default the clock. */
  now: z.optional(z.int().check(z.gte(0), z.lte(8.64e15))),
  /** That name all of them, as entities or in relations. */
  entities: z.optional(Labels),
  /** That have to do with all of these files. */
  files: z.optional(Labels),
  /** One of them lifts a score by `tagBoost`, as a share of it. */
  tagsSoft: z.optional(Labels),
  tagBoost: z._default(Share, 0.15),
  /** One of them halves a score. */
  demoteTags: z.optional(Labels),
  /** What the values of the hits may come to, at four characters a token; what does not fit is left out whole. */
  maxTokens: z.optional(z.int().check(z.gte(1), z.lte(10_000_000))),
  limit: z._default(z.int().check(z.gte(1), z.lte(1000)), 10),
  offset: z._default(z.int().check(z.gte(0), z.lte(100_000)), 0),
  explain: z._default(z.boolean(), false),
})
export type SearchOptions = Omit<z.input<typeof SearchInput>, 'query'>

export const HistoryInput = z.strictObject({
  key: Key,
  limit: z._default(z.int().check(z.gte(1), z.lte(10_000)), 1000),
})
export type HistoryOptions = Omit<z.input<typeof HistoryInput>, 'key'>

/** What a live query watches: one key, a search, or a filter of `list`. */
export type LiveTarget =
  | ({ readonly key: string } & KeyOptions)
  | ({ readonly query: string } & SearchOptions)
  | (ListFilter & { readonly key?: never; readonly query?: never })

export const NoInput = z.strictObject({})

/** Input of `reject`. */
export const RejectInput = z.strictObject({
  key: Key,
  /** Why it is wrong; kept on the version. */
  reason: Label,
  idempotencyKey: writing.idempotencyKey,
  dryRun: writing.dryRun,
})
export type RejectOptions = Omit<z.input<typeof RejectInput>, 'key' | 'reason'>

/** Input of `proposals.decide`. */
export const DecideInput = z.strictObject({
  /** The proposal that is decided about. */
  id: MemoryId,
  /** `accept`: it is believed from now on. `reject`: it is marked wrong. */
  action: z.enum(['accept', 'reject']),
  reason: z.optional(Label),
  idempotencyKey: writing.idempotencyKey,
  dryRun: writing.dryRun,
})
export type DecideInput = z.input<typeof DecideInput>

/** Input of `calibration.get`. */
export const CalibrationInput = z.strictObject({
  /** For memories of this type. */
  type: z._default(Label, 'semantic'),
  /** And these tags. */
  tags: z._default(Labels, []),
})
export type CalibrationOptions = z.input<typeof CalibrationInput>
