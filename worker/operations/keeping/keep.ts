import { lockInForce } from '../../../src/domain/guards.js'
import { HOLDS_KEY, hasEnded } from '../../../src/domain/version.js'
import { leavingBy, noteDoubted, noteLookedAt, windowBuries } from '../../store/leaving.js'
import { dropEnded } from '../../store/offloads.js'
import { type Head, headOf } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { unlinkConflict } from '../memory/conflicts.js'
import { speakAgain } from '../memory/duplicates.js'
import { bury } from '../memory/lifecycle.js'
import { type Change, recorded } from '../memory/recorded.js'
import { letOthers } from '../turn.js'
import { settleBelief } from './beliefs.js'

/** Memories of one turn: other calls get theirs in between. */
const PAGE = 100

/** The actor of what happens because a time has come. */
const KEEPER = 'process:keeper'

/** Looks at memories that have left service, a page at a time. Goes on where it was stopped: what was not looked at stays noted. */
export const keep = async (engine: Engine, signal: AbortSignal): Promise<void> => {
  await engine.inOrder(async () => engine.store.write(() => dropEnded(engine.store.db, engine.store.system.now())))
  while (!signal.aborted && (await engine.inOrder(() => keepPage(engine, signal)))) await letOthers()
}

/** Looks at a page, and answers whether there may be more. */
const keepPage = async (engine: Engine, signal: AbortSignal): Promise<boolean> => {
  const { store } = engine
  const acceptedAt = store.system.now()
  const page = leavingBy(store.db, acceptedAt, PAGE)
  for (const memory of page) {
    const head = headOf(store.db, memory)
    if (head === null) store.write(() => noteLookedAt(store.db, memory, acceptedAt))
    else
      look(engine, head, {
        scope: { ...store.book.scopeOf(head.identity), actor: KEEPER },
        acceptedAt,
        forwarded: null,
        signal,
      })
  }
  if (page.length > 0) await store.db.durable()
  return page.length === PAGE
}

/** Deals with one memory, in a transaction of its own. */
const look = (engine: Engine, head: Head, context: CallContext): void => {
  const { db } = engine.store
  const hasLeft = HOLDS_KEY.includes(head.body.status) && hasEnded(head, context.acceptedAt)
  const fate = hasLeft ? fateOf(engine, head, context.acceptedAt) : 'look'
  recorded(engine, context, { action: `keeper.${fate}`, idempotencyKey: undefined, dryRun: false }, () => {
    // What is locked is looked at again when the lock lapses; what is unlocked or unpinned before is, since that writes it.
    const isKept = fate === 'hide' && buries(engine, head, context.acceptedAt)
    noteLookedAt(db, head.memory, context.acceptedAt, isKept ? head.body.lockUntil : null)
    const { changes } = settleBelief(engine, context, head.memory)
    // What was written just now is noted anew where it has an end.
    return { result: null, changes: fate === 'look' || changes.length > 0 ? changes : leave(engine, context, head, fate) }
  })
}

/** What becomes of a memory that has left service. A lock and a pin keep it from being deleted, not from having ended. */
const fateOf = (engine: Engine, head: Head, nowMs: number): 'tombstone' | 'hide' =>
  buries(engine, head, nowMs) && !head.body.pinned && lockInForce(head.body, nowMs) === null ? 'tombstone' : 'hide'

const endedByItself = ({ body }: Head, nowMs: number): boolean => hasEnded({ body, leavesAt: body.expiresAt }, nowMs)

const buries = ({ store }: Engine, head: Head, nowMs: number): boolean =>
  (head.body.onExpire === 'tombstone' && endedByItself(head, nowMs)) || windowBuries(store.db, head.memory, nowMs)

const leave = (engine: Engine, context: CallContext, head: Head, fate: 'tombstone' | 'hide'): readonly Change[] => {
  const { store } = engine
  const { key, contentSha256 } = head.body
  if (fate === 'tombstone') {
    const ended = endedByItself(head, context.acceptedAt)
    const statusReason = ended ? 'expired: its time was over' : 'expired: its namespace keeps such memories no longer'
    const freed = unlinkConflict(store, context, head)
    return [bury(engine, context, { ...head, body: { ...head.body, statusReason } }), ...freed]
  }
  speakAgain(store, context, head)
  noteDoubted(store.db, [head.memory])
  return [{ id: head.memoryId, key, contentSha256, scope: store.book.scopeOf(head.identity) }]
}
