import type { BoundScope } from '../src/domain/scope.js'
import { CALLS, type CallName, type OftenName } from '../src/protocol/calls.js'
import { isMemoryError, MemoryError } from '../src/protocol/errors.js'
import type { ChangeEvent, ProgressEvent } from '../src/protocol/events.js'
import { createLadder } from './embedding/ladder.js'
import type { Embedders } from './embedding/rungs.js'
import { createIndexing } from './loops/indexing.js'
import { createKeeping } from './loops/keeping.js'
import { createRecalling } from './loops/recalling.js'
import type { CallContext, Engine } from './operations/context.js'
import { getEmbedder } from './operations/embedder.js'
import { createLanguageSource, type Language } from './operations/language.js'
import { bulkSet } from './operations/memory/bulk.js'
import { get, getById, list } from './operations/memory/read.js'
import { pin, set, update, updateById } from './operations/memory/set.js'
import { createResolver } from './operations/resolver.js'
import { search } from './operations/search.js'
import { type AsOfName, createSeldomSource, type SeldomCalls } from './operations/seldom.js'
import { browserFacts, type StorageFacts, storage } from './operations/storage.js'
import { parse } from './parse.js'
import type { PairJudge, PatternScanner, System } from './ports.js'
import { nextLeaving } from './store/leaving.js'
import { isAnythingOpen, unjudgedAfter } from './store/reviews.js'
import { openStore, type Store } from './store/store.js'
import { isUnfinished } from './store/unfinished.js'

/** One call as it reaches the engine: named, not yet parsed. */
export interface EngineCall {
  readonly name: CallName
  readonly input: unknown
  readonly scope: BoundScope
  readonly acceptedAt: number
  readonly forwarded: string | null
  readonly signal: AbortSignal
}

/** An open store that answers calls. Runs in the leader's worker, and in Node in the tests. */
export interface LeaderEngine {
  readonly run: (call: EngineCall) => Promise<unknown>
  readonly close: () => Promise<void>
  readonly deviceId: string
  /** Whether the database was closed properly before. */
  readonly wasClean: boolean
}

export interface EngineParts {
  readonly db: Store['db']
  readonly facts: StorageFacts
  readonly embedders: Embedders
  /** Called with the first write. */
  readonly loadLanguage: () => Promise<Language>
  /** Called with the first call that is not among {@link CALLS}. */
  readonly loadSeldom: () => Promise<SeldomCalls>
  readonly scanner: PatternScanner
  /** Asked about conflicts that the rules leave open; null where the app has nobody. */
  readonly pairJudge: PairJudge | null
  /** How long writes go on before conflicts are looked at, in milliseconds. */
  readonly resolveAfterMs: number
  readonly system: System
  /** The copy of the device id that is kept outside the database, or null. */
  readonly deviceIdOutside: string | null
  readonly publish: (changes: ChangeEvent['changes']) => void
  readonly progress: (progress: Omit<ProgressEvent, 'type'>) => void
  /** Keeps outside the database when all of it was exported. */
  readonly noteExport?: (at: number) => Promise<void>
}

/** By wire name. */
const OPERATIONS = {
  'memory.set': set,
  'memory.update': update,
  'memory.updateById': updateById,
  'memory.bulkSet': bulkSet,
  'memory.pin': pin,
  'memory.get': get,
  'memory.getById': getById,
  'memory.list': list,
  'memory.search': search,
  'embedder.get': getEmbedder,
} as const satisfies { readonly [Name in Exclude<OftenName, 'memory.storage' | 'memory.settled'>]: unknown }

/** A full disk with the browser's figures, which cannot be asked for inside the transaction that failed. */
const withEstimate = async (error: MemoryError): Promise<MemoryError> => {
  const { usage, quota } = await browserFacts()
  return new MemoryError('STORAGE_FULL', error.message, { usage, quota }, { cause: error.cause })
}

const isOften = (name: CallName): name is OftenName => Object.hasOwn(CALLS, name)

/** Schemas let `asOf` through where a read understands it only. */
const asksForEarlier = (input: unknown): boolean =>
  (input as { asOf?: unknown }).asOf !== undefined || (input as { asOfBasis?: unknown }).asOfBasis !== undefined

type Operation = (engine: Engine, context: CallContext, input: unknown) => unknown

export const createEngine = (parts: EngineParts): LeaderEngine => {
  const store = openStore(parts.db, parts.system, parts.deviceIdOutside)
  const seldom = createSeldomSource(parts.loadSeldom)
  let { lastExportAt } = parts.facts
  let last: Promise<unknown> = Promise.resolve()
  const engine: Engine = {
    store,
    language: createLanguageSource(async () => {
      const language = await parts.loadLanguage()
      // What an earlier opening left: with the first write, since reading alone needs none of this.
      if (isAnythingOpen(store.db)) engine.resolver.wake()
      return language
    }),
    ladder: createLadder(store, parts.embedders, {
      onMissing: () => indexing.wake(),
      onFailure: () => indexing.retry(),
    }),
    scanner: parts.scanner,
    pairJudge: parts.pairJudge,
    resolver: createResolver({
      delayMs: parts.resolveAfterMs,
      resolve: async (memories, all, signal) => (await seldom.ready()).resolvePending(engine, memories, all, signal),
    }),
    noteRecalled: (memories) => recalling.note(memories),
    wakeKeeping: () => keeping.arm(),
    publish: (changes) => {
      parts.publish(changes)
      keeping.arm()
    },
    progress: parts.progress,
    noteExport: async (at) => {
      lastExportAt = at
      await parts.noteExport?.(at)
    },
    wakeIndexing: () => indexing.wake(),
    interruptIndexing: () => indexing.interrupt(),
    inOrder: (work) => {
      const next = last.then(work, work)
      last = next.catch(() => undefined)
      return next
    },
  }
  const recalling = createRecalling(store, engine.inOrder)
  const indexing = createIndexing(
    () => engine,
    (file, loaded, total) =>
      parts.progress({ phase: 'indexing', loaded, total, ratio: total === 0 ? 1 : loaded / total, file }),
    () => {
      if (unjudgedAfter(store.db, 0, 1).length > 0) engine.resolver.wake()
    },
  )
  const keeping = createKeeping({
    next: () => nextLeaving(store.db),
    now: store.system.now,
    delayMs: parts.resolveAfterMs,
    keep: async (signal) => (await seldom.ready()).keep(engine, signal),
  })
  indexing.wake()
  keeping.arm()
  if (isUnfinished(store.db)) engine.resolver.wake()

  const run = async (call: EngineCall): Promise<unknown> => {
    call.signal.throwIfAborted()
    const { name, scope, acceptedAt, forwarded, signal } = call
    const context: CallContext = { scope, acceptedAt, forwarded, signal }
    try {
      if (!isOften(name)) return await (await seldom.ready()).run(engine, context, name, call.input)
      const input: unknown = parse(CALLS[name].input, call.input)
      if (asksForEarlier(input)) return await (await seldom.ready()).readAsOf(engine, context, name as AsOfName, input)
      await seldom.quiet()
      if (name === 'memory.storage') return storage(engine, context, { ...parts.facts, lastExportAt })
      if (name === 'memory.settled') return await settled()
      return await (OPERATIONS[name] as Operation)(engine, context, input)
    } catch (error) {
      throw isMemoryError(error, 'STORAGE_FULL') ? await withEstimate(error) : error
    }
  }

  const settled = async (): Promise<null> => {
    await last
    await indexing.settled()
    await keeping.settled()
    await engine.resolver.settled()
    await indexing.settled()
    await recalling.settle()
    return null
  }

  return {
    run,
    close: async () => {
      indexing.stop()
      engine.resolver.stop()
      keeping.stop()
      recalling.stop()
      engine.ladder.stop()
      engine.scanner.stop()
      await last
      await store.close()
    },
    deviceId: store.device.deviceId,
    wasClean: store.wasClean,
  }
}
