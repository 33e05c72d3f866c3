import { resolve } from '../../../src/domain/scope.js'
import { afterOutcome, boostOf, type RunOutcome, type Usage } from '../../../src/domain/usage.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { Scope } from '../../../src/schema/scope.js'
import type { CompleteRunResult, OutcomeResult, UsageReport } from '../../../src/schema/usage.js'
import { keepUsage, keptUsage, usageOf } from '../../store/usage.js'
import { type Head, headById } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { recordingOf } from '../memory/lifecycle.js'
import { answersToKey, nearestHead } from '../memory/read.js'
import { noteAct, type Recording, recorded } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'

interface Repeatable {
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** Notes what came of a run for the memories that it used. */
export const completeRun = (
  engine: Engine,
  context: CallContext,
  input: Repeatable & { readonly memoriesUsed: readonly string[]; readonly outcome: RunOutcome },
): Promise<CompleteRunResult> => {
  const recording = recordingOf('runs.complete', input)
  return noting(engine, context, recording, () => {
    const used = new Map<number, Head>()
    const unknown: string[] = []
    for (const name of new Set(input.memoriesUsed)) {
      const head = named(engine, context, name)
      if (head === null) unknown.push(name)
      else used.set(head.memory, head)
    }
    for (const head of used.values()) note(engine, context, recording.action, head, input.outcome)
    return {
      run: context.scope.run ?? null,
      counted: [...used.values()].map(({ memoryId, body }) => ({ id: memoryId, key: body.key })),
      unknown,
      dryRun: recording.dryRun,
      scope: resolve(context.scope),
    }
  })
}

/** Notes what the memory under a key did. */
export const noteOutcome = (
  engine: Engine,
  context: CallContext,
  input: Repeatable & { readonly key: string; readonly outcome: RunOutcome },
): Promise<OutcomeResult> => {
  const recording = recordingOf('memory.outcome', input)
  return noting(engine, context, recording, () => {
    const found = nearestHead(engine, context, input, answersToKey(context))
    if (found === null) {
      const { key } = input
      throw new MemoryError('NOT_FOUND', `Nothing that this handle may read lives under ${key}.`, { key })
    }
    const { head, scope } = found
    note(engine, context, recording.action, head, input.outcome)
    const { store } = engine
    const readable = store.book.visible(context.scope).map(({ identity }) => identity)
    const usage = usageOf(store.db, head.memory, readable, context.acceptedAt)
    return { id: head.memoryId, key: head.body.key, ...reportOf(usage), dryRun: recording.dryRun, scope }
  })
}

/** Usage as callers read it. */
export const reportOf = (usage: Usage): UsageReport => ({
  helped: usage.helped,
  harmed: usage.harmed,
  uses: usage.uses,
  boost: boostOf(usage),
})

const noting = <Result>(engine: Engine, context: CallContext, recording: Recording, work: () => Result): Promise<Result> => {
  requireWritable(engine, context, recording)
  return engine.inOrder(async () => {
    const result = recorded<Result>(engine, context, recording, () => ({ result: work(), changes: [] }))
    await engine.store.db.durable()
    return result
  })
}

/** A memory by its id, or the served one under a key. */
const named = (engine: Engine, context: CallContext, name: string): Head | null => {
  const { store } = engine
  const readable = store.book.visible(context.scope).map(({ identity }) => identity)
  const key = name.normalize('NFC')
  return headById(store.db, readable, name) ?? nearestHead(engine, context, { key }, answersToKey(context))?.head ?? null
}

/** The outcome is kept under who tells it: shared memories are ranked by each user's own. */
const note = (engine: Engine, context: CallContext, action: string, head: Head, outcome: RunOutcome): void => {
  const { db, book } = engine.store
  const keeper = book.take(keeperOf(resolve(context.scope)))
  const after = afterOutcome(keptUsage(db, head.memory, keeper), outcome, context.acceptedAt)
  keepUsage(db, head.memory, keeper, after)
  noteAct(engine, context, action, head.memoryId)
}

/** What a named user has found out in one session serves the next; sessions of anonymous visitors are apart. */
const keeperOf = (scope: Scope): Scope => {
  if (typeof scope.user !== 'string') return scope
  const { session: _session, ...wider } = scope
  return wider
}
