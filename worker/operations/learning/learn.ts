import { resolve } from '../../../src/domain/scope.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { LlmQuestion } from '../../../src/schema/asking.js'
import type { Deferred, Learned, Message } from '../../../src/schema/learning.js'
import type { CallContext, Engine } from '../context.js'
import type { Recording } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'
import { letOthers } from '../turn.js'
import { advisoriesOf, batchesOf } from './batches.js'
import { readByModel } from './by-model.js'
import { enqueue } from './queue.js'
import { type ReadTurn, readByRules } from './read.js'
import { type Turn, turnsOf } from './turns.js'
import { type Manner, type Step, writeRead } from './writes.js'

/** A talk beyond is learned from in the background, unless the caller says otherwise. */
const AT_ONCE = { turns: 100, characters: 150_000 }

export interface LearnInput extends Manner {
  readonly messages: readonly Message[]
  readonly observedAt?: string | undefined
  readonly timeZone?: string | undefined
  readonly session?: string | undefined
  readonly external: boolean
  readonly defer?: boolean | undefined
  readonly idempotencyKey?: string | undefined
  readonly dryRun: boolean
  readonly llm: boolean
  readonly said?: { readonly texts: readonly (string | null)[] } | undefined
}

const ACTION = 'memory.setFromMessages'

/** Learns what people say in a talk: at once, or in the background when it is long. */
export const setFromMessages = async (
  engine: Engine,
  context: CallContext,
  input: LearnInput,
): Promise<Learned | Deferred | LlmQuestion> => {
  const { dryRun, idempotencyKey, external, turns: kept, onPinned, llm } = input
  const recording: Recording = { action: ACTION, idempotencyKey, dryRun }
  requireWritable(engine, context, recording)
  const turns = turnsOf(input.messages, context, input)
  const isLong = turns.length > AT_ONCE.turns || charactersOf(turns) > AT_ONCE.characters
  if (!dryRun && (input.defer ?? (isLong && !llm)))
    return enqueue(engine, context, recording, turns, { external, turns: kept, onPinned })
  const reader = (await engine.talkReading()).createTalkReader('')
  const asked = llm ? readByModel(engine, reader, turns, external, input.said?.texts ?? []) : null
  if (asked !== null && 'llmQuestion' in asked) return asked
  const steps: Step[] = []
  let first = 0
  for (const batch of batchesOf(turns)) {
    if (context.signal.aborted)
      throw new MemoryError('ABORTED', 'It was stopped between two batches.', { written: countOf(steps) })
    const read: readonly ReadTurn[] =
      asked?.read.slice(first, first + batch.length) ?? batch.map((turn) => readByRules(reader, turn, external))
    const named = { ...recording, idempotencyKey: idempotencyKey === undefined ? undefined : `${idempotencyKey}#${first}` }
    const own = context.forwarded === null ? context : { ...context, forwarded: `${context.forwarded}#${first}` }
    steps.push(await engine.inOrder(() => writeRead(engine, own, read, named, { turns: kept, onPinned })))
    first += batch.length
    engine.progress({ phase: 'learning', loaded: first, total: turns.length, ratio: first / turns.length })
    await letOthers()
  }
  return {
    deferred: false,
    written: steps.flatMap(({ written }) => written),
    refused: steps.flatMap(({ refused }) => refused),
    moreRefused: steps.reduce((sum, step) => sum + step.moreRefused, 0),
    forgotten: steps.flatMap(({ forgotten }) => forgotten),
    evidence: [...new Set(steps.flatMap(({ evidence }) => evidence))],
    by: asked?.by ?? 'rules',
    dryRun,
    advisories: advisoriesOf(turns),
    scope: resolve(context.scope),
  }
}

const countOf = (steps: readonly Step[]): number => steps.reduce((sum, { written }) => sum + written.length, 0)

const charactersOf = (turns: readonly Turn[]): number => turns.reduce((sum, { text }) => sum + text.length, 0)
