import { resolve } from '../../../src/domain/scope.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { ChangeEvent } from '../../../src/protocol/events.js'
import { insertAudit } from '../../store/audit.js'
import { dropResult, FORWARDED, firstResult, keepResult } from '../../store/requests.js'
import type { Author } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'

/** A change as the audit and the change event name it. */
export interface Change {
  readonly id: string
  readonly key: string
  readonly contentSha256: string | null
  readonly scope: ChangeEvent['changes'][number]['scope']
}

/** An entry of a larger write that was refused while the others went on. */
export interface Refused {
  readonly key?: string
  readonly outcome: string
}

export interface Recording {
  readonly action: string
  readonly idempotencyKey: string | undefined
  readonly dryRun: boolean
  /** The write that this goes on with. */
  readonly act?: number | null
}

/**
 * Runs a write in one transaction with everything that belongs to it: the first result of a repeated request, one audit row per
 * change or refused entry, and the change event after the commit. A refusal of the whole leaves an audit row of its own.
 */
export const recorded = <Result>(
  engine: Engine,
  context: CallContext,
  recording: Recording,
  work: () => { readonly result: Result; readonly changes: readonly Change[]; readonly refusals?: readonly Refused[] },
): Result => {
  const { store } = engine
  try {
    const { result, changes } = store.write(
      () => {
        const before = repeatOf<Result>(engine, context, recording)
        if (before !== undefined) return { result: before, changes: [] }
        Object.assign(store.author, {
          scope: /^(resolver|keeper)\./.test(recording.action) ? null : resolve(context.scope),
          run: context.scope.run ?? null,
          origin: null,
          act: recording.act ?? null,
        } satisfies Author)
        const done = work()
        for (const change of done.changes) auditRow(engine, context, recording.action, change, 'ok')
        for (const refusal of done.refusals ?? []) auditRow(engine, context, recording.action, refusal, refusal.outcome)
        keepFirst(engine, context, recording, done.result)
        return done
      },
      { rehearse: recording.dryRun },
    )
    if (!recording.dryRun && changes.length > 0) engine.publish(changes.map(({ id, key, scope }) => ({ id, key, scope })))
    return result
  } catch (error) {
    if (error instanceof MemoryError && (error.status < 500 || error.code === 'BLACKLIST_TIMEOUT'))
      recordRefusal(engine, context, recording, error)
    throw error
  }
}

/** What the same request was answered first, or undefined. */
export const repeatOf = <Result>(engine: Engine, context: CallContext, recording: Recording): Result | undefined => {
  const { db, book } = engine.store
  if (context.forwarded !== null) {
    const sent = firstResult(db, FORWARDED, context.forwarded)
    if (sent !== undefined) return sent as Result
  }
  if (recording.idempotencyKey === undefined) return undefined
  const identity = book.find(resolve(context.scope))
  return identity === null ? undefined : (firstResult(db, identity, repeatName(recording)) as Result | undefined)
}

/** Forgets what a request was answered first, so that a repeat does it again. */
export const forgetResult = (engine: Engine, context: CallContext, recording: Recording): void => {
  const { db, book } = engine.store
  if (context.forwarded !== null) dropResult(db, FORWARDED, context.forwarded)
  const identity = book.find(resolve(context.scope))
  if (recording.idempotencyKey !== undefined && identity !== null) dropResult(db, identity, repeatName(recording))
}

const keepFirst = (engine: Engine, context: CallContext, recording: Recording, result: unknown): void => {
  const { db, book } = engine.store
  const now = context.acceptedAt
  if (context.forwarded !== null) keepResult(db, FORWARDED, context.forwarded, result, now)
  if (recording.idempotencyKey !== undefined)
    keepResult(db, book.take(resolve(context.scope)), repeatName(recording), result, now)
}

/** A caller's name for a write names it together with the call: a delete is no repeat of a set. */
const repeatName = (recording: Recording): string => `${recording.action}/${recording.idempotencyKey}`

/** Notes something that was done to no memory: to a rule, or to a namespace. */
export const noteAct = (engine: Engine, context: CallContext, action: string, id?: string): void =>
  auditRow(engine, context, action, id === undefined ? {} : { id }, 'ok')

const auditRow = (engine: Engine, context: CallContext, action: string, change: Partial<Change>, outcome: string): void =>
  insertAudit(engine.store.db, engine.store.auditSalt, {
    at: context.acceptedAt,
    actor: context.scope.actor ?? DEFAULT_ACTOR,
    identity: engine.store.book.find(resolve(context.scope)),
    action,
    memoryId: change.id ?? null,
    key: change.key ?? null,
    contentSha256: change.contentSha256 ?? null,
    outcome,
  })

/** Leaves the trace of a refused write. A rehearsal leaves none. */
export const recordRefusal = (engine: Engine, context: CallContext, recording: Recording, error: MemoryError): void => {
  if (recording.dryRun) return
  const key = 'key' in error.details && typeof error.details.key === 'string' ? { key: error.details.key } : {}
  engine.store.write(() => auditRow(engine, context, recording.action, key, error.code))
}
