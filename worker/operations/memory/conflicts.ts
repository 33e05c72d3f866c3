import type { VersionBody } from '../../../src/schema/records.js'
import { refreshOffer } from '../../store/search-index.js'
import type { Store } from '../../store/store.js'
import { type Head, headById, insertVersion } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR } from '../context.js'
import type { Change } from './recorded.js'

/** Links kept on one memory: beyond, the nearest say enough. */
const MOST_LINKS = 20

/** Marks memories as in conflict with one that was just written, each on its own row, so that both sides tell of it. */
export const linkConflict = (
  store: Store,
  context: CallContext,
  written: Head,
  against: readonly Head[],
): readonly Change[] =>
  against.map((head) => {
    const others = head.body.conflictWith.filter((id) => id !== written.memoryId)
    return restate(store, context, head, {
      status: 'conflicted',
      conflictWith: [...others, written.memoryId].slice(-MOST_LINKS),
    })
  })

/**
 * Takes a memory out of the conflicts it stood in: it says something else now, or nothing. Who is left without one is active again. One
 * that is about to be written anyway is left out.
 */
export const unlinkConflict = (
  store: Store,
  context: CallContext,
  gone: Head,
  leftOut: string | null = null,
): readonly Change[] =>
  gone.body.conflictWith.flatMap((id) => {
    if (id === leftOut) return []
    const head = headById(store.db, store.book.relatives(gone.identity), id)
    if (head === null || !head.body.conflictWith.includes(gone.memoryId)) return []
    const conflictWith = head.body.conflictWith.filter((other) => other !== gone.memoryId)
    const status = head.body.status === 'conflicted' && conflictWith.length === 0 ? 'active' : head.body.status
    return [restate(store, context, head, { status, conflictWith, ...(status === 'active' ? { statusReason: null } : {}) })]
  })

/** Retires a memory in favour of one that was just written. */
export const supersede = (
  store: Store,
  context: CallContext,
  written: Head,
  older: Head,
  statusReason: string | null = null,
): Change =>
  restate(store, context, older, {
    status: 'superseded',
    statusReason,
    supersededBy: written.memoryId,
    invalidAt: context.acceptedAt,
    conflictWith: [],
  })

/** Appends a version that changes some fields. */
export const restate = (store: Store, context: CallContext, parent: Head, change: Partial<VersionBody>): Change => {
  const actor = context.scope.actor ?? DEFAULT_ACTOR
  const { memory, memoryId, identity } = parent
  const scope = store.book.scopeOf(identity)
  const body = { ...parent.body, ...change, actor, updatedAt: context.acceptedAt }
  const human = actor.startsWith('human:')
  const head = insertVersion(
    store,
    { memory, memoryId, identity, scope, kind: 'set', human, parent, body },
    context.acceptedAt,
  )
  refreshOffer(store, head)
  return { id: memoryId, key: body.key, contentSha256: body.contentSha256, scope }
}
