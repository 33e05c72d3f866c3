import { resolve } from '../../../src/domain/scope.js'
import { isMemoryError } from '../../../src/protocol/errors.js'
import type { ImportReport } from '../../../src/schema/archive.js'
import type { CallContext, Engine } from '../context.js'
import { putErasures } from '../erasing/receipts.js'
import { type Recording, recordRefusal, repeatOf } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'
import { stopIfAborted } from '../turn.js'
import { arrivalOf } from './arrival.js'
import { type Checked, checkArchive } from './check-archive.js'
import { readForeign } from './foreign.js'
import { conclude, countOutcomes, judgeAll, type Run, tellProgress, writtenIn } from './import-run.js'
import { ARCHIVE_START, readArchive } from './read-archive.js'
import { beginRestoring, isEmptyFor } from './restore-archive.js'
import { putNamespaces, putRules, putUsage } from './settle-archive.js'
import { beginsWith, type Unpacked, unpack } from './unpack.js'
import { createBreather, walk } from './walk.js'

interface ImportInput {
  readonly archive: Blob | string
  readonly passphrase?: string | undefined
  readonly dryRun?: boolean | undefined
}

/**
 * Takes in an archive, or what another system has exported. An archive is checked to its end before anything is written. An empty store is
 * filled version for version, or not at all; in any other every statement is judged as a write is, in batches that stay.
 */
export const importArchive = async (engine: Engine, context: CallContext, input: ImportInput): Promise<ImportReport> => {
  const recording: Recording = { action: 'memory.import', idempotencyKey: undefined, dryRun: input.dryRun ?? false }
  requireWritable(engine, context, recording)
  const before = repeatOf<ImportReport>(engine, context, recording)
  if (before !== undefined) return before
  try {
    const unpacked = await unpack(input.archive, input.passphrase)
    const isOwn = await beginsWith(unpacked, ARCHIVE_START)
    return await (isOwn
      ? importOwn(engine, context, recording, unpacked)
      : importForeign(engine, context, recording, unpacked))
  } catch (error) {
    if (isMemoryError(error, 'INVALID_ARGUMENT')) recordRefusal(engine, context, recording, error)
    throw error
  }
}

const importForeign = async (
  engine: Engine,
  context: CallContext,
  recording: Recording,
  unpacked: Unpacked,
): Promise<ImportReport> => {
  const { format, arrivals, sha256 } = await readForeign(context, unpacked.open())
  const run: Run = { engine, context, recording, sha256 }
  const entries = await judgeAll(run, arrivals.length, (each) => each(arrivals))
  return engine.inOrder(() =>
    conclude(run, () => ({
      ...reportOf(run, format, entries.length),
      versions: writtenIn(entries),
      outcomes: countOutcomes(entries),
      entries,
    })),
  )
}

const reportOf = ({ context, recording }: Run, format: ImportReport['format'], memories: number) => ({
  format,
  mode: 'judged' as const,
  memories,
  rules: 0,
  namespaces: 0,
  erasures: 0,
  dryRun: recording.dryRun,
  scope: resolve(context.scope),
})

const importOwn = async (
  engine: Engine,
  context: CallContext,
  recording: Recording,
  unpacked: Unpacked,
): Promise<ImportReport> => {
  const checked = await checkArchive(engine, context, unpacked)
  const run: Run = { engine, context, recording, sha256: checked.sha256 }
  const restored = await engine.inOrder(async () =>
    isEmptyFor(engine.store, checked.devices) ? restore(run, unpacked, checked) : null,
  )
  return restored ?? judgeOwn(run, unpacked, checked)
}

/** Fills an empty store. Whatever stops it, the store is empty again afterwards. */
const restore = async (run: Run, unpacked: Unpacked, checked: Checked): Promise<ImportReport> => {
  const { engine, context, recording } = run
  const { memories, versions } = checked.own
  const total = checked.counts.memories
  const report = (rules: number, namespaces: number, erasures: number): ImportReport => ({
    ...reportOf(run, 'palimpsest', total),
    mode: 'restored',
    versions,
    outcomes: { ...(memories > 0 ? { written: memories } : {}), ...(total > memories ? { outside: total - memories } : {}) },
    entries: [],
    rules,
    namespaces,
    erasures,
  })
  if (recording.dryRun) return report(checked.rules.length, checked.namespaces.length, checked.erasures.length)
  const restoring = beginRestoring(engine, context)
  const breathe = createBreather(engine.store.system.now)
  const fill = async (): Promise<ImportReport> => {
    let loaded = 0
    await walk(readArchive(unpacked.open()), async (some) => {
      stopIfAborted(context.signal, 0)
      await restoring.put(some)
      loaded += some.length
      tellProgress(engine, loaded, total)
      await breathe()
    })
    await restoring.put([], true)
    stopIfAborted(context.signal, 0)
    return conclude(run, () => {
      restoring.finish()
      const namespaces = putNamespaces(engine.store, checked.namespaces)
      putUsage(engine.store, checked.usage)
      const rules = putRules(engine.store, checked.rules)
      return report(rules, namespaces, putErasures(engine.store, checked.erasures))
    })
  }
  const done = await fill().catch(async (error: unknown) => {
    await restoring.undo()
    throw error
  })
  restoring.announce()
  engine.wakeIndexing()
  return done
}

/** What a namespace has settled comes first, since statements are judged by it; rules come last, since they hold for later writes. */
const judgeOwn = async (run: Run, unpacked: Unpacked, checked: Checked): Promise<ImportReport> => {
  const { engine, context, recording } = run
  const { store } = engine
  const namespaces = await engine.inOrder(async () =>
    store.write(() => putNamespaces(store, checked.namespaces), { rehearse: recording.dryRun }),
  )
  const entries = await judgeAll(run, checked.counts.memories, async (each) => {
    await walk(readArchive(unpacked.open()), (some) => each(some.map((memory) => arrivalOf(context, memory))))
  })
  return engine.inOrder(() =>
    conclude(run, () => ({
      ...reportOf(run, 'palimpsest', entries.length),
      versions: writtenIn(entries),
      outcomes: countOutcomes(entries),
      entries,
      rules: putRules(store, checked.rules),
      namespaces,
      // Last: what this archive holds was not erased.
      erasures: putErasures(store, checked.erasures),
    })),
  )
}
