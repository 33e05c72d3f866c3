import { bodyOf } from '../../../src/domain/going-back.js'
import { isSearchable } from '../../../src/domain/memory-type.js'
import { HOLDS_KEY, isServed } from '../../../src/domain/version.js'
import type { VersionBody } from '../../../src/schema/records.js'
import { actOf } from '../../store/authored.js'
import { type GoingBack, isGoingBack, versionAt } from '../../store/going-back.js'
import { indexHead, refreshOffer, unindexMemory } from '../../store/search-index.js'
import { type Head, headById, headOf, headsByKey } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { unlinkConflict } from '../memory/conflicts.js'
import { releaseDuplicates } from '../memory/duplicates.js'
import { append } from '../memory/lifecycle.js'
import type { Change } from '../memory/recorded.js'

interface BroughtBack {
  readonly before: Head
  readonly after: Head
}

/**
 * Brings memories back, each by a version of its own, inside a transaction. One that was written since the plan was made stays, and so
 * does one whose key another memory has taken since. Answers what changed, other memories that were linked to them included.
 */
export const bringBack = (engine: Engine, context: CallContext, some: readonly GoingBack[]): readonly Change[] => {
  const { store } = engine
  const all = some.flatMap((one) => bringOneBack(engine, context, one) ?? [])
  // Once all of them stand as they did: what still points to another state of them belongs to others.
  const unmarked = all.flatMap(({ before, after }) => {
    const leftOver = before.body.conflictWith.filter(
      (id) => !after.body.conflictWith.includes(id) && !isGoingBack(store.db, id),
    )
    return unlinkConflict(store, context, { ...before, body: { ...before.body, conflictWith: leftOver } })
  })
  for (const { before, after } of all) releaseDuplicates(store, context, before, after)
  return [...all.map(({ after }) => changeOf(engine, after)), ...unmarked]
}

const changeOf = ({ store }: Engine, { memoryId, identity, body }: Head): Change => ({
  id: memoryId,
  key: body.key,
  contentSha256: body.contentSha256,
  scope: store.book.scopeOf(identity),
})

const bringOneBack = (engine: Engine, context: CallContext, one: GoingBack): BroughtBack | null => {
  const { store } = engine
  const before = headOf(store.db, one.memory)
  // Marks that this very write has set on it meanwhile do not count as another's.
  if (before === null || (before.row !== one.head && actOf(store.db, before.row) !== store.author.act)) return null
  const then = one.target === null ? null : versionAt(store.db, one.target)
  if (one.target !== null && then === null) return null
  const leads = (id: string): boolean => leadsSomewhere(engine, context, before, id)
  const body = bodyOf(before.body, then?.body ?? null, leads, context.acceptedAt)
  if (isKeyTaken(engine, before, body)) return null
  const after = append(engine, context, before, body.status === 'tombstoned' ? 'tomb' : 'restore', body)
  if (before.body.contentSha256 !== body.contentSha256 || stands(before.body) !== stands(body)) {
    unindexMemory(store, after.memory)
    indexHead(store, after, [])
  }
  refreshOffer(store, after)
  return { before, after }
}

/** Whether a memory is in the word index. */
const stands = ({ type, sensitivity, status }: VersionBody): boolean =>
  isSearchable(type, sensitivity) && status !== 'tombstoned' && status !== 'rejected'

/** Whether a link leads to a memory that is served, or that is brought back as well. */
const leadsSomewhere = ({ store }: Engine, context: CallContext, { identity }: Head, id: string): boolean => {
  if (isGoingBack(store.db, id)) return true
  const other = headById(store.db, store.book.relatives(identity), id)
  return other !== null && isServed(other, context.acceptedAt)
}

const isKeyTaken = ({ store }: Engine, head: Head, body: VersionBody): boolean =>
  HOLDS_KEY.includes(body.status) &&
  !HOLDS_KEY.includes(head.body.status) &&
  headsByKey(store.db, [head.identity], body.key).some(
    (other) => other.memory !== head.memory && HOLDS_KEY.includes(other.body.status),
  )
