import type { ModelProgress } from '../src/protocol/embedding.js'
import type { PairAnswer, PairQuestion } from '../src/protocol/judging.js'
import type { StorageReport } from '../src/schema/storage.js'

/** What SQLite can hold. Integers beyond 2^53 come back as bigint. */
export type SqlValue = null | number | bigint | string | Uint8Array

/** A statement with its bound values, made by the `sql` tag. */
export interface Sql {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/**
 * A database. Synchronous, so that nothing can be awaited between the first read of a transaction and its commit.
 *
 * Implementers: an error of the engine arrives as a MemoryError (STORAGE_FULL, STORAGE_CORRUPT, STORAGE_UNAVAILABLE) or is
 * passed through; a failed transaction leaves nothing behind, also when the engine has rolled back by itself.
 */
export interface Db {
  readonly all: <Row>(statement: Sql) => Row[]
  readonly get: <Row>(statement: Sql) => Row | undefined
  /** Runs a statement that answers nothing; returns how many rows it changed. */
  readonly run: (statement: Sql) => number
  /** Runs several statements without values: schema and pragmas. */
  readonly script: (text: string) => void
  /**
   * Runs `work` in one immediate transaction. A throw rolls back and is thrown on. `work` must be repeatable: after a full
   * disk was relieved it runs a second time. Nested calls join the outer transaction.
   */
  readonly transaction: <T>(work: () => T) => T
  /** Runs `work` in a transaction that is always rolled back, and returns what it returned. */
  readonly rehearsal: <T>(work: () => T) => T
  /**
   * Resolves when everything committed so far is on disk. Immediate where commit means so already. To be called in the same turn as
   * the commit: when storing fails, commits that nobody waited for are taken back too, and the next call rejects.
   */
  readonly durable: () => Promise<void>
  /** Closes the database and everything that holds its file. */
  readonly close: () => Promise<void>
}

/** A store that was opened, with what is to be said about it. */
export interface OpenedStorage {
  readonly db: Db
  readonly report: Pick<StorageReport, 'backend' | 'durable' | 'reason' | 'recovery'>
}

/** Turns texts into unit vectors. */
export interface Embedder {
  /** Names model, revision and pooling: vectors of different ids are never compared. */
  readonly id: string
  /** Null until the first answer, where only the model knows. */
  readonly dims: number | null
  /** One of the library's own: answers within microseconds, and its id says all. Others may change while they keep their id. */
  readonly builtIn: boolean
  /**
   * One unit vector per text, in order. Rejects with EMBEDDING_FAILED; an abort rejects with ABORTED. Text beyond the
   * embedder's window must not be cut silently: callers pass passages of at most {@link PASSAGE_LENGTH} characters.
   */
  readonly embed: (texts: readonly string[], options?: { readonly signal?: AbortSignal }) => Promise<readonly Float32Array[]>
  /** How far its model is loaded; null before and after. */
  readonly loading?: () => ModelProgress | null
  /** Frees what it holds. A later call starts it anew. */
  readonly stop?: () => void
}

/** What came of holding a text against patterns: none of them, the first that was found, or the one that took too long. */
export type Scan = { readonly kind: 'none' } | { readonly kind: 'match' | 'timeout'; readonly index: number }

/**
 * Looks for regular expressions in texts, on an engine that takes linear time, and within a time box for each pattern and for all of
 * them together.
 *
 * Implementers: a pattern that runs out of its time must be stopped, not waited for. A scanner that cannot run rejects with
 * WORKER_FAILED: a text that was not looked at is never one without a match.
 */
export interface PatternScanner {
  /** Why a pattern cannot be scanned for, or null. */
  readonly check: (pattern: string) => Promise<string | null>
  /** Pieces of one text, each of at most `PATTERN_LIMITS.piece` characters. */
  readonly scan: (patterns: readonly string[], pieces: readonly string[]) => Promise<Scan>
  /** Frees what it holds. A later call starts it anew. */
  readonly stop: () => void
}

/** Somebody who is asked about pairs that the rules left open: a model that the app brings. */
export interface PairJudge {
  /** Rejects when it cannot tell now; an abort rejects. */
  readonly ask: (question: PairQuestion, options: { readonly signal: AbortSignal }) => Promise<PairAnswer>
}

/** Time and chance, so that tests can hold them still. */
export interface System {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly randomBytes: (count: number) => Uint8Array
}

/** What is known about a store outside its database: survives its loss and tells a copied file from the original. */
export interface StoreRecord {
  readonly name: string
  readonly backend: 'opfs' | 'idb'
  readonly deviceId: string
  readonly createdAt: number
  readonly lastExportAt: number | null
  readonly recovery: StorageReport['recovery']
}

/** Keeps one record per store, outside the database. */
export interface StoreRegistry {
  readonly read: (name: string) => Promise<StoreRecord | null>
  readonly write: (record: StoreRecord) => Promise<void>
}
