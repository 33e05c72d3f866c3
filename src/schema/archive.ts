import * as z from 'zod/mini'
import { RegisterInput } from './namespaces.js'
import type { VerdictKind } from './records.js'
import { RowScope } from './row.js'
import { Label, MemoryId, Salt, Sha256, Text } from './scalars.js'
import type { Scope } from './scope.js'

/** Raised when an archive of this build cannot be read by an older one. */
export const ARCHIVE_VERSION = 1

/** The same of what an encrypted one is wrapped in. */
export const CIPHER_VERSION = 1

export const ArchivePassphrase = Text.check(z.minLength(1), z.maxLength(1_024))

/** Input of `export`. */
export const ExportInput = z.strictObject({
  /** Encrypts the archive. Without it nobody can read it, you included. */
  passphrase: z.optional(ArchivePassphrase),
  /** Whether highly sensitive memories go in. Default only under a passphrase. */
  includeSensitive: z.optional(z.boolean()),
})
export type ExportOptions = z.input<typeof ExportInput>

const isArchive = (given: unknown): given is Blob | string => given instanceof Blob || typeof given === 'string'

/** Input of `import`. */
export const ImportInput = z.strictObject({
  archive: z.custom<Blob | string>(isArchive, 'must be a Blob, a text or a stream of bytes'),
  /** The one it was exported with. */
  passphrase: z.optional(ArchivePassphrase),
  /** Check everything and say what would be done. */
  dryRun: z.optional(z.boolean()),
})
export type ImportOptions = Omit<z.input<typeof ImportInput>, 'archive'>

const Count = z.int().check(z.gte(0))
const Counts = z.strictObject({
  versions: Count,
  memories: Count,
  rules: Count,
  namespaces: Count,
  usage: Count,
  erasures: Count,
})
export type ArchiveCounts = z.infer<typeof Counts>

/** First line of an archive. Its counts are for a progress bar; those of the last line count. */
export const ArchiveHeader = z.strictObject({
  type: z.literal('palimpsest-archive'),
  version: z.literal(ARCHIVE_VERSION),
  /** The device that wrote the archive. */
  device: z.string().check(z.maxLength(64)),
  created: z.iso.datetime(),
  /** The levels that the exporting handle was bound to. */
  scope: z.partial(RowScope),
  counts: Counts,
})
export type ArchiveHeader = z.infer<typeof ArchiveHeader>

/** First line of an encrypted archive. Fewer iterations would be too weak, far more would hold whoever opens it up. */
export const CipherHeader = z.strictObject({
  type: z.literal('palimpsest-encrypted'),
  version: z.literal(CIPHER_VERSION),
  cipher: z.literal('AES-256-GCM'),
  kdf: z.literal('PBKDF2-SHA-256'),
  iterations: z.int().check(z.gte(600_000), z.lte(10_000_000)),
  salt: Salt,
  /** Bytes of a piece before it was encrypted. */
  chunk: z.int().check(z.gte(1_024), z.lte(1_048_576)),
  compression: z.enum(['gzip', 'none']),
})
export type CipherHeader = z.infer<typeof CipherHeader>

/** A rule of the blacklist. */
export const ArchivedRule = z.strictObject({
  id: z.string().check(z.regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, 'is not the id of a rule')),
  scope: RowScope,
  pattern: Text.check(z.minLength(1), z.maxLength(256)),
  patternType: z.enum(['substring', 'regex']),
  reason: z.nullable(Label),
  actor: Label,
  createdAt: z.int(),
})
export type ArchivedRule = z.infer<typeof ArchivedRule>

const { defaultConflictPolicy, thresholds, types, attributes, retention, tagRegistry } = RegisterInput.shape

/** What a namespace has settled. */
export const ArchivedNamespace = z.strictObject({
  org: Label,
  namespace: Label,
  settings: z.strictObject({ defaultConflictPolicy, thresholds, types, attributes, retention, tagRegistry }),
  actor: Label,
  updatedAt: z.int(),
})
export type ArchivedNamespace = z.infer<typeof ArchivedNamespace>

const Sum = z.number().check(z.gte(0), z.lte(1e9))

/** What came of runs that used a memory, by who tells. */
export const ArchivedUsage = z.strictObject({
  memory: MemoryId,
  scope: RowScope,
  helped: Sum,
  harmed: Sum,
  uses: Count,
  at: z.int(),
})
export type ArchivedUsage = z.infer<typeof ArchivedUsage>

/** Last line of an archive. */
export const ArchiveTrailer = z.strictObject({
  type: z.literal('end'),
  counts: Counts,
  /** Memories that were highly sensitive, and versions that were damaged in the store. */
  leftOut: z.strictObject({ sensitive: Count, damaged: Count }),
  /** Over all bytes before this line. */
  sha256: Sha256,
})
export type ArchiveTrailer = z.infer<typeof ArchiveTrailer>

/**
 * What became of one memory or entry. `written`: it was written, as its verdict says. `older`: what is here holds from later on, so that it
 * was kept as what held before. `known`: it was here already. `deleted`: it was deleted here since. `erased`: it is what was erased here. `buried`: it was deleted there, and now
 * here. `kept`: it was deleted there, and changed here since. `retired`: it was no longer, or not yet, believed there. `outside`: it belongs
 * to a scope that the handle does not cover. `refused`: see its code.
 */
export type ImportOutcome =
  | 'written'
  | 'older'
  | 'known'
  | 'deleted'
  | 'erased'
  | 'buried'
  | 'kept'
  | 'retired'
  | 'outside'
  | 'refused'

/** One memory of an archive, or one entry of another system's export. */
export interface ImportEntry {
  /** Its place: memory of an archive, element of a list, or line of a file, from 1. */
  readonly at: number
  readonly outcome: ImportOutcome
  readonly key?: string
  readonly id?: string
  readonly verdict?: VerdictKind
  readonly code?: string
  readonly message?: string
  /** Fields for which there is no place here. */
  readonly dropped?: readonly string[]
}

/** Answer of `import`. */
export interface ImportReport {
  readonly format: 'palimpsest' | 'mem0' | 'mcp-memory'
  /** `restored`: into an empty store, version for version. `judged`: statement by statement, as writes are. */
  readonly mode: 'restored' | 'judged'
  /** Memories, or entries, that were looked at. */
  readonly memories: number
  /** Versions that were written; what a verdict marks on other memories is not counted. */
  readonly versions: number
  /** How many met each end. */
  readonly outcomes: Readonly<Partial<Record<ImportOutcome, number>>>
  /** One by one; empty when they were restored. */
  readonly entries: readonly ImportEntry[]
  readonly rules: number
  readonly namespaces: number
  /** Erasures that were not known here: what they name is not taken in from now on. What is here stays. */
  readonly erasures: number
  readonly dryRun: boolean
  readonly scope: Scope
}
