import { memoryId } from '../../../src/domain/memory-id.js'
import { resolve } from '../../../src/domain/scope.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { Deferred, LearningReport } from '../../../src/schema/learning.js'
import {
  addTranscript,
  cancelTranscript,
  nextTranscript,
  nextTurns,
  noteLearned,
  type Transcript,
  transcriptOf,
  transcriptsOf,
} from '../../store/learning.js'
import type { CallContext, Engine } from '../context.js'
import { type Recording, recorded } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'
import { letOthers } from '../turn.js'
import { advisoriesOf, BATCH, batchesOf } from './batches.js'
import { readByRules } from './read.js'
import type { Turn } from './turns.js'
import { type Manner, type Step, writeRead } from './writes.js'

/** A turn as it waits. */
type Waiting = Turn & Reading

/** How a transcript is read and written. */
interface Reading extends Manner {
  readonly external: boolean
}

/** Keeps a transcript to be learned from in the background. */
export const enqueue = (
  engine: Engine,
  context: CallContext,
  recording: Recording,
  turns: readonly Turn[],
  reading: Reading,
): Promise<Deferred> =>
  engine.inOrder(async () => {
    const { store } = engine
    const result = recorded<Deferred>(engine, context, recording, () => {
      const queueId = memoryId(context.acceptedAt, store.system.randomBytes(16))
      const transcript = {
        queue: queueId,
        identity: store.book.take(resolve(context.scope)),
        scope: context.scope,
        createdAt: context.acceptedAt,
      }
      addTranscript(
        store.db,
        transcript,
        turns.map((turn): Waiting => ({ ...turn, ...reading })),
      )
      const scope = resolve(context.scope)
      return {
        result: { deferred: true, queueId, messages: turns.length, advisories: advisoriesOf(turns), scope },
        changes: [],
      }
    })
    await store.db.durable()
    engine.resolver.wake()
    return result
  })

/** Learns from what waits, transcript by transcript, until nothing does. What is written and how far it is are one transaction. */
export const workQueue = async (engine: Engine, signal: AbortSignal): Promise<void> => {
  const { store } = engine
  for (let next = nextTranscript(store.db); next !== null && !signal.aborted; next = nextTranscript(store.db)) {
    const { createTalkReader, known } = await engine.talkReading()
    const reader = createTalkReader(next.known)
    const turns = nextTurns(store.db, next.queue, BATCH.turns).map(({ turn }) => JSON.parse(turn) as Waiting)
    const [batch = []] = batchesOf(turns)
    const read = batch.map((turn) => readByRules(reader, turn, (turn as Waiting).external))
    await engine.inOrder(() => learnBatch(engine, next as Transcript, read, batch.length, known(reader.people), signal))
    await letOthers()
  }
}

const learnBatch = async (
  engine: Engine,
  transcript: Transcript,
  read: Parameters<typeof writeRead>[2],
  count: number,
  known: string,
  signal: AbortSignal,
): Promise<void> => {
  const { store } = engine
  const identities = [transcript.identity]
  // It may have been given up while this was read.
  const now = transcriptOf(store.db, identities, transcript.queue)
  if (now === null || now.state !== 'waiting' || now.done !== transcript.done || signal.aborted) return
  const context: CallContext = { scope: transcript.scope, acceptedAt: store.system.now(), forwarded: null, signal }
  const recording: Recording = { action: 'memory.setFromMessages', idempotencyKey: undefined, dryRun: false }
  const done = count === 0 ? transcript.total : transcript.done + count
  const { turns = 'keep', onPinned = 'fail' } = (read[0]?.turn ?? {}) as Partial<Waiting>
  const also = (step: Step): void => {
    const { written, refused, forgotten } = transcript.tally
    const tally = {
      written: written + step.written.length,
      refused: refused + step.refused.length + step.moreRefused,
      forgotten: forgotten + step.forgotten.length,
    }
    noteLearned(store.db, transcript, { done, tally, known, nowMs: context.acceptedAt })
  }
  await writeRead(engine, context, read, recording, { turns, onPinned, also })
  const { total, queue } = transcript
  engine.progress({ phase: 'learning', loaded: done, total, ratio: done / total, file: queue })
}

const reportOf = (transcript: Transcript): LearningReport => ({
  queueId: transcript.queue,
  state: transcript.state,
  done: transcript.done,
  total: transcript.total,
  ...transcript.tally,
  createdAt: transcript.createdAt,
  updatedAt: transcript.updatedAt,
  scope: resolve(transcript.scope),
})

const readable = ({ store }: Engine, context: CallContext): readonly number[] =>
  store.book.visible(context.scope).map(({ identity }) => identity)

/** Transcripts that the handle may read, the newest first. */
export const listLearning = (engine: Engine, context: CallContext): readonly LearningReport[] =>
  transcriptsOf(engine.store.db, readable(engine, context)).map(reportOf)

/** How far a transcript is. */
export const getLearning = (
  engine: Engine,
  context: CallContext,
  { queueId }: { readonly queueId: string },
): LearningReport | null => {
  const found = transcriptOf(engine.store.db, readable(engine, context), queueId)
  return found === null ? null : reportOf(found)
}

/** Gives up what of a transcript was not learned from yet. What was learned stays. */
export const cancelLearning = (
  engine: Engine,
  context: CallContext,
  { queueId }: { readonly queueId: string },
): Promise<LearningReport> => {
  const recording: Recording = { action: 'learning.cancel', idempotencyKey: undefined, dryRun: false }
  requireWritable(engine, context, recording)
  return engine.inOrder(async () => {
    const { store } = engine
    const own = store.book.find(resolve(context.scope))
    const find = (): Transcript | null => (own === null ? null : transcriptOf(store.db, [own], queueId))
    if (find() === null) throw new MemoryError('NOT_FOUND', 'No transcript of this id waits in this scope.', { id: queueId })
    recorded(engine, context, recording, () => {
      cancelTranscript(store.db, queueId, context.acceptedAt)
      return { result: null, changes: [] }
    })
    await store.db.durable()
    return reportOf(find() as Transcript)
  })
}
