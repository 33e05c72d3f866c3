import type { ConflictPolicy } from './namespaces.js'
import type { JsonValue } from './scalars.js'
import type { Scope, Tier } from './scope.js'

/** Life of a memory. `active` and `conflicted` rows are served by default. */
export type Status = 'active' | 'conflicted' | 'duplicate' | 'superseded' | 'proposed' | 'rejected' | 'tombstoned'

/** How the store came to hold a value. A call may only downgrade to derived, external or imported. */
export type SourceClass = 'asserted' | 'extracted' | 'observed' | 'derived' | 'imported' | 'external'

/** How careful one has to be with a value. `high` is in no search and never embedded. */
export type Sensitivity = 'none' | 'medium' | 'high'

/** Who stands behind what a memory says: `stale` when it says something else by now. */
export type Verification = 'human' | 'process' | 'stale' | 'none'

/** What the judging of a write decided. */
export type VerdictKind = 'clear' | 'merge' | 'rejected' | 'refines' | 'duplicate' | 'conflict'

/** A date of which only so much was given. */
export type DatePrecision = 'year' | 'month' | 'day' | 'minute'

/** One subject–predicate–object statement attached to a memory. */
export interface Relation {
  readonly subject: string
  readonly predicate: string
  readonly object: string
}

/** Everything a version holds beside its identity and its place in the chain. Times are epoch milliseconds. */
export interface VersionBody {
  readonly key: string
  readonly value: JsonValue
  readonly type: string
  readonly tags: readonly string[]
  readonly entities: readonly string[]
  readonly relations: readonly Relation[]
  readonly files: readonly string[]
  readonly confidence: number
  readonly run: string | null
  readonly status: Status
  /** Why it stands as it does, where somebody or a rule decided so. */
  readonly statusReason: string | null
  readonly pinned: boolean
  readonly conflictWith: readonly string[]
  readonly duplicateOf: string | null
  readonly supersededBy: string | null
  readonly reinforcementCount: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly validAt: number | null
  readonly validTo: number | null
  readonly temporalAnchor: number | null
  /** How much of a date was given; null for an exact instant, and where there is none. */
  readonly validAtPrecision: DatePrecision | null
  readonly validToPrecision: DatePrecision | null
  readonly temporalAnchorPrecision: DatePrecision | null
  readonly invalidAt: number | null
  readonly tombstonedAt: number | null
  readonly expiresAt: number | null
  readonly actor: string
  readonly sourceClass: SourceClass
  readonly sourceResourceId: string | null
  readonly sourceTrace: string | null
  readonly origin: string | null
  readonly contentSha256: string
  readonly verifiedBy: string | null
  readonly verifiedSha256: string | null
  readonly lockMode: 'read_only' | 'no_delete' | null
  readonly lockUntil: number | null
  readonly lockReason: string | null
  /** The actor that locked it. */
  readonly lockBy: string | null
  readonly sensitivity: Sensitivity
  readonly onExpire: 'tombstone' | 'hide'
}

/** One version of one memory, as a caller reads it. */
export interface MemoryRow extends VersionBody {
  /** Stable over all versions of the memory. */
  readonly id: string
  /** Nanoseconds since 1970 as decimal text; every change has a higher one. */
  readonly version: string
  readonly verification: Verification
  readonly scope: Scope
  readonly tier: Tier
}

/** An entry of `history`: a version with its place in the memory's hash chain. */
export interface HistoryEntry extends MemoryRow {
  /** What kind of change this was. */
  readonly kind: 'set' | 'tomb' | 'restore'
  /** Device and its gapless counter: `<device>.<n>`. */
  readonly rowId: string
  /** Row ids of the versions this one was written on top of. */
  readonly parents: readonly string[]
  /** Hash of the version before it in the chain, or null for the first. */
  readonly prevSha256: string | null
  /** Hash of this version, covering all of the above. */
  readonly sha256: string
  /** False until a sync server has accepted it. */
  readonly synced: boolean
  /** Who has scrubbed its value, when and why: all that described the value is gone then. Null for a version that is whole. */
  readonly redacted: { readonly at: number; readonly actor: string; readonly reason: string } | null
}

/** A live memory close in meaning to a write. */
export interface Peer {
  readonly key: string
  readonly id: string
  readonly similarity: number
  readonly status: Status
  readonly why: string
}

/** Names the rule that decided, with what it compared: enough to replay the verdict. */
export interface Explanation {
  readonly rule: string
  readonly because: string
  readonly thresholds: { readonly duplicate: number; readonly conflict: number }
  /** What the namespace does with statements that meet. */
  readonly policy: ConflictPolicy
  readonly embedder: string | null
}

/** Answer of every write. */
export interface WriteResult {
  readonly id: string
  readonly key: string
  readonly version: string
  readonly contentSha256: string
  readonly status: Status
  readonly verdict: VerdictKind
  readonly peers: readonly Peer[]
  readonly explanation: Explanation
  /** What a caller may do now, in a sentence; empty when nothing is left to do. */
  readonly next: string
  readonly mergedIntoKey?: string
  readonly duplicateOf?: string
  readonly retypedFrom?: string
  /** True when the write changed nothing but its count: the same bytes stood there. */
  readonly noop: boolean
  readonly dryRun: boolean
  /** What could not be done now and follows later: `unjudged`, `unembedded`. */
  readonly degraded: readonly string[]
  readonly advisories: readonly string[]
  /** Passages a long value was divided into; 1 for a short one, 0 when it is not searchable. */
  readonly chunksWritten: number
  readonly scope: Scope
}

/** Answer of `delete`. */
export interface DeleteResult {
  readonly found: boolean
  readonly tombstoned: number
  /** Memories made of it by `consolidate` that have nothing left to stand on, and went with it. */
  readonly dependentsTombstoned: number
  /** Those that were made of others too: `conflicted` from now on. */
  readonly dependentsDowngraded: number
  readonly scope: Scope
}

/** Answer of `bulkSet`: one entry per input, in order. */
export interface BulkResult {
  readonly results: readonly (
    | ({ readonly ok: true } & WriteResult)
    | { readonly ok: false; readonly index: number; readonly code: string; readonly message: string }
  )[]
  readonly written: number
  readonly failed: number
  /** Names this write for `undo`; null when nothing was written. */
  readonly batch: string | null
  readonly scope: Scope
}

/** Answer of `list`. */
export interface ListResult {
  readonly rows: readonly MemoryRow[]
  /** Pass it back as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null
  readonly scope: Scope
}

/** Which way a hit was found, and what it was worth there. */
export interface LegComponent {
  readonly leg: 'vector' | 'lexical' | 'entity' | 'time'
  readonly rank: number
  readonly score: number
  readonly weight: number
}

/** One found memory. */
export interface Hit extends MemoryRow {
  readonly score: number
  readonly components: readonly LegComponent[]
  /** What earlier outcomes have added to `score`, as a share of it: 0 to 0.05. */
  readonly boost: number
  /** What was known of the memory beside what it says has multiplied `score` by: 0.85 to 1.15, `boost` included. */
  readonly prior: number
  /** What the app's own function gave it, where the search was reranked. */
  readonly rerank?: number
  /** The passage that matched, as plain text. */
  readonly excerpt: string
  /** Of a section: the key of its document. */
  readonly parentKey?: string
  /** Names from one of the query's to what the memory is about, as they are looked up: one, or two where another memory leads from the first to the second. */
  readonly viaPath?: readonly string[]
  /** What came of runs that used it, as the handle's readers told, where any did: sums that halve in 30 days, and how many runs. */
  readonly usage?: { readonly helped: number; readonly harmed: number; readonly uses: number }
}

export type AbstainCode = 'empty_query' | 'nothing_stored' | 'nothing_close' | 'wrong_subject' | 'all_filtered'

/** Answer of `search`. */
export interface SearchResult {
  readonly hits: readonly Hit[]
  readonly abstained: boolean
  readonly abstainCode?: AbstainCode
  /** Why nothing is answered, in a sentence. */
  readonly reason?: string
  /** 0–1: how sure the best hit is. */
  readonly confidence: number
  /** 0–1: how far the legs agree on the best hits. */
  readonly routeAgreement: number
  readonly degraded: readonly string[]
  readonly advisories: readonly string[]
  /** Turns that wait to be learned from, where any do: what they say is not found yet. */
  readonly pendingExtraction?: number
  readonly scope: Scope
  readonly explain?: SearchExplanation
}

/** Filled with `explain: true`. */
export interface SearchExplanation {
  readonly embedder: string | null
  /** What compared the vectors: WebAssembly with SIMD, or JavaScript where there is none. */
  readonly scan: 'simd' | 'plain'
  readonly thresholds: { readonly vector: number; readonly confidence: number }
  readonly candidates: { readonly vector: number; readonly lexical: number }
  readonly milliseconds: {
    readonly embed: number
    readonly vector: number
    readonly lexical: number
    readonly entity: number
    readonly rows: number
  }
  readonly scopeExcluded: number
  readonly nearMisses: readonly { readonly key: string; readonly id: string; readonly similarity: number }[]
}
