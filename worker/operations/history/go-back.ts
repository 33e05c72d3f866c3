import { type BoundScope, resolve } from '../../../src/domain/scope.js'
import { invalidArgument, isMemoryError, MemoryError } from '../../../src/protocol/errors.js'
import type { PlannedRow, RestoreResult } from '../../../src/schema/going-back.js'
import { rowIdAt } from '../../store/devices.js'
import { addGoingBack, clearGoingBack, countGoingBack, nextGoingBack, noteGoneBack } from '../../store/going-back.js'
import { noteFinished, noteUnfinished, unfinished } from '../../store/unfinished.js'
import type { CallContext, Engine } from '../context.js'
import { type Change, forgetResult, type Recording, recorded, recordRefusal, repeatOf } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'
import { letOthers, takeTurn } from '../turn.js'
import { bringBack } from './bring-back.js'
import type { Planned } from './plan.js'

/** Memories brought back in one transaction. More go in steps of so many, with other calls in between. */
export const STEP = 2_000

interface RestoreInput {
  readonly dryRun: boolean
  readonly limit: number
  readonly cursor?: string | undefined
  readonly idempotencyKey?: string | undefined
}

/** What the steps after the first need, kept in the file. */
interface Noted {
  readonly action: string
  readonly scope: BoundScope
  readonly act: number | null
}

/**
 * Plans, and does what was planned unless that is all that was asked for: in one transaction, or in steps that are noted with the first
 * of them, so that the next opening goes on where this one ended. Between plan and first step nothing is written.
 */
export const goBack = async (
  engine: Engine,
  context: CallContext,
  action: string,
  input: RestoreInput,
  makePlan: () => Promise<readonly Planned[]>,
): Promise<RestoreResult> => {
  const recording: Recording = { action, idempotencyKey: input.idempotencyKey, dryRun: input.dryRun }
  requireWritable(engine, context, recording)
  const before = input.dryRun ? undefined : repeatOf<RestoreResult>(engine, context, recording)
  if (before !== undefined) return before
  const after = readCursor(input.cursor)
  for (;;) {
    await finishGoingBack(engine, context.signal)
    await takeTurn(context, 0)
    const result = await engine.inOrder(async () => {
      // Another call of the kind has begun meanwhile: its steps come first.
      if (unfinished(engine.store.db, 'going_back') !== null) return null
      const planned = await makePlan().catch((error: unknown) => {
        if (isMemoryError(error, 'NOT_FOUND')) recordRefusal(engine, context, recording, error)
        throw error
      })
      const told = tellPlan(context, planned, input, after)
      return input.dryRun || told.counts.keep === planned.length ? told : begin(engine, context, recording, planned, told)
    })
    if (result === null) continue
    await continueGoingBack(engine, context, recording)
    engine.wakeIndexing()
    return result
  }
}

/** The first step, with the rest noted. */
const begin = async (
  engine: Engine,
  context: CallContext,
  recording: Recording,
  planned: readonly Planned[],
  told: RestoreResult,
): Promise<RestoreResult> => {
  const { store } = engine
  const result = recorded<RestoreResult>(engine, context, recording, () => {
    for (const { done } of planned) if (done !== null) addGoingBack(store.db, done)
    const changes = step(engine, context)
    const { act } = store.author
    const noted: Noted = { action: recording.action, scope: context.scope, act }
    if (countGoingBack(store.db).total > 0) noteUnfinished(store.db, 'going_back', JSON.stringify(noted))
    return { result: { ...told, batch: act === null ? null : rowIdAt(store.deviceIdOf, act) }, changes }
  })
  await store.db.durable()
  return result
}

/** Brings the next memories back. The last step clears the plan. */
const step = (engine: Engine, context: CallContext): readonly Change[] => {
  const { db } = engine.store
  const some = nextGoingBack(db, STEP)
  const changes = bringBack(engine, context, some)
  noteGoneBack(
    db,
    some.map(({ memory }) => memory),
  )
  const { done, total } = countGoingBack(db)
  engine.progress({ phase: 'rollback', loaded: done, total, ratio: total === 0 ? 1 : done / total })
  if (done === total) {
    clearGoingBack(db)
    noteFinished(db, 'going_back')
  }
  return changes
}

/** Does the steps that are left of one's own call; an abort leaves the rest as it is and says how many were done. */
const continueGoingBack = async (engine: Engine, context: CallContext, recording: Recording): Promise<void> => {
  await finishGoingBack(engine, context.signal)
  if (!context.signal.aborted || unfinished(engine.store.db, 'going_back') === null) return
  await engine.inOrder(async () => {
    const { store } = engine
    const { done } = countGoingBack(store.db)
    store.write(() => {
      clearGoingBack(store.db)
      noteFinished(store.db, 'going_back')
      // What was not done is no result to answer a repeat with.
      forgetResult(engine, context, recording)
    })
    await store.db.durable()
    throw new MemoryError('ABORTED', 'The call was stopped between two steps.', { written: done })
  })
}

/** Goes on with what was begun, by this opening or an earlier one, until nothing is left or it is stopped. */
export const finishGoingBack = async (engine: Engine, signal: AbortSignal): Promise<void> => {
  const { store, inOrder } = engine
  while (!signal.aborted) {
    const isDone = await inOrder(async () => {
      const note = unfinished(store.db, 'going_back')
      if (note === null) return true
      const { action, scope, act } = JSON.parse(String(note)) as Noted
      const context: CallContext = { scope, acceptedAt: store.system.now(), forwarded: null, signal }
      recorded(engine, context, { action, idempotencyKey: undefined, dryRun: false, act }, () => ({
        result: null,
        changes: step(engine, context),
      }))
      await store.db.durable()
      engine.wakeIndexing()
      return false
    })
    if (isDone) return
    await letOthers()
  }
}

/** The plan as it is answered: a page of its rows, and counts of all. */
const tellPlan = (
  context: CallContext,
  planned: readonly Planned[],
  { limit, dryRun }: RestoreInput,
  after: number,
): RestoreResult => {
  const counts = { restore: 0, revert: 0, tombstone: 0, keep: 0 }
  for (const { told } of planned) counts[told.action]++
  const rest = planned.filter(({ memory }) => memory > after).sort((a, b) => a.memory - b.memory)
  const page = rest.slice(0, limit)
  const rows: readonly PlannedRow[] = page.map(({ told }) => told)
  const nextCursor = rest.length > limit ? String(page.at(-1)?.memory) : null
  return { rows, nextCursor, counts, batch: null, dryRun, scope: resolve(context.scope) }
}

const readCursor = (cursor: string | undefined): number => {
  if (cursor === undefined) return 0
  if (!/^\d{1,10}$/.test(cursor)) throw invalidArgument('cursor', 'is not one that this call has given')
  return Number(cursor)
}
