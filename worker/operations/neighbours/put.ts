import { addsNothing, stateBody } from '../../../src/domain/body.js'
import { contentSha256 } from '../../../src/domain/canonical.js'
import { resolve } from '../../../src/domain/scope.js'
import { higher } from '../../../src/domain/sensitivity.js'
import { HOLDS_KEY, hasEnded } from '../../../src/domain/version.js'
import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'
import type { SourceClass } from '../../../src/schema/records.js'
import { type JsonValue, MAX_KEY_LENGTH } from '../../../src/schema/scalars.js'
import { indexHead, unindexMemory } from '../../store/search-index.js'
import { type Head, headsByKey } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { requireAllowed } from '../memory/guard.js'
import { type Fields, type Looked, lookOver } from '../memory/prepare.js'
import { type Change, type Recording, recorded, repeatOf } from '../memory/recorded.js'
import { say } from '../memory/say.js'
import { requireWritable } from '../memory/set.js'
import { stopIfAborted } from '../turn.js'

/** A row of a neighbouring store as it is to stand. */
export interface Entry extends Omit<Fields, 'key' | 'type' | 'value' | 'sourceClass'> {
  readonly key: string
  readonly type: string
  readonly value: JsonValue
  readonly sourceClass?: SourceClass
}

/** Holds entries against the blacklist, and looks for what is sensitive in them. */
export const lookOverAll = (engine: Engine, context: CallContext, entries: readonly Entry[]): Promise<readonly Looked[]> =>
  // A caller may only downgrade the class of a source; a store says what its rows are.
  lookOver(engine, entries as readonly Fields[], context)

/** What became of an entry: `same` when the very same stood there. */
export interface Put {
  readonly head: Head
  readonly outcome: 'new' | 'changed' | 'same'
}

/** Whether something holds its key and has not ended. */
export const isThere = (head: Head, nowMs: number): boolean => HOLDS_KEY.includes(head.body.status) && !hasEnded(head, nowMs)

/** What holds a key in the handle's own scope, or null. */
export const liveHere = ({ store }: Engine, context: CallContext, key: string): Head | null => {
  const identity = store.book.find(resolve(context.scope))
  const heads = identity === null ? [] : headsByKey(store.db, [identity], key)
  return heads.find(({ body }) => HOLDS_KEY.includes(body.status)) ?? null
}

/** Refuses a key that got too long by what it is named by. */
export const fitting = (key: string, field: string): string => {
  if (key.length > MAX_KEY_LENGTH) throw invalidArgument(field, 'is too long')
  return key
}

/** Puts one entry, inside a transaction. It is judged against nothing, and its vectors follow in the background. */
export const put = (
  engine: Engine,
  context: CallContext,
  { key, type }: Entry,
  looked: Looked,
  ifMatchSha256?: string,
): Put => {
  const { store } = engine
  const scope = resolve(context.scope)
  const identity = store.book.take(scope)
  const live = headsByKey(store.db, [identity], key).find(({ body }) => HOLDS_KEY.includes(body.status)) ?? null
  const fields = { ...looked.fields, type, value: looked.fields.value ?? null }
  const nowMs = context.acceptedAt
  const isSame =
    live !== null &&
    !hasEnded(live, nowMs) &&
    live.body.contentSha256 === contentSha256(fields.value) &&
    addsNothing(live.body, { expiresAt: null, ...fields })
  const stamp = { key, actor: context.scope.actor ?? DEFAULT_ACTOR, run: context.scope.run ?? null, nowMs }
  const { body } = stateBody(live?.body ?? null, fields, stamp)
  const after = fields.sensitivity === undefined ? { ...body, sensitivity: higher(body.sensitivity, looked.detected) } : body
  const guarded = {
    found: { key, live, minted: false },
    target: { kind: 'set', key },
    write: { ...looked, vectors: [], degraded: [] },
    after,
    nowMs,
  } as const
  requireAllowed(guarded, { ifMatchSha256, dryRun: false, onPinned: undefined })
  if (isSame) return { head: live, outcome: 'same' }
  const head = say(store, live, context, scope, after, identity)
  if (live !== null) unindexMemory(store, live.memory)
  indexHead(store, head, [])
  return { head, outcome: live === null || hasEnded(live, nowMs) ? 'new' : 'changed' }
}

/** A row as the audit and the change event name it. */
export const changeOf = ({ store }: Engine, { memoryId, identity, body }: Head): Change => ({
  id: memoryId,
  key: body.key,
  contentSha256: body.contentSha256,
  scope: store.book.scopeOf(identity),
})

export interface Writing {
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

export const recordingFor = (action: string, { idempotencyKey, dryRun = false }: Writing): Recording => ({
  action,
  idempotencyKey,
  dryRun,
})

/**
 * Runs a write of a neighbouring store when its turn has come. No other write runs meanwhile, so that what `plan` read still holds when
 * `commit` runs, in the transaction.
 */
export const writing = <Planned, Result>(
  engine: Engine,
  context: CallContext,
  recording: Recording,
  plan: () => Promise<Planned> | Planned,
  commit: (planned: Planned) => { readonly result: Result; readonly changes: readonly Change[] },
): Promise<Result> => {
  requireWritable(engine, context, recording)
  return engine.inOrder(async () => {
    const before = repeatOf<Result>(engine, context, recording)
    if (before !== undefined) return before
    stopIfAborted(context.signal)
    const planned = await planning(plan)
    const result = recorded<Result>(engine, context, recording, () => {
      if (planned instanceof MemoryError) throw planned
      return commit(planned)
    })
    await engine.store.db.durable()
    return result
  })
}

/** A refusal is thrown where it leaves its trace. */
const planning = async <Planned>(plan: () => Promise<Planned> | Planned): Promise<Planned | MemoryError> => {
  try {
    return await plan()
  } catch (error) {
    if (error instanceof MemoryError) return error
    throw error
  }
}

/** Writes one entry, which may depend on what stands there. */
export const putOne = <Result>(
  engine: Engine,
  context: CallContext,
  recording: Recording,
  entryOf: () => Entry,
  answer: (put: Put) => Result,
  ifMatchSha256?: string,
): Promise<Result> =>
  writing(
    engine,
    context,
    recording,
    async () => {
      const entry = entryOf()
      const [looked] = await lookOverAll(engine, context, [entry])
      return { entry, looked: looked as Looked }
    },
    ({ entry, looked }) => {
      const done = put(engine, context, entry, looked, ifMatchSha256)
      return { result: answer(done), changes: done.outcome === 'same' ? [] : [changeOf(engine, done.head)] }
    },
  )
