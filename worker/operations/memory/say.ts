import { memoryId } from '../../../src/domain/memory-id.js'
import { isSearchable } from '../../../src/domain/memory-type.js'
import type { VersionBody } from '../../../src/schema/records.js'
import type { Scope } from '../../../src/schema/scope.js'
import { indexHead, refreshOffer, unindexMemory } from '../../store/search-index.js'
import type { Store } from '../../store/store.js'
import { type Head, insertVersion } from '../../store/versions.js'
import type { CallContext } from '../context.js'
import type { PreparedWrite } from './prepare.js'

/** Appends the version that says something: of the memory it was written on top of, or the first of a new one. */
export const say = (
  store: Store,
  parent: Head | null,
  context: CallContext,
  scope: Scope,
  body: VersionBody,
  identity = parent?.identity ?? 0,
): Head => {
  const head = insertVersion(
    store,
    {
      memory: parent?.memory ?? ++store.counters.memory,
      memoryId: parent?.memoryId ?? memoryId(context.acceptedAt, store.system.randomBytes(16)),
      identity,
      scope,
      kind: 'set',
      human: body.actor.startsWith('human:'),
      parent,
      body,
    },
    context.acceptedAt,
  )
  refreshOffer(store, head)
  return head
}

/** Puts what was said into the index, unless the same words stand there. Answers how many passages it has, or null. */
export const reindexed = (store: Store, before: Head | null, head: Head, write: PreparedWrite): number | null => {
  if (before !== null && !needsIndexing(before.body, head.body)) return null
  if (before !== null) unindexMemory(store, before.memory)
  return indexHead(store, head, write.vectors)
}

const needsIndexing = (before: VersionBody, after: VersionBody): boolean =>
  before.contentSha256 !== after.contentSha256 ||
  isSearchable(before.type, before.sensitivity) !== isSearchable(after.type, after.sensitivity)
