import * as z from 'zod/mini'
import type { MemoryRow, Status, Verification, VersionBody } from './records.js'
import { IdempotencyKey, Instant, Key, Label, Sha256 } from './scalars.js'
import type { Scope, Tier } from './scope.js'

/** Input of `verify`. */
export const VerifyInput = z.strictObject({
  key: Key,
  /** Attest this value only, as it was shown; when another stands there by now, `PRECONDITION_FAILED`. */
  ifMatchSha256: z.optional(Sha256),
  idempotencyKey: z.optional(IdempotencyKey),
  dryRun: z.optional(z.boolean()),
})
export type VerifyOptions = Omit<z.input<typeof VerifyInput>, 'key'>

/** Input of `provenance`, `evidence` and `inspect`. */
export const AboutInput = z.strictObject({ key: Key })

/** Input of `lineage`. */
export const LineageInput = z.strictObject({
  key: Key,
  /** Steps that are gone at most. */
  depth: z._default(z.int().check(z.gte(1), z.lte(64)), 16),
  /** Memories that are named at most, in each direction. */
  limit: z._default(z.int().check(z.gte(1), z.lte(1000)), 100),
})
export type LineageOptions = Omit<z.input<typeof LineageInput>, 'key'>

/** Input of `audit.list`: newest first. */
export const AuditListInput = z.strictObject({
  /** What was done at this instant or later. */
  from: z.optional(Instant),
  /** What was done before this instant. */
  to: z.optional(Instant),
  /** Of this call only, by its name: `memory.set`. */
  action: z.optional(Label),
  limit: z._default(z.int().check(z.gte(1), z.lte(1000)), 100),
  cursor: z.optional(z.string().check(z.maxLength(200))),
})
export type AuditFilter = z.input<typeof AuditListInput>

/** How far a memory can be relied on, by how it came here. From the most to the least. */
export type TrustLevel = 'attested' | 'human' | 'process' | 'inferred' | 'imported' | 'external'

/** Answer of `verify`. */
export interface VerifyResult extends Pick<VersionBody, 'key' | 'contentSha256' | 'verifiedBy' | 'verifiedSha256'> {
  readonly id: string
  readonly version: string
  readonly verification: Verification
  /** True when it was attested so already, and nothing was written. */
  readonly noop: boolean
  readonly dryRun: boolean
  readonly scope: Scope
}

/** Answer of `provenance`: how a memory came here, and what that makes of it. */
export interface Provenance
  extends Pick<
    VersionBody,
    | 'key'
    | 'status'
    | 'actor'
    | 'sourceClass'
    | 'origin'
    | 'sourceResourceId'
    | 'sourceTrace'
    | 'run'
    | 'createdAt'
    | 'updatedAt'
    | 'contentSha256'
    | 'verifiedBy'
  > {
  readonly id: string
  readonly version: string
  /** Who gave it the value it has, and when; `actor` is who changed it last. */
  readonly statedBy: string
  readonly statedAt: number
  readonly verification: Verification
  /** The least of its own and of all that it was derived from. */
  readonly trust: TrustLevel
  /** The source that lowers it; null where it is its own, or is highly sensitive. */
  readonly weakest: { readonly id: string; readonly key: string } | null
  /** False for what comes from pages or tools, or was derived from it, until a person has verified it. */
  readonly usable: boolean
  readonly scope: Scope
  readonly tier: Tier
}

/** How one memory stands to another in a lineage. */
export type LineageWhy = 'source' | 'derived' | 'supersedes' | 'superseded_by' | 'duplicate_of' | 'duplicate'

/** One memory of a lineage. It holds no value: `getById` reads it. */
export interface LineageEntry extends Pick<VersionBody, 'key' | 'status' | 'sourceClass' | 'actor' | 'updatedAt'> {
  readonly id: string
  /** How it stands to the memory it was reached from. */
  readonly why: LineageWhy
  /** Id of that memory. */
  readonly via: string
  /** Steps from the memory that was asked about. */
  readonly depth: number
}

/** Answer of `lineage`, nearest first. */
export interface Lineage {
  readonly id: string
  readonly key: string
  readonly status: Status
  /** What it came from: its sources, what it took the place of, what it repeats. */
  readonly from: readonly LineageEntry[]
  /**
   * Ids that it, or what it came from, names as sources and of which nothing can be read here: erased, of another scope, or never here. So a line that
   * has a gap is told from one that begins here.
   */
  readonly missing: readonly string[]
  /** What came of it. */
  readonly into: readonly LineageEntry[]
  /** True when there is more than `depth` or `limit` let through. */
  readonly truncated: boolean
  readonly scope: Scope
}

/** Answer of `evidence`: the turns that are still served, oldest first. */
export type Evidence = readonly MemoryRow[]

/** What somebody did, or was refused: no value, and no key but its hash. */
export interface AuditRow {
  readonly at: number
  readonly actor: string
  /** The call, by its name. */
  readonly action: string
  readonly memoryId: string | null
  /** The same for every act on one key of this store; means nothing outside of it. */
  readonly keyHash: string | null
  readonly contentSha256: string | null
  /** `ok`, or the code of the refusal. */
  readonly outcome: string
  /** Of the handle that did it. */
  readonly scope: Scope
}

/** Answer of `audit.list`. */
export interface AuditListResult {
  readonly rows: readonly AuditRow[]
  /** Pass it back as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null
  readonly scope: Scope
}
