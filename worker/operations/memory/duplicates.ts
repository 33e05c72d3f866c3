import { canonicalForm } from '../../../src/domain/canonical.js'
import type { VersionBody } from '../../../src/schema/records.js'
import { refreshOffer } from '../../store/search-index.js'
import type { Store } from '../../store/store.js'
import { duplicatesOf, type Head, insertVersion } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR } from '../context.js'

/**
 * Gives duplicates back their own voice when the memory that answered for them says something else, or nothing, from now on. The oldest
 * of each user answers for that user's others.
 */
export const releaseDuplicates = (store: Store, context: CallContext, before: Head, after: Head): void => {
  const form = canonicalForm(before.body.value)
  const stillSpeaks = after.body.status !== 'tombstoned' && after.body.status !== 'rejected'
  if (!stillSpeaks || canonicalForm(after.body.value) !== form) speakAgain(store, context, before)
}

/** Gives the duplicates of a memory back their own voice. */
export const speakAgain = (store: Store, context: CallContext, { memoryId, body }: Head): void => {
  const speakers = new Map<string, string>()
  for (const head of duplicatesOf(store.db, memoryId, canonicalForm(body.value))) {
    const user = JSON.stringify(store.book.scopeOf(head.identity).user ?? [])
    const speaker = speakers.get(user)
    if (speaker === undefined) speakers.set(user, head.memoryId)
    repoint(store, context, head, speaker === undefined ? { status: 'active', duplicateOf: null } : { duplicateOf: speaker })
  }
}

const repoint = (store: Store, context: CallContext, parent: Head, change: Partial<VersionBody>): void => {
  const actor = context.scope.actor ?? DEFAULT_ACTOR
  const body = { ...parent.body, ...change, actor, updatedAt: context.acceptedAt }
  const { memory, memoryId, identity } = parent
  const scope = store.book.scopeOf(identity)
  const human = actor.startsWith('human:')
  const head = insertVersion(
    store,
    { memory, memoryId, identity, scope, kind: 'set', human, parent, body },
    context.acceptedAt,
  )
  refreshOffer(store, head)
}
