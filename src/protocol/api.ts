import type {
  BulkEntry,
  CalibrationOptions,
  ConflictsFilter,
  KeyOptions,
  ListFilter,
  LiveTarget,
  ResolveInput,
  SearchOptions,
  SetInput,
  TargetOptions,
  UpdateByIdInput,
  UpdateInput,
} from '../schema/calls.js'
import type { ConflictsResult, ResolveResult } from '../schema/conflicts.js'
import type { CalibrationReport, EmbedderReport } from '../schema/embedder.js'
import type { BulkResult, DeleteResult, Hit, ListResult, MemoryRow, SearchResult, WriteResult } from '../schema/records.js'
import type { ScopePatch } from '../schema/scope.js'
import type { StorageReport } from '../schema/storage.js'
import type { Abortable } from './abortable.js'
import type { ArchiveCalls } from './archive-calls.js'
import type { AskingCalls, Reranking } from './asking-calls.js'
import type { BulkCalls } from './bulk-calls.js'
import type { ContextCalls } from './context-calls.js'
import type { ErasingCalls } from './erasing-calls.js'
import type { MemoryError } from './errors.js'
import type { ProgressEvent } from './events.js'
import type { GuardCalls } from './guard-calls.js'
import type { HistoryCalls } from './history-calls.js'
import type { LearningCalls } from './learning-calls.js'
import type { NeighbourCalls } from './neighbour-calls.js'
import type { NamespaceCalls, ProposalCalls } from './policy-calls.js'
import type { ProvenanceCalls } from './provenance-calls.js'
import type { UsageCalls } from './usage-calls.js'

export type { Abortable } from './abortable.js'

/** One look at what a live query watches. */
export interface LiveSnapshot {
  readonly status: 'loading' | 'ready' | 'error'
  /** Rows of a key or filter, hits of a search. */
  readonly rows: readonly (MemoryRow | Hit)[]
  /** Against the snapshot before. */
  readonly added: readonly (MemoryRow | Hit)[]
  readonly changed: readonly (MemoryRow | Hit)[]
  readonly removed: readonly string[]
  readonly error: MemoryError | null
}

/** A running live query. Iterating it yields the newest snapshot; leaving the loop unsubscribes. */
export interface LiveQuery extends AsyncIterable<LiveSnapshot> {
  /** Stops it and frees what it holds. Calling twice is fine. */
  readonly unsubscribe: () => void
  /** The same object until something changed. */
  readonly getSnapshot: () => LiveSnapshot
  /** Calls back after every change; answers with the function that ends it. */
  readonly subscribe: (onChange: () => void) => () => void
}

/** Memories that cannot both be so, and what becomes of them. */
export interface ConflictCalls {
  /**
   * Memories in conflict that the handle may read, newest first, a page at a time, each with those it stands against.
   *
   * ```ts
   * const { conflicts } = await memory.conflicts.list()
   * ```
   */
  readonly list: (filter?: ConflictsFilter & Abortable) => Promise<ConflictsResult>
  /**
   * Decide a conflict. `revise`: the memory is right, with another value where one is given, and what contradicted it is deleted.
   * `allow`: both may stand. `contract`: the memory is deleted. What is deleted can be restored for 14 days.
   *
   * Rejects with NOT_FOUND when no memory of this id is in conflict, and with FORBIDDEN when the handle may not change it.
   *
   * ```ts
   * await memory.conflicts.resolve({ id: row.id, action: 'allow' })
   * ```
   */
  readonly resolve: (input: ResolveInput & Abortable) => Promise<ResolveResult>
}

/** The embedder of a store. It is one for all handles and tabs. */
export interface EmbedderCalls {
  /**
   * Which embedder answers now, and how far the wanted one is: its model, and the vectors of what is stored. Cheap enough to be asked
   * once a second.
   *
   * ```ts
   * const { active, state, ratio } = await memory.embedder.get()
   * ```
   */
  readonly get: (options?: Abortable) => Promise<EmbedderReport>
  /** Stops bringing up the wanted embedder, also after a reload, until `resume`. What it has made is kept. No effect once it is ready. */
  readonly pause: (options?: Abortable) => Promise<EmbedderReport>
  /** Goes on after a pause, begins anew after a cancel, and tries at once what failed. */
  readonly resume: (options?: Abortable) => Promise<EmbedderReport>
  /** As `pause`, but its model is ended and what it has made is dropped. */
  readonly cancel: (options?: Abortable) => Promise<EmbedderReport>
}

/** A handle on the memories of one scope. Scoped handles have the same calls. */
export interface Memory
  extends NeighbourCalls,
    AskingCalls,
    ErasingCalls,
    GuardCalls,
    HistoryCalls,
    ProvenanceCalls,
    UsageCalls,
    BulkCalls,
    ArchiveCalls,
    LearningCalls {
  /**
   * Learn a claim. The same key again is a new version, the same bytes again only count. Without a key one is made from the
   * statement and returned. A resolved promise means that the row is on disk.
   *
   * Rejects with INVALID_ARGUMENT, LOCKED, PINNED_CONFLICT, BLACKLISTED, BLACKLIST_TIMEOUT, PRECONDITION_FAILED, FORBIDDEN,
   * EMBEDDING_FAILED, WORKER_FAILED (patterns of the blacklist cannot run), STORAGE_FULL.
   *
   * ```ts
   * const { key, verdict } = await memory.set({ key: 'user/home/city', value: 'Alice lives in Berlin.' })
   * ```
   */
  readonly set: (input: SetInput & Abortable) => Promise<WriteResult>
  /**
   * Correct the memory under a key: the fields given replace, all others are carried forward.
   *
   * Rejects with NOT_FOUND when nothing lives there, and as `set`.
   *
   * ```ts
   * await memory.update({ key: 'user/home/city', confidence: 0.8 })
   * ```
   */
  readonly update: (input: UpdateInput & Abortable) => Promise<WriteResult>
  /**
   * Correct one memory by id. Rejects with NOT_FOUND, with FORBIDDEN when the handle may read but not change it, and as `set`.
   *
   * ```ts
   * await memory.updateById({ id: row.id, tags: ['confirmed'] })
   * ```
   */
  readonly updateById: (input: UpdateByIdInput & Abortable) => Promise<WriteResult>
  /**
   * Write many claims. Entries are judged one by one in order; a bad entry is reported and the others are written.
   *
   * When the store fails after
   * some batches were written, the remaining entries are reported as failed.
   *
   * Rejects with ABORTED (details: how many were written), FORBIDDEN, and STORAGE_FULL when nothing was written.
   *
   * ```ts
   * const { written, failed } = await memory.bulkSet([{ key: 'user/pet/cat', value: 'Mia' }, { value: 'I like tea.' }])
   * ```
   */
  readonly bulkSet: (
    entries: readonly BulkEntry[],
    options?: { readonly idempotencyKey?: string; readonly dryRun?: boolean } & Abortable,
  ) => Promise<BulkResult>
  /**
   * The live memory under a key, or null. Of several tiers the nearest answers: session, then user, then global.
   *
   * Rejects with AMBIGUOUS_KEY when several agents, users or sessions hold the key in the nearest tier.
   *
   * ```ts
   * const row = await memory.get('user/home/city')
   * ```
   */
  readonly get: (key: string, options?: KeyOptions & Abortable) => Promise<MemoryRow | null>
  /** One memory by id, whatever its status, or null when the handle may not read it. */
  readonly getById: (id: string, options?: Abortable) => Promise<MemoryRow | null>
  /**
   * Memories by filter, newest first, a page at a time.
   *
   * ```ts
   * const { rows, nextCursor } = await memory.list({ keyPrefix: 'user/', limit: 20 })
   * ```
   */
  readonly list: (filter?: ListFilter & Abortable) => Promise<ListResult>
  /**
   * Delete the memory under a key: a version that says so. It can be restored for 14 days and stays in history.
   *
   * Rejects with LOCKED when it is locked.
   *
   * ```ts
   * const { found } = await memory.delete('user/home/city')
   * ```
   */
  readonly delete: (key: string, options?: TargetOptions & Abortable) => Promise<DeleteResult>
  /**
   * Bring back what was deleted under a key within the last 14 days, or what was superseded.
   *
   * Rejects with NOT_FOUND when nothing was there, GONE when it is too late, PRECONDITION_FAILED when a newer memory lives there,
   * BLACKLISTED when a rule forbids it.
   */
  readonly restore: (key: string, options?: TargetOptions & Abortable) => Promise<WriteResult>
  /**
   * What fits a question, best first, or honestly nothing: `abstained` says so and `reason` why. A blank query finds nothing.
   * `rerank` is a function of the app's own that puts the best hits in order; where it fails they stand as found.
   *
   * ```ts
   * const { hits, abstained } = await memory.search('where does she live?')
   * ```
   */
  readonly search: (query: string, options?: SearchOptions & Abortable & Reranking) => Promise<SearchResult>
  /**
   * Watch a key, a search or a filter, across tabs. The callback gets a first snapshot and then one after each change.
   *
   * ```ts
   * const live = memory.live({ key: 'user/home/city' }, ({ rows }) => show(rows[0]?.value))
   * live.unsubscribe()
   * ```
   */
  readonly live: (target: LiveTarget, callback?: (snapshot: LiveSnapshot) => void) => LiveQuery
  /**
   * A handle narrowed further. Narrowing only: throws FORBIDDEN when a level is already bound to something else, and
   * INVALID_ARGUMENT for an id that is no string.
   *
   * ```ts
   * const alice = memory.scope({ user: 'alice' })
   * ```
   */
  readonly scope: (patch: ScopePatch) => Memory
  /** Where the memories are kept, how safe they are there, and what was done about damage. */
  readonly storage: (options?: Abortable) => Promise<StorageReport>
  readonly context: ContextCalls
  readonly conflicts: ConflictCalls
  readonly proposals: ProposalCalls
  readonly namespaces: NamespaceCalls
  /** Who turns texts into vectors, and how far the one that is to do so has come. */
  readonly embedder: EmbedderCalls
  readonly calibration: {
    /**
     * From when on two texts count as alike, by what was measured of the embedder that answers: its similarities of texts that say
     * one thing in two ways, and of texts that have nothing to do with each other; or by what the namespace has settled.
     *
     * ```ts
     * const { thresholds, source } = await memory.calibration.get()
     * ```
     */
    readonly get: (options?: CalibrationOptions & Abortable) => Promise<CalibrationReport>
  }
  /** Resolves once background work (embedding, recovery) is idle. */
  readonly settled: (options?: Abortable) => Promise<void>
  /** Ends this opening of the store, all its scoped handles included. Later calls reject with CLOSED. */
  readonly close: () => Promise<void>
  /** Calls back on the progress of opening, indexing and recovery; answers with the function that ends it. */
  readonly onProgress: (callback: (progress: ProgressEvent) => void) => () => void
}
