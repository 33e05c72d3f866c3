import { writeProblem } from '../../../src/domain/scope.js'
import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'
import type { SetInput, UpdateByIdInput, UpdateInput } from '../../../src/schema/calls.js'
import type { WriteResult } from '../../../src/schema/records.js'
import type { CallContext, Engine } from '../context.js'
import { commitWrite } from './commit.js'
import type { Target } from './locate.js'
import { areRulesOutdated, type PreparedWrite, prepare } from './prepare.js'
import { type Recording, recorded, recordRefusal, repeatOf } from './recorded.js'

/** Refuses what a handle of this scope cannot write. */
export const requireWritable = (engine: Engine, context: CallContext, recording: Recording): void => {
  const problem = writeProblem(context.scope)
  if (problem === null) return
  const error =
    problem.kind === 'empty'
      ? invalidArgument(problem.level, 'is empty, so nothing can be written under it')
      : new MemoryError('FORBIDDEN', `A handle that reads across all ${problem.level}s never writes. Narrow it to one.`, {
          reason: 'reads_across',
        })
  recordRefusal(engine, context, recording, error)
  throw error
}

const write = (
  engine: Engine,
  context: CallContext,
  action: string,
  target: Target,
  given: SetInput | UpdateInput | UpdateByIdInput,
): Promise<WriteResult> => {
  const input = action === 'memory.pin' ? { ...given, pinned: true } : given
  const recording: Recording = { action, idempotencyKey: input.idempotencyKey, dryRun: input.dryRun ?? false }
  requireWritable(engine, context, recording)
  // A repeat needs no embedder, and its first result is the answer whatever state that is in.
  const before = repeatOf<WriteResult>(engine, context, recording)
  if (before !== undefined) return Promise.resolve(before)
  // Embedding starts at once, also while earlier writes are still being committed; the commits keep their order.
  const preparing = prepare(engine, [input], context)
  preparing.catch(() => undefined)
  return engine.inOrder(async () => {
    const early = await preparing
    // Another embedder may have begun to answer meanwhile, and other rules may hold; from here on none can.
    const isStale = isOutdated(engine, early) || areRulesOutdated(engine, context, early)
    const [prepared] = isStale ? await prepare(engine, [input], context) : early
    if (prepared === undefined) throw new TypeError('one input prepares to one write')
    if (prepared.refused !== undefined) throw prepared.refused
    const result = recorded(engine, context, recording, () => {
      const { ifMatchSha256, onPinned } = input
      const options = { ifMatchSha256, onPinned, dryRun: recording.dryRun }
      return commitWrite(engine, context, target, prepared, options)
    })
    await engine.store.db.durable()
    if (result.degraded.includes('unembedded') || !engine.ladder.covers(prepared.vectors)) engine.wakeIndexing()
    return result
  })
}

/** Whether vectors were made, but none by the embedder that answers now. */
const isOutdated = ({ store }: Engine, prepared: readonly PreparedWrite[]): boolean =>
  prepared.some(({ vectors }) => vectors.length > 0 && vectors.every(({ embedder }) => embedder !== store.embedder.number))

export const set = (engine: Engine, context: CallContext, input: SetInput): Promise<WriteResult> =>
  write(engine, context, 'memory.set', { kind: 'set', key: input.key ?? null }, input)

/** A set that pins. */
export const pin = (engine: Engine, context: CallContext, input: SetInput): Promise<WriteResult> =>
  write(engine, context, 'memory.pin', { kind: 'set', key: input.key ?? null }, input)

export const update = (engine: Engine, context: CallContext, input: UpdateInput): Promise<WriteResult> =>
  write(engine, context, 'memory.update', { kind: 'update', key: input.key }, input)

export const updateById = (engine: Engine, context: CallContext, input: UpdateByIdInput): Promise<WriteResult> =>
  write(engine, context, 'memory.updateById', { kind: 'updateById', id: input.id }, input)
