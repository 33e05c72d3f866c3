import { lockInForce } from '../../../src/domain/guards.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'
import type { GuardResult } from '../../../src/schema/guards.js'
import type { VersionBody } from '../../../src/schema/records.js'
import type { Head } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { append, headsHere, recordingOf } from './lifecycle.js'
import { recorded } from './recorded.js'
import { requireWritable } from './set.js'

interface GuardInput {
  readonly key: string
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

interface LockInput extends GuardInput {
  readonly mode: 'read_only' | 'no_delete'
  readonly reason: string
  readonly until?: string | undefined
  readonly ttlSeconds?: number | undefined
}

/** Lets the memory under a key be replaced again. */
export const unpin = (engine: Engine, context: CallContext, input: GuardInput): Promise<GuardResult> =>
  change(engine, context, 'memory.unpin', input, ({ pinned }) => (pinned ? { pinned: false } : null))

/** Locks the memory under a key, or locks it otherwise. */
export const lock = (engine: Engine, context: CallContext, input: LockInput): Promise<GuardResult> =>
  change(engine, context, 'memory.lock', input, (body) => {
    requireHolder(body, context)
    return {
      lockMode: input.mode,
      lockReason: input.reason,
      lockUntil: endOf(input, context.acceptedAt),
      lockBy: actorOf(context),
    }
  })

/** Takes the lock off. */
export const unlock = (
  engine: Engine,
  context: CallContext,
  input: GuardInput & { readonly force?: boolean | undefined },
): Promise<GuardResult> =>
  change(engine, context, 'memory.unlock', input, (body) => {
    if (body.lockMode === null) return null
    if (input.force !== true) requireHolder(body, context)
    return { lockMode: null, lockReason: null, lockUntil: null, lockBy: null }
  })

const actorOf = ({ scope }: CallContext): string => scope.actor ?? DEFAULT_ACTOR

/** A lock that is in force belongs to who made it. */
const requireHolder = (body: VersionBody, context: CallContext): void => {
  if (lockInForce(body, context.acceptedAt) === null || body.lockBy === actorOf(context)) return
  throw new MemoryError('FORBIDDEN', `${body.key} was locked by another actor. Only force takes that lock off.`, {
    reason: 'other_actor',
  })
}

const endOf = ({ until, ttlSeconds }: LockInput, nowMs: number): number | null => {
  if (ttlSeconds !== undefined) return nowMs + Math.ceil(ttlSeconds * 1000)
  if (until === undefined) return null
  const end = Date.parse(until)
  if (end <= nowMs) throw invalidArgument('until', 'has passed already')
  return end
}

/** Changes how the live memory under a key of this scope is guarded; null leaves it as it is. */
const change = (
  engine: Engine,
  context: CallContext,
  action: string,
  input: GuardInput,
  decide: (body: VersionBody) => Partial<VersionBody> | null,
): Promise<GuardResult> => {
  const recording = recordingOf(action, input)
  requireWritable(engine, context, recording)
  return engine.inOrder(async () => {
    const result = recorded<GuardResult>(engine, context, recording, () => {
      const { key } = input
      const head = headsHere(engine, context, key).find(({ body }) => HOLDS_KEY.includes(body.status))
      if (head === undefined) throw new MemoryError('NOT_FOUND', `Nothing lives under ${key} in this scope.`, { key })
      const changed = decide(head.body)
      const now = changed === null ? head : append(engine, context, head, 'set', { ...head.body, ...changed })
      const answer = toResult(engine, now, changed === null, recording.dryRun)
      return { result: answer, changes: changed === null ? [] : [answer] }
    })
    await engine.store.db.durable()
    return result
  })
}

const toResult = ({ store }: Engine, head: Head, noop: boolean, dryRun: boolean): GuardResult => {
  const { key, pinned, lockMode, lockUntil, lockReason, lockBy, contentSha256 } = head.body
  const guards = { key, pinned, lockMode, lockUntil, lockReason, lockBy, contentSha256 }
  const scope = store.book.scopeOf(head.identity)
  return { id: head.memoryId, version: head.ver.toString(), ...guards, noop, dryRun, scope }
}
