import * as z from 'zod/mini'
import type { HistoryEntry, Status } from './records.js'
import { IdempotencyKey, Instant, type JsonValue, Key, KeyPrefix, Label } from './scalars.js'
import type { Scope } from './scope.js'

/** The name of one version of a memory, as rows carry it. */
const Version = z
  .string()
  .check(
    z.refine((text) => /^\d{1,19}$/.test(text) && BigInt(text) < 2n ** 63n, { message: 'is not a version', abort: true }),
  )
/** Where a page goes on. */
export const Cursor = z.optional(z.string().check(z.maxLength(200)))
const repeatable = { idempotencyKey: z.optional(IdempotencyKey) }

/** Input of `diff`. */
export const DiffInput = z.strictObject({
  key: Key,
  /** The version to compare with; default the one before `to`. */
  from: z.optional(Version),
  /** The version that is compared; default the newest. */
  to: z.optional(Version),
})
export type DiffOptions = Omit<z.input<typeof DiffInput>, 'key'>

/** Of several ways to say what is meant, one. */
export const exactlyOne = (names: readonly string[]) =>
  z.refine<Readonly<Record<string, unknown>>>((input) => names.filter((name) => input[name] !== undefined).length === 1, {
    message: `give exactly one of ${names.join(', ')}`,
    path: [names[0] ?? ''],
  })

/** Input of `timeline`: of which memories, and from when to when. */
export const TimelineInput = z
  .strictObject({
    key: z.optional(Key),
    keyPrefix: z.optional(KeyPrefix),
    /** Memories that are about it: it is named by `entities`, or is the subject of one of `relations`. */
    subject: z.optional(Label),
    /** Memories that name it anywhere: also as the object of one of `relations`. */
    entity: z.optional(Label),
    /** Only what became known from then on. */
    from: z.optional(Instant),
    /** Only what became known by then. */
    to: z.optional(Instant),
    limit: z._default(z.int().check(z.gte(1), z.lte(1000)), 100),
    cursor: Cursor,
  })
  .check(exactlyOne(['key', 'keyPrefix', 'subject', 'entity']))
export type TimelineInput = z.input<typeof TimelineInput>

/** Input of `redact`. */
export const RedactInput = z.strictObject({
  key: Key,
  version: Version,
  /** Why it had to go; kept beside the version. */
  reason: Label,
  dryRun: z.optional(z.boolean()),
  ...repeatable,
})
export type RedactOptions = Omit<z.input<typeof RedactInput>, 'key' | 'version' | 'reason'>

/** Input of `verifyHistory`. */
export const VerifyInput = z.strictObject({ keyPrefix: z.optional(KeyPrefix) })
export type VerifyHistoryOptions = z.input<typeof VerifyInput>

/** One version as `diff` names it. */
export interface VersionRef {
  readonly version: string
  readonly kind: HistoryEntry['kind']
  readonly status: Status
  /** When it was written, epoch milliseconds. */
  readonly at: number
  readonly actor: string
  readonly run: string | null
  /** Its value was scrubbed, so that nothing can be compared with it. */
  readonly redacted: boolean
}

/** A field that two versions hold differently. */
export interface FieldChange {
  readonly field: string
  readonly before: JsonValue
  readonly after: JsonValue
}

/** A stretch of text that two texts share, or that only one of them has. */
export interface WordChange {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Answer of `diff`. */
export interface DiffResult {
  readonly id: string
  readonly key: string
  /** Null when there is nothing before `to`. */
  readonly from: VersionRef | null
  readonly to: VersionRef
  /** The fields that differ, the value first. */
  readonly changes: readonly FieldChange[]
  /** How the value changed word by word; null unless both are text and differ. */
  readonly words: readonly WordChange[] | null
  readonly scope: Scope
}

/**
 * What a version did. `stated`: the first of its memory. `revised`: another value. `corrected`: another field. `repeated`: the same
 * said again. `marked`: how it stands to others. `retired`: superseded.
 */
export type Happening =
  | 'stated'
  | 'revised'
  | 'corrected'
  | 'repeated'
  | 'deleted'
  | 'restored'
  | 'retired'
  | 'rejected'
  | 'marked'
  | 'redacted'

/** One version in a `timeline`. */
export interface TimelineEvent {
  readonly id: string
  readonly key: string
  readonly version: string
  readonly happening: Happening
  /** When it became known: written, epoch milliseconds. */
  readonly at: number
  readonly actor: string
  readonly run: string | null
  readonly status: Status
  /** The value that stood before and the one that stands after; null for none, and for one that was scrubbed. */
  readonly before: JsonValue
  readonly after: JsonValue
  /** Names of the fields that changed. */
  readonly fields: readonly string[]
  readonly validAt: number | null
  readonly validTo: number | null
  readonly scope: Scope
}

/** Answer of `timeline`. */
export interface TimelineResult {
  readonly events: readonly TimelineEvent[]
  /** Pass it back as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** Answer of `redact`. */
export interface RedactResult {
  readonly id: string
  readonly key: string
  /** The versions that held the value, oldest first. */
  readonly versions: readonly string[]
  /** True when the memory still said it, and was deleted with it. */
  readonly tombstoned: boolean
  /** Versions of other memories that quoted it in the reason of a decision, and were scrubbed as well. */
  readonly quotes: number
  /** Other memories that hold the very same value and were left, as far as this handle may read them. */
  readonly elsewhere: readonly { readonly id: string; readonly key: string }[]
  /** False when the bytes could not be taken out of the file yet: repeat the call, or open the store again. */
  readonly scrubbed: boolean
  /** True when it was redacted before. */
  readonly noop: boolean
  readonly dryRun: boolean
  readonly scope: Scope
}

/**
 * Why a version does not stand as it was written. `body`: it holds something else. `body_missing`: what it held is gone, and no
 * redaction is on record. `header`: its place, time, kind or scope is another. `parent`: the version it was written on is missing or
 * another. `order`: it is not newer than that. `head`: the memory is not read at its newest version.
 */
export type Flaw = 'body' | 'body_missing' | 'header' | 'parent' | 'order' | 'head'

/** Answer of `verifyHistory`. */
export interface VerifyReport {
  readonly ok: boolean
  readonly memories: number
  readonly versions: number
  /** Versions whose value was scrubbed; they verify all the same. */
  readonly redacted: number
  /** The first 1,000 of what does not verify. */
  readonly broken: readonly {
    readonly id: string
    /** Null when it is not known, or the memory is highly sensitive. */
    readonly key: string | null
    readonly version: string
    readonly why: Flaw
  }[]
}
