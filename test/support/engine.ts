import type { CallName } from '../../src/protocol/calls.js'
import type { ChangeEvent } from '../../src/protocol/events.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { createHashEmbedder } from '../../worker/adapters/hash-embedder.js'
import { loadSqlite, openMemoryDb } from '../../worker/adapters/sqlite.js'
import { createEngine, type LeaderEngine } from '../../worker/engine.js'
import type { Language } from '../../worker/operations/language.js'
import type { Db, Embedder, PairJudge, PatternScanner, System } from '../../worker/ports.js'
import * as seldom from '../../worker/seldom/main.js'
import { testLanguage } from './lexicon.js'
import { createScannerHere } from './scanner-here.js'

const sqlite3 = loadSqlite()

/** A clock that moves one millisecond at each look, and chance that repeats from test to test. */
export const createTestSystem = (
  start = Date.UTC(2026, 0, 1),
  firstSeed = 1,
): System & { advance: (ms: number) => void } => {
  let now = start
  let seed = firstSeed
  return {
    now: () => now++,
    advance: (ms) => {
      now += ms
    },
    randomBytes: (count) =>
      Uint8Array.from({ length: count }, () => {
        // The generator of George Marsaglia's xorshift paper: no short cycles, unlike a product that leaves the exact integers.
        seed ^= seed << 13
        seed ^= seed >>> 17
        seed ^= seed << 5
        return seed & 255
      }),
  }
}

export interface TestMemory {
  readonly engine: LeaderEngine
  readonly db: Db
  readonly system: ReturnType<typeof createTestSystem>
  readonly events: ChangeEvent['changes'][number][]
  /** Runs a call in a scope, as the worker would. */
  readonly call: <T>(
    name: CallName,
    input?: unknown,
    scope?: ScopePatch,
    more?: { forwarded?: string; signal?: AbortSignal },
  ) => Promise<T>
}

/** The whole engine on the real SQLite, in memory. */
export const createTestMemory = async (
  options: {
    /** The one that answers; the hash embedder unless another is given. */
    readonly embedder?: Embedder
    /** Others that may stand in for it. None unless given. */
    readonly builtIns?: readonly Embedder[]
    readonly auto?: boolean
    readonly scanner?: PatternScanner
    readonly pairJudge?: PairJudge
    readonly loadSeldom?: Parameters<typeof createEngine>[0]['loadSeldom']
    readonly progress?: Parameters<typeof createEngine>[0]['progress']
    readonly db?: Db
    /** What judging asks; the lexicon as it ships unless given. */
    readonly language?: Language
    readonly deviceIdOutside?: string | null
    /** For a second opening of one database: its chance must not give the first one's ids again. */
    readonly system?: ReturnType<typeof createTestSystem>
  } = {},
): Promise<TestMemory> => {
  const db = options.db ?? openMemoryDb(await sqlite3)
  const system = options.system ?? createTestSystem()
  const events: ChangeEvent['changes'][number][] = []
  const engine = createEngine({
    db,
    facts: { backend: 'memory', durable: 'no', reason: 'A test.', recovery: null, lastExportAt: null },
    embedders: {
      wanted: options.embedder ?? createHashEmbedder(),
      builtIns: options.builtIns ?? [],
      auto: options.auto ?? false,
    },
    scanner: options.scanner ?? createScannerHere(),
    system,
    loadLanguage: async () => options.language ?? testLanguage(),
    pairJudge: options.pairJudge ?? null,
    // Until a test asks for it, by waiting until all is settled.
    resolveAfterMs: 2 ** 31 - 1,
    loadSeldom: options.loadSeldom ?? (async () => seldom),
    deviceIdOutside: options.deviceIdOutside ?? null,
    publish: (changes) => void events.push(...changes),
    progress: options.progress ?? (() => undefined),
  })
  return {
    engine,
    db,
    system,
    events,
    call: async <T>(
      name: CallName,
      input: unknown = {},
      scope: ScopePatch = {},
      more: { forwarded?: string; signal?: AbortSignal } = {},
    ) =>
      (await engine.run({
        name,
        input,
        scope,
        acceptedAt: system.now(),
        forwarded: more.forwarded ?? null,
        signal: more.signal ?? new AbortController().signal,
      })) as T,
  }
}

/** A fresh database in memory. */
export const openTestDb = async (): Promise<Db> => openMemoryDb(await sqlite3)
