import { resolve } from '../../../src/domain/scope.js'
import type { HistoryEntry, VersionBody } from '../../../src/schema/records.js'
import { refreshOffer, unindexMemory } from '../../store/search-index.js'
import { type Head, headsByKey, insertVersion } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { releaseDuplicates } from './duplicates.js'
import type { Change, Recording } from './recorded.js'

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
