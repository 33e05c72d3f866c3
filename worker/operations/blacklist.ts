import { foldText } from '../../src/domain/blacklist.js'
import { memoryId } from '../../src/domain/memory-id.js'
import { readsNothing, resolve } from '../../src/domain/scope.js'
import { invalidArgument, MemoryError } from '../../src/protocol/errors.js'
import type { BlacklistAddResult, BlacklistRemoveResult, BlacklistRule } from '../../src/schema/guards.js'
import { deleteRule, insertRule, rulesOf } from '../store/blacklist.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from './context.js'
import { noteAct, type Recording, recorded } from './memory/recorded.js'
import { rulesInForce } from './memory/rules.js'
import { requireWritable } from './memory/set.js'
import { sweep } from './sweep.js'

/** Rules that one scope may have: each of them is looked for in every write. */
export const MOST_RULES = 100

interface Repeatable {
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

interface AddInput extends Repeatable {
  readonly pattern: string
  readonly patternType: 'substring' | 'regex'
  readonly reason?: string | undefined
  readonly sweep?: boolean | undefined
}

/** Adds a rule to the handle's scope, and sweeps out what it forbids when that is asked for. The same rule twice is one. */
export const addRule = async (engine: Engine, context: CallContext, input: AddInput): Promise<BlacklistAddResult> => {
  const recording = recordingOf('blacklist.add', input)
  requireWritable(engine, context, recording)
  // Read at once, also while earlier writes are still being committed; the rule keeps its place among them.
  const reading = patternProblem(engine, input)
  reading.catch(() => undefined)
  const added = await engine.inOrder(async () => {
    const problem = await reading
    const result = recorded<BlacklistAddResult>(engine, context, recording, () => {
      if (problem !== null) throw invalidArgument('pattern', problem)
      return { result: add(engine, context, input), changes: [] }
    })
    await engine.store.db.durable()
    return result
  })
  return input.sweep === true ? { ...added, sweep: await sweep(engine, context, added.rule, recording.dryRun) } : added
}

const recordingOf = (action: string, { idempotencyKey, dryRun = false }: Repeatable): Recording => ({
  action,
  idempotencyKey,
  dryRun,
})

/** Why a pattern cannot be a rule, or null. */
const patternProblem = async ({ scanner }: Engine, { pattern, patternType }: AddInput): Promise<string | null> =>
  patternType === 'regex' ? scanner.check(pattern) : foldText(pattern).trim() === '' ? 'is blank' : null

const add = (engine: Engine, context: CallContext, input: AddInput): BlacklistAddResult => {
  const { db, book, system } = engine.store
  const identity = book.take(resolve(context.scope))
  const rules = rulesOf(db, book, identity)
  const dryRun = input.dryRun ?? false
  const known = rules.find(({ pattern, patternType }) => pattern === input.pattern && patternType === input.patternType)
  if (known !== undefined) return { rule: known, sweep: null, noop: true, dryRun }
  if (rules.length >= MOST_RULES)
    throw new MemoryError('QUOTA_EXCEEDED', `A scope may have ${MOST_RULES} rules. Remove one first.`, { limit: MOST_RULES })
  const rule: BlacklistRule = {
    id: memoryId(context.acceptedAt, system.randomBytes(16)),
    pattern: input.pattern,
    patternType: input.patternType,
    reason: input.reason ?? null,
    actor: actorOf(context),
    createdAt: context.acceptedAt,
    timedOutAt: null,
    scope: book.scopeOf(identity),
  }
  insertRule(db, identity, rule)
  noteAct(engine, context, 'blacklist.add', rule.id)
  return { rule, sweep: null, noop: false, dryRun }
}

/** The rules that hold for what the handle writes. */
export const listRules = (engine: Engine, context: CallContext): readonly BlacklistRule[] =>
  readsNothing(context.scope) ? [] : rulesInForce(engine, context)

/** Takes a rule of the handle's own scope off. */
export const removeRule = (
  engine: Engine,
  context: CallContext,
  input: Repeatable & { readonly id: string },
): Promise<BlacklistRemoveResult> => {
  const recording = recordingOf('blacklist.remove', input)
  requireWritable(engine, context, recording)
  return engine.inOrder(async () => {
    const { store } = engine
    const result = recorded<BlacklistRemoveResult>(engine, context, recording, () => {
      const identity = store.book.find(resolve(context.scope))
      const own = identity === null ? [] : rulesOf(store.db, store.book, identity)
      if (!own.some(({ id }) => id === input.id)) throw notRemovable(engine, context, input.id)
      deleteRule(store.db, input.id)
      noteAct(engine, context, 'blacklist.remove', input.id)
      return { result: { id: input.id, removed: true, dryRun: recording.dryRun }, changes: [] }
    })
    await store.db.durable()
    return result
  })
}

/** A rule of another user is not even known to be there. */
const notRemovable = (engine: Engine, context: CallContext, id: string): MemoryError =>
  rulesInForce(engine, context).some((rule) => rule.id === id)
    ? new MemoryError(
        'FORBIDDEN',
        'This rule belongs to a wider scope and holds here; only a handle of that scope removes it.',
        {
          reason: 'other_scope',
        },
      )
    : new MemoryError('NOT_FOUND', 'No rule of this scope has this id.', { id })

const actorOf = ({ scope }: CallContext): string => scope.actor ?? DEFAULT_ACTOR
