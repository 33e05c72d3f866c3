import { resolve } from '../../../src/domain/scope.js'
import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'
import { BulkEntry } from '../../../src/schema/calls.js'
import type { BulkResult, WriteResult } from '../../../src/schema/records.js'
import { parse } from '../../parse.js'
import { rowIdAt } from '../../store/devices.js'
import type { CallContext, Engine } from '../context.js'
import { letOthers } from '../turn.js'
import { commitWrite } from './commit.js'
import { type PreparedWrite, prepare } from './prepare.js'
import { type Change, type Recording, type Refused, recorded, repeatOf } from './recorded.js'
import { requireWritable } from './set.js'

/** Entries of one transaction: large enough to be quick, small enough that reads get their turn in between. */
const BATCH = 250

type EntryResult = BulkResult['results'][number]

interface Entry {
  readonly index: number
  readonly input: ReturnType<typeof parseEntry>
}

/** What became of the entries of one batch, and the write that it belongs to: null when nothing was written yet. */
interface Batch {
  readonly results: readonly EntryResult[]
  readonly act: number | null
}

interface BulkInput {
  readonly entries: readonly unknown[]
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** Writes many claims, batch by batch; an abort between two batches says how many were written. */
export const bulkSet = (engine: Engine, context: CallContext, input: BulkInput): Promise<BulkResult> => {
  requireWritable(engine, context, recordingOf(input))
  return engine.inOrder(async () => {
    const results: EntryResult[] = []
    let act: number | null = null
    for (let start = 0; start < input.entries.length; start += BATCH) {
      try {
        context.signal.throwIfAborted()
        const batch: Batch = await writeBatch(engine, context, input, start, act)
        results.push(...batch.results)
        act = batch.act
      } catch (error) {
        results.push(...unwritten(context, input, start, error, countOk(results)))
        break
      }
      // Reads that came meanwhile are answered before the next batch.
      await letOthers()
    }
    const written = countOk(results)
    const batch = act === null || input.dryRun === true ? null : rowIdAt(engine.store.deviceIdOf, act)
    return { results, written, failed: results.length - written, batch, scope: resolve(context.scope) }
  })
}

/** What becomes of the entries from a batch on that failed. Batches before it stay written, so the caller is told entry by entry. */
const unwritten = (
  context: CallContext,
  input: BulkInput,
  start: number,
  error: unknown,
  written: number,
): readonly EntryResult[] => {
  if (context.signal.aborted) throw new MemoryError('ABORTED', 'The write was stopped between two batches.', { written })
  if (start === 0 || !(error instanceof MemoryError)) throw error
  const { code, message } = error
  return input.entries.slice(start).map((_, i) => ({ ok: false, index: start + i, code, message }))
}

const countOk = (results: readonly EntryResult[]): number => results.filter((result) => result.ok).length

const writeBatch = async (
  engine: Engine,
  context: CallContext,
  input: BulkInput,
  start: number,
  act: number | null,
): Promise<Batch> => {
  const results = new Map<number, EntryResult>()
  const entries: Entry[] = []
  input.entries.slice(start, start + BATCH).forEach((raw, i) => {
    try {
      entries.push({ index: start + i, input: parseEntry(raw, start + i) })
    } catch (error) {
      results.set(start + i, refused(start + i, error))
    }
  })
  const idempotencyKey = input.idempotencyKey === undefined ? undefined : `${input.idempotencyKey}#${start}`
  const recording = { ...recordingOf(input), idempotencyKey, act }
  const batchContext = context.forwarded === null ? context : { ...context, forwarded: `${context.forwarded}#${start}` }
  // A repeat needs no embedder.
  const isRepeat = repeatOf(engine, batchContext, recording) !== undefined
  const inputs = isRepeat ? [] : entries.map((entry) => entry.input)
  const prepared = await prepare(engine, inputs, context)
  const written = recorded(engine, batchContext, recording, () => {
    const changes: Change[] = []
    const done = entries.map(
      (entry, i) => [entry.index, writeEntry(engine, context, entry, prepared[i], recording.dryRun, changes)] as const,
    )
    const refusals = done.flatMap(([, result], i) => (result.ok ? [] : [refusalOf(entries[i], result.code)]))
    return { result: { done, act: engine.store.author.act }, changes, refusals }
  })
  await engine.store.db.durable()
  for (const [index, result] of written.done) results.set(index, result)
  const isBehind = prepared.some(({ vectors }) => !engine.ladder.covers(vectors))
  if (isBehind || written.done.some(([, result]) => result.ok && result.degraded.includes('unembedded')))
    engine.wakeIndexing()
  const inOrder = [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result)
  return { results: inOrder, act: written.act }
}

const recordingOf = (input: BulkInput): Recording => ({
  action: 'memory.bulkSet',
  idempotencyKey: input.idempotencyKey,
  dryRun: input.dryRun ?? false,
})

const refusalOf = (entry: Entry | undefined, code: string): Refused => {
  const key = entry?.input.key
  return { outcome: code, ...(key === undefined ? {} : { key }) }
}

const parseEntry = (raw: unknown, index: number) => parse(BulkEntry, raw, `entries.${index}`)

const writeEntry = (
  engine: Engine,
  context: CallContext,
  entry: Entry,
  prepared: PreparedWrite | undefined,
  dryRun: boolean,
  changes: Change[],
): EntryResult => {
  if (prepared?.refused !== undefined) return { ok: false, index: entry.index, ...codeOf(prepared.refused) }
  if (prepared === undefined) return refused(entry.index, invalidArgument(`entries.${entry.index}`, 'was not prepared'))
  try {
    const target = { kind: 'set', key: entry.input.key ?? null } as const
    const { ifMatchSha256, onPinned } = entry.input
    const options = { ifMatchSha256, onPinned, dryRun }
    const committed = commitWrite(engine, context, target, prepared, options)
    changes.push(...committed.changes)
    return { ok: true, ...(committed.result satisfies WriteResult) }
  } catch (error) {
    return refused(entry.index, error)
  }
}

/** A refusal of one entry; anything else fails the batch. */
const refused = (index: number, error: unknown): EntryResult => {
  if (!(error instanceof MemoryError) || (error.status >= 500 && error.code !== 'BLACKLIST_TIMEOUT')) throw error
  return { ok: false, index, ...codeOf(error) }
}

const codeOf = ({ code, message }: MemoryError) => ({ code, message })
