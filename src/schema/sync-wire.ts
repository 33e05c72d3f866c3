import * as z from 'zod/mini'
import { isWellFormed, Sha256, valueProblem } from './scalars.js'

/** What client and server say of themselves in the header of this name. */
export const PROTOCOL_HEADER = 'palimpsest-protocol'
export const SYNC_PROTOCOL = 1
/** The oldest protocol that this build still speaks. */
export const SYNC_PROTOCOL_MIN = 1

/** Kinds that this build knows. Others are kept and passed on. */
export const ROW_KINDS = ['set', 'tomb', 'restore', 'guard', 'review', 'verdict', 'redact', 'erase', 'policy'] as const

export const MAX_PUSH_ROWS = 500
export const MAX_PUSH_COMPRESSED = 1_048_576
export const MAX_PUSH_RAW = 4_194_304
export const MAX_PULL_ROWS = 1_000
export const MAX_PULL_BYTES = 1_048_576
export const MAX_PARENTS = 8
/** Largest body, in bytes before base64url. */
export const MAX_BODY_BYTES = 262_144
/** Most text that fields unknown to this build may take, as canonical JSON. */
export const MAX_EXTRAS = 4_096
const BASE64URL = /^[A-Za-z0-9_-]+$/
const MAX_VER = '9223372036854775807'

/** Length that base64url without padding can have. */
const isWhole = (text: string): boolean => text.length % 4 !== 1

/** Device: 64 bits of chance, as hexadecimal. */
export const SyncDevice = z.string().check(z.regex(/^[0-9a-f]{16}$/, 'is not a device'))

/** Device and its gapless counter. */
export const SyncRowId = z.string().check(z.regex(/^[0-9a-f]{16}\.[1-9]\d{0,9}$/, 'is not a row id'))

/** Nanoseconds as decimal text: beyond what a JSON number holds exactly. */
export const SyncVersion = z.string().check(
  z.regex(/^[1-9]\d{0,18}$/, 'is not a version'),
  z.refine((text) => text.length < 19 || text <= MAX_VER, 'is later than any clock stands'),
)

/** Keyed hash of a name, which the server can compare and not read. */
export const Commitment = z.string().check(z.minLength(16), z.maxLength(64), z.regex(BASE64URL, 'is not base64url'))

const Kind = z.string().check(z.regex(/^[a-z][a-z0-9_-]{0,31}$/, 'is not a kind'))
const Counter = z.int().check(z.gte(1), z.lte(9_999_999_999))
export const Epoch = z.int().check(z.gte(0), z.lte(2_147_483_647))
/** Generation of the master key: 0 where nothing is encrypted. */
export const Generation = z.int().check(z.gte(0), z.lte(2_147_483_647))
export const Slot = z
  .string()
  .check(z.minLength(2), z.maxLength(256), z.regex(BASE64URL, 'is not base64url'), z.refine(isWhole))

const Body = z.string().check(
  z.minLength(2),
  z.maxLength(Math.ceil((MAX_BODY_BYTES * 4) / 3)),
  z.refine((text) => BASE64URL.test(text) && isWhole(text), 'is not base64url'),
)

/** Names of the fields below. What else a row holds is kept and given back, and is part of its hash. */
export const ROW_FIELDS = {
  dev: SyncDevice,
  dseq: Counter,
  ver: SyncVersion,
  kind: Kind,
  /** Namespace. */
  nc: Commitment,
  /** Key within it; null where the row is about the whole namespace. */
  kc: z.nullable(Commitment),
  /** How often the key had been erased when this was written. */
  kepoch: Epoch,
  /** Rows it was written on top of. */
  parents: z.array(SyncRowId).check(z.maxLength(MAX_PARENTS)),
  /** Whether a person wrote it. */
  human: z.union([z.literal(0), z.literal(1)]),
  /** The row that a redaction empties. */
  target: z.nullable(SyncRowId),
  /** Generation of the key that wraps `slot`. Changes with it when keys are rotated, and is no part of the row's hash. */
  gen: Generation,
  /** Key of the body, wrapped; null in plain rows, and once it was dropped. No part of the row's hash. */
  slot: z.nullable(Slot),
  /** SHA-256 of the body's bytes; stays when the body goes, so that the row keeps its hash. Null if it never had one. */
  bh: z.nullable(Sha256),
  /** Value and columns with their salt, encrypted or plain. Null if there never was one, or once it was dropped. */
  body: z.nullable(Body),
} as const

const isKnown = (name: string): boolean => Object.hasOwn(ROW_FIELDS, name)

/** What a row holds beside the fields known here, or null. */
export const extrasOf = (row: object): Record<string, unknown> | null => {
  let extras: Record<string, unknown> | null = null
  for (const name in row) {
    if (isKnown(name)) continue
    extras ??= Object.create(null) as Record<string, unknown>
    extras[name] = (row as Record<string, unknown>)[name]
  }
  return extras
}

/** Why unknown fields cannot be kept, or null. */
export const extrasProblem = (extras: object): string | null => {
  if (Object.keys(extras).some((name) => name === '__proto__' || !isWellFormed(name)))
    return 'has a field of a reserved name'
  const problem = valueProblem(extras)
  if (problem !== null) return problem.message
  return JSON.stringify(extras).length > MAX_EXTRAS ? `has more than ${MAX_EXTRAS} characters of unknown fields` : null
}

interface LinkedFields {
  readonly kind: string
  readonly target: string | null
  readonly gen: number
  readonly slot: string | null
  readonly bh: string | null
  readonly body: string | null
}

/** What fields say about each other. */
const fitsTogether = ({ kind, target, gen, slot, bh, body }: LinkedFields): boolean =>
  (body === null || bh !== null) && (slot === null || gen > 0) && (target !== null) === (kind === 'redact')

/** A version on its way between devices. Its identity is `dev` and `dseq`; it never changes but for what redaction and rotation do. */
export const WireRow = z.looseObject(ROW_FIELDS).check(
  z.refine(fitsTogether, 'has fields that do not go together'),
  z.refine((row) => {
    const extras = extrasOf(row)
    return extras === null || extrasProblem(extras) === null
  }, 'has unknown fields that cannot be kept'),
)
export type WireRow = z.infer<typeof WireRow>

/** Place of a row in its account: from 1, without gaps, in the order of commits. */
export const Seq = z.int().check(z.gte(0))
/** Changes when the server began anew: nothing that was acknowledged under another one counts. */
const ServerEpoch = z.string().check(z.minLength(1), z.maxLength(64))
/** Sum of the hashes of all rows up to a place. */
export const Digest = Sha256
export const Milliseconds = z.int()

/** Where an account stands. Every answer says so. */
export const Standing = { epoch: ServerEpoch, head: Seq, digest: Digest, gen: Generation, now: Milliseconds }

const SequencedRow = z.object({ seq: Seq, row: WireRow })
export type SequencedRow = z.infer<typeof SequencedRow>

// POST /v1/push

/** Rows are looked at one by one by the server, so that a bad one does not hold up the others. */
export const PushRequest = z.object({
  dev: SyncDevice,
  rows: z.array(z.unknown()).check(z.minLength(1), z.maxLength(MAX_PUSH_ROWS)),
})
export type PushRequest = z.infer<typeof PushRequest>

export const PUSH_STATUSES = ['ok', 'dup', 'erased', 'skew', 'collision', 'invalid', 'too_large', 'quota'] as const

/** What became of one row, in the order of the request. `seq` is there for `ok` and `dup`. */
export const PushResult = z.object({ status: z.enum(PUSH_STATUSES), seq: z.optional(Seq), reason: z.optional(z.string()) })
export type PushResult = z.infer<typeof PushResult>

/** `now` is the server's clock in milliseconds: a client whose rows were refused for their time corrects its own by it. */
export const PushResponse = z.object({ ...Standing, results: z.array(PushResult) })
export type PushResponse = z.infer<typeof PushResponse>

// POST /v1/pull

/** `cursor` is the last place that was read, `digest` the sum up to there, `epoch` what the server said with it; null at first. */
export const PullRequest = z.object({
  dev: SyncDevice,
  cursor: Seq,
  digest: Digest,
  epoch: z.nullable(ServerEpoch),
  limit: z.optional(z.int().check(z.gte(1), z.lte(MAX_PULL_ROWS))),
})
export type PullRequest = z.infer<typeof PullRequest>

export const REBASE_REASONS = ['epoch', 'cursor', 'digest'] as const

const Rebase = z.object({ ...Standing, rebase: z.enum(REBASE_REASONS) })

/** Rows after the cursor, in order, or the word that client and server no longer agree on what came before it. */
export const PullResponse = z.union([
  Rebase,
  z.object({
    ...Standing,
    rows: z.array(SequencedRow),
    /** Where to go on, and the sum up to there. */
    cursor: Seq,
    cursorDigest: Digest,
    more: z.boolean(),
  }),
])
export type PullResponse = z.infer<typeof PullResponse>

// POST /v1/heads

/**
 * What stands now, newest first: life and guard rows that no other row was written on top of, and every erasure, redaction and policy.
 * `at` is the place that the first page was made for, `before` where to go on; both null at first.
 */
export const HeadsRequest = z.object({
  dev: SyncDevice,
  at: z.nullable(Seq),
  before: z.nullable(Seq),
  limit: z.optional(z.int().check(z.gte(1), z.lte(MAX_PULL_ROWS))),
})
export type HeadsRequest = z.infer<typeof HeadsRequest>

/** Later rows are pulled from `at`, with `atDigest`; earlier ones come by `/v1/history`. */
export const HeadsResponse = z.object({
  ...Standing,
  rows: z.array(SequencedRow),
  at: Seq,
  atDigest: Digest,
  before: Seq,
  more: z.boolean(),
})
export type HeadsResponse = z.infer<typeof HeadsResponse>

// POST /v1/history

/** Rows before a place, newest first. */
export const HistoryRequest = z.object({
  dev: SyncDevice,
  before: Seq,
  epoch: ServerEpoch,
  limit: z.optional(z.int().check(z.gte(1), z.lte(MAX_PULL_ROWS))),
})
export type HistoryRequest = z.infer<typeof HistoryRequest>

/** `below` is the sum of what is older than this page: the sum that the caller has for `before - 1` less the page must be it. */
export const HistoryResponse = z.union([
  Rebase,
  z.object({ ...Standing, rows: z.array(SequencedRow), before: Seq, below: Digest, more: z.boolean() }),
])
export type HistoryResponse = z.infer<typeof HistoryResponse>

// GET /v1/hints: lines of JSON for as long as the connection stands; empty lines keep it open

export const Hint = z.object({ epoch: ServerEpoch, head: Seq })
export type Hint = z.infer<typeof Hint>

/** Every refusal of a whole request. `min` and `max` come with 426. */
export const Refusal = z.object({
  error: z.string(),
  min: z.optional(z.int()),
  max: z.optional(z.int()),
})
export type Refusal = z.infer<typeof Refusal>
