import type { ModelProgress } from '../src/protocol/embedding.js'
import type { ChangeEvent, ProgressEvent } from '../src/protocol/events.js'
import type { ConnectMessage } from '../src/protocol/wire.js'
import type { WorkerOptions } from '../src/schema/options.js'
import { createHashEmbedder } from './adapters/hash-embedder.js'
import { createIdbRegistry } from './adapters/idb-registry.js'
import { type LanguageFiles, loadLanguage } from './adapters/language-files.js'
import { openStorage } from './adapters/open-storage.js'
import { createPortEmbedder } from './adapters/port-embedder.js'
import type { Repair } from './adapters/recovery.js'
import { loadSqlite, type Sqlite3Static } from './adapters/sqlite.js'
import { createStaticEmbedder } from './adapters/static-embedder.js'
import { system } from './adapters/system.js'
import { createWorkerScanner, startPatternWorker } from './adapters/worker-scanner.js'
import { loadWasm } from './assets.js'
import type { Embedders } from './embedding/rungs.js'
import { createEngine, type LeaderEngine } from './engine.js'
import { startInspection } from './loops/inspection.js'
import { importModule } from './modules.js'
import type { Finder } from './operations/finder.js'
import type { TalkReading } from './operations/learning/talk-reader.js'
import type { SeldomCalls } from './operations/seldom.js'
import type { PairJudge } from './ports.js'
import { refill } from './store/refill.js'

declare const __TABLE_SHA256__: string

/** Long enough that a burst of writes is over, short enough that nobody waits for it. */
const RESOLVE_AFTER_MS = 250

export type Progress = (progress: Omit<ProgressEvent, 'type'>) => void

/** SQLite, once per worker: started before anything else, since it takes the longest, and kept warm in followers. */
export const startSqlite = (assets: ConnectMessage['assets'], progress: Progress): Promise<Sqlite3Static> => {
  progress({ phase: 'engine', loaded: 0, total: 1, ratio: 0, file: 'sqlite3.wasm' })
  const starting = loadWasm(assets.wasm).then(loadSqlite)
  starting.then(
    () => progress({ phase: 'engine', loaded: 1, total: 1, ratio: 1, file: 'sqlite3.wasm' }),
    () => undefined,
  )
  return starting
}

/** The embedders the options name. Nothing is downloaded, and nothing of the page's started, before its first use. */
export const chooseEmbedders = (
  { embedder, model }: WorkerOptions,
  assets: ConnectMessage['assets'],
  line: MessagePort | null,
  progress: Progress,
): Embedders => {
  const table = createStaticEmbedder({
    url: assets.table,
    sha256: __TABLE_SHA256__,
    onProgress: (loaded, total) =>
      progress({
        phase: 'embedder',
        loaded,
        total,
        ratio: total === null || total === 0 ? 0 : loaded / total,
        file: 'static-256.bin',
      }),
  })
  const hash = createHashEmbedder()
  const builtIns = [table, hash]
  const auto = embedder === 'auto'
  if (embedder === 'hash') return { wanted: hash, builtIns, auto }
  const brought = embedder === 'auto' ? model : embedder === 'static' ? undefined : embedder
  if (brought === undefined || line === null) return { wanted: table, builtIns, auto }
  const onProgress = (made: ModelProgress): void => progress({ phase: 'embedder', ...made })
  return { wanted: createPortEmbedder({ ...brought, line, onProgress }), builtIns, auto }
}

/** Opens the store where it lives and puts an engine on it. Runs in the worker that leads. */
export const openEngine = async (
  options: WorkerOptions,
  parts: {
    readonly sqlite3: Promise<Sqlite3Static>
    readonly embedders: Embedders
    readonly language: LanguageFiles
    readonly repair: string
    readonly search: string
    readonly seldom: string
    readonly extract: string
    readonly pairJudge: PairJudge | null
    readonly patterns: string
    readonly progress: Progress
  },
  publish: (changes: ChangeEvent['changes']) => void,
): Promise<{ readonly engine: LeaderEngine; readonly report: Awaited<ReturnType<typeof openStorage>>['report'] }> => {
  const sqlite3 = await parts.sqlite3
  const registry = createIdbRegistry()
  parts.progress({ phase: 'database', loaded: 0, total: 1, ratio: 0 })
  const recover: typeof refill = (into, damaged) => {
    parts.progress({ phase: 'recovery', loaded: 0, total: 1, ratio: 0 })
    const recovered = refill(into, damaged)
    parts.progress({ phase: 'recovery', loaded: 1, total: 1, ratio: 1 })
    return recovered
  }
  const loadRepair = async (): Promise<Repair> => (await importModule(parts.repair)) as Repair
  const { db, report } = await openStorage(options, { sqlite3, registry, now: system.now, refill: recover, loadRepair })
  const record = report.backend === 'memory' ? null : await registry.read(options.name)
  const engine = createEngine({
    db,
    facts: { ...report, lastExportAt: record?.lastExportAt ?? null },
    embedders: parts.embedders,
    loadLanguage: () => loadLanguage(parts.language),
    loadFinder: async () => (await importModule(parts.search)) as Finder,
    loadSeldom: async () => (await importModule(parts.seldom)) as SeldomCalls,
    loadTalkReading: async () => (await importModule(parts.extract)) as TalkReading,
    pairJudge: parts.pairJudge,
    resolveAfterMs: RESOLVE_AFTER_MS,
    scanner: createWorkerScanner({ start: () => startPatternWorker(parts.patterns), url: parts.patterns }),
    system,
    deviceIdOutside: record?.deviceId ?? null,
    publish,
    progress: parts.progress,
    noteExport: async (at) => {
      const known = report.backend === 'memory' ? null : await registry.read(options.name)
      if (known !== null) await registry.write({ ...known, lastExportAt: at })
    },
  })
  if (report.backend !== 'memory' && (record === null || record.deviceId !== engine.deviceId))
    await registry.write({
      name: options.name,
      backend: report.backend,
      deviceId: engine.deviceId,
      createdAt: record?.createdAt ?? system.now(),
      lastExportAt: record?.lastExportAt ?? null,
      recovery: report.recovery,
    })
  parts.progress({ phase: 'database', loaded: 1, total: 1, ratio: 1 })
  if (report.backend === 'memory') return { engine, report }
  // Damage that is found now is dealt with when the store is opened next.
  const noteDamage = (cause: string): void => void registry.damage.set(options.name, { cause, quarantinedAs: null })
  let closing = false
  const inspecting = loadRepair().then(
    ({ inspect }) => (closing ? null : startInspection(inspect(db, { wasClean: engine.wasClean }), noteDamage)),
    // A store that is not looked over is still a store.
    () => null,
  )
  const close = async (): Promise<void> => {
    closing = true
    void inspecting.then((inspection) => inspection?.stop())
    await engine.close()
  }
  return { engine: { ...engine, close }, report }
}
