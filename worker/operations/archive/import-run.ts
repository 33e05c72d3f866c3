import { resolve } from '../../../src/domain/scope.js'
import type { ImportEntry, ImportOutcome, ImportReport } from '../../../src/schema/archive.js'
import { dropResults } from '../../store/requests.js'
import type { CallContext, Engine } from '../context.js'
import { noteAct, type Recording, recorded } from '../memory/recorded.js'
import { letOthers, stopIfAborted } from '../turn.js'
import type { Arrival } from './arrival.js'
import { judgeArrivals } from './judge-arrivals.js'

/** Arrivals of one transaction: each is judged, and reads are to wait for less than a twentieth of a second. */
const BATCH = 20

/** What an import goes by. */
export interface Run {
  readonly engine: Engine
  readonly context: CallContext
  readonly recording: Recording
  /** Names what was given, so that an import that was stopped goes on. */
  readonly sha256: string
}

/** Gives all arrivals, some at a time. */
export type Arrivals = (each: (some: readonly Arrival[]) => Promise<void>) => Promise<void>

/** Takes arrivals in batch by batch. What an earlier import of the same did before it was stopped is not done again. */
export const judgeAll = async (run: Run, total: number, arrivals: Arrivals): Promise<readonly ImportEntry[]> => {
  const { engine, context, recording } = run
  const entries: ImportEntry[] = []
  let waiting: Arrival[] = []
  const takeBatch = async (): Promise<void> => {
    stopIfAborted(context.signal, writtenIn(entries))
    const batch = waiting.slice(0, BATCH)
    waiting = waiting.slice(BATCH)
    const own = { ...recording, idempotencyKey: `${run.sha256}#${entries.length}` }
    for (const entry of await engine.inOrder(() => judgeArrivals(engine, context, own, batch))) entries.push(entry)
    tellProgress(engine, entries.length, Math.max(total, entries.length + waiting.length))
    // Reads that came meanwhile are answered before the next batch.
    await letOthers()
  }
  await arrivals(async (some) => {
    for (const arrival of some) waiting.push(arrival)
    while (waiting.length >= BATCH) await takeBatch()
  })
  if (waiting.length > 0) await takeBatch()
  engine.wakeIndexing()
  return entries
}

export const tellProgress = ({ progress }: Engine, loaded: number, total: number): void =>
  progress({ phase: 'import', loaded, total, ratio: total === 0 ? 1 : loaded / total })

const WRITES: readonly ImportOutcome[] = ['written', 'older', 'buried']

export const writtenIn = (entries: readonly ImportEntry[]): number =>
  entries.filter(({ outcome }) => WRITES.includes(outcome)).length

/** How many met each end; what nobody met is left out. */
export const countOutcomes = (entries: readonly ImportEntry[]): ImportReport['outcomes'] => {
  const counts: Partial<Record<ImportOutcome, number>> = {}
  for (const { outcome } of entries) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** Ends an import in a transaction of its own: what it leaves behind, the audit row, and the answer that a resend gets. */
export const conclude = async ({ engine, context, recording }: Run, work: () => ImportReport): Promise<ImportReport> => {
  const { store } = engine
  const report = recorded<ImportReport>(engine, context, recording, () => {
    const result = work()
    const identity = store.book.find(resolve(context.scope))
    // From now on the same import is another one.
    if (identity !== null) dropResults(store.db, identity, `${recording.action}/`)
    noteAct(engine, context, recording.action)
    return { result, changes: [] }
  })
  await store.db.durable()
  return report
}
