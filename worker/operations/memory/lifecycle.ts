import { lockInForce } from '../../../src/domain/guards.js'
import { resolve } from '../../../src/domain/scope.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import type { DeleteResult, HistoryEntry, VersionBody } from '../../../src/schema/records.js'
import { refreshOffer, unindexMemory } from '../../store/search-index.js'
import { type Head, headsByKey, insertVersion } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { unlinkConflict } from './conflicts.js'
import { releaseDuplicates } from './duplicates.js'
import { locked } from './guard.js'
import { type Change, type Recording, recorded } from './recorded.js'
import { requireWritable } from './set.js'

/** Names the memory that a call is about. */
export interface TargetInput {
  readonly key: string
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

export const recordingOf = (action: string, input: Omit<TargetInput, 'key'>): Recording => ({
  action,
  idempotencyKey: input.idempotencyKey,
  dryRun: input.dryRun ?? false,
})

/** Every memory under a key that this scope itself has written, newest first. */
export const headsHere = (engine: Engine, context: CallContext, key: string): readonly Head[] => {
  const identity = engine.store.book.find(resolve(context.scope))
  return identity === null ? [] : headsByKey(engine.store.db, [identity], key)
}

/** Deletes the live memory under a key of this scope: a version that says so. */
export const remove = (engine: Engine, context: CallContext, input: TargetInput): Promise<DeleteResult> => {
  requireWritable(engine, context, recordingOf('memory.delete', input))
  return engine.inOrder(async () => {
    const scope = resolve(context.scope)
    const result = recorded<DeleteResult>(engine, context, recordingOf('memory.delete', input), () => {
      const live = headsHere(engine, context, input.key).filter(({ body }) => HOLDS_KEY.includes(body.status))
      const kept = live.find(({ body }) => lockInForce(body, context.acceptedAt) !== null)
      if (kept !== undefined) throw locked(input.key, kept.body.lockUntil)
      const freed: Change[] = []
      const changes = live.map((head) => {
        freed.push(...unlinkConflict(engine.store, context, head))
        return bury(engine, context, head)
      })
      const count = changes.length
      return {
        result: { found: count > 0, tombstoned: count, dependentsTombstoned: 0, dependentsDowngraded: 0, scope },
        changes: [...changes, ...freed],
      }
    })
    await engine.store.db.durable()
    return result
  })
}

/** Appends the version that says that a memory is gone, and takes it out of the index. */
export const bury = (engine: Engine, context: CallContext, head: Head): Change => {
  const { store } = engine
  const gone = append(engine, context, head, 'tomb', {
    ...head.body,
    status: 'tombstoned',
    tombstonedAt: context.acceptedAt,
    conflictWith: [],
  })
  unindexMemory(store, gone.memory)
  releaseDuplicates(store, context, head, gone)
  const { key, contentSha256 } = gone.body
  return { id: gone.memoryId, key, contentSha256, scope: store.book.scopeOf(head.identity) }
}

/** Appends the version that changes a memory's state, stamped with who did it and when. */
export const append = (
  engine: Engine,
  context: CallContext,
  parent: Head,
  kind: HistoryEntry['kind'],
  body: VersionBody,
): Head => {
  const actor = context.scope.actor ?? DEFAULT_ACTOR
  const { store } = engine
  const version = {
    memory: parent.memory,
    memoryId: parent.memoryId,
    identity: parent.identity,
    scope: store.book.scopeOf(parent.identity),
    kind,
    human: actor.startsWith('human:'),
    parent,
    body: { ...body, actor, updatedAt: context.acceptedAt },
  }
  const head = insertVersion(store, version, context.acceptedAt)
  refreshOffer(store, head)
  return head
}
