/**
 * A row as merging sees it, whatever store or wire it came from. `id` and `hash` are its identity: the same id with the same hash is the
 * same row. All but `content` stands in the clear header.
 */
export interface SyncRow {
  /** Device and its gapless counter, as `dev.dseq`. */
  readonly id: string
  readonly ver: bigint
  readonly kind: string
  /** Commitment to the namespace. */
  readonly nc: string
  /** Commitment to the key; null for what stands under none: verdicts, policies, the erasure of a namespace. */
  readonly kc: string | null
  /** The erasure epoch that its author knew; for an erasure the one that it begins. */
  readonly kepoch: number
  /** The heads that its author saw, of all lanes. */
  readonly parents: readonly string[]
  /** Whether a person wrote it. */
  readonly human: boolean
  /** The row that a redaction names. */
  readonly target: string | null
  readonly hash: string
  /** Null once the body is gone, and where the kind has none. */
  readonly content: RowContent | null
}

export type RowContent = LifeContent | GuardContent | VerdictContent | EraseContent | OtherContent

/** Of a set or a restore. */
export interface LifeContent {
  readonly of: 'life'
  readonly sha256: string
  /** How often this row says it: a restatement adds one, a change of columns none, a restore all that it brings back. */
  readonly adds: number
  /** The id under which the row was first written, when it had to be issued again. */
  readonly was?: string
}

/** Of a guard: all of it, not what it changes. */
export interface GuardContent {
  readonly of: 'guard'
  readonly pinned: boolean
  readonly lockMode: 'read_only' | 'no_delete' | null
  /** Held against versions, never against a clock; null locks until it is lifted. */
  readonly lockUntil: bigint | null
}

export type Verdict = 'conflict' | 'clear' | 'duplicate' | 'refines'

/** What somebody found of two rows. */
export interface VerdictContent {
  readonly of: 'verdict'
  readonly pair: readonly [string, string]
  readonly verdict: Verdict
}

export interface EraseContent {
  readonly of: 'erase'
  /** True when nobody may write here again. */
  readonly block: boolean
}

/** Of reviews, policies and kinds that a later version knows: carried, not read. */
export interface OtherContent {
  readonly of: 'other'
}

/** Device and counter of a row id. */
export interface RowIdParts {
  readonly dev: string
  readonly dseq: number
}

export const rowIdOf = ({ dev, dseq }: RowIdParts): string => `${dev}.${dseq}`

export const rowIdParts = (id: string): RowIdParts => {
  const dot = id.lastIndexOf('.')
  return { dev: id.slice(0, dot), dseq: Number(id.slice(dot + 1)) }
}

/** By version, then by device, then by counter: an order that every replica agrees on. */
export const compareRows = (a: Pick<SyncRow, 'id' | 'ver'>, b: Pick<SyncRow, 'id' | 'ver'>): number => {
  if (a.ver !== b.ver) return a.ver < b.ver ? -1 : 1
  const [left, right] = [rowIdParts(a.id), rowIdParts(b.id)]
  if (left.dev !== right.dev) return left.dev < right.dev ? -1 : 1
  return left.dseq - right.dseq
}

const LIFE_KINDS: ReadonlySet<string> = new Set(['set', 'tomb', 'restore'])
const KNOWN_KINDS: ReadonlySet<string> = new Set([...LIFE_KINDS, 'guard', 'review', 'verdict', 'redact', 'erase', 'policy'])

export const isLife = ({ kind }: Pick<SyncRow, 'kind'>): boolean => LIFE_KINDS.has(kind)

/** A row whose value, if any, is served: all of the life lane but tombstones. */
export const isValue = ({ kind }: Pick<SyncRow, 'kind'>): boolean => kind === 'set' || kind === 'restore'

/** A kind of a later version that says of itself, by its name, that it must not be passed over: its key is read-only here. */
export const mustBeUnderstood = ({ kind }: Pick<SyncRow, 'kind'>): boolean =>
  !KNOWN_KINDS.has(kind) && kind.endsWith('-required')

/** Name of the key that a row stands under, or null. */
export const keyOf = ({ nc, kc }: Pick<SyncRow, 'nc' | 'kc'>): string | null => (kc === null ? null : `${nc} ${kc}`)
