import { type ErasureTarget, isInRoomOf, isTarget } from '../../../src/domain/erasure.js'
import { type BoundScope, resolve, speaksForAll } from '../../../src/domain/scope.js'
import type { ArchivedErasure, Erasure, ErasuresResult, NotReached } from '../../../src/schema/erasing.js'
import { allErasures, keepErasure, type StoredErasure } from '../../store/erasures.js'
import type { Store } from '../../store/store.js'
import type { CallContext, Engine } from '../context.js'

/** What no step of an erasure reaches. */
export const NOT_REACHED: readonly NotReached[] = ['exports', 'backups', 'other_devices', 'damaged_copies']

/**
 * Whether a receipt is within a handle's reach. It names nobody, but who erased something and why is for those only who read all of its
 * namespace, or whose own scope it was.
 */
export const isWithin = (scope: BoundScope): ((erasure: ErasureTarget) => boolean) => {
  const own = resolve(scope)
  const isUnbound = scope.org === undefined && scope.namespace === undefined
  return (erasure) => (speaksForAll(scope) ? isUnbound || isInRoomOf(erasure, own) : isTarget(erasure, own, null))
}

export const told = ({ id, at, kind, actor, reason, pending, counts, notReached }: StoredErasure): Erasure => ({
  id,
  at,
  kind,
  actor,
  reason,
  state: pending === null ? 'done' : 'pending',
  counts,
  notReached,
})

/** Receipts of what was erased within the handle's reach. */
export const listErasures = ({ store }: Engine, { scope }: CallContext): ErasuresResult => ({
  erasures: allErasures(store.db).filter(isWithin(scope)).map(told),
  scope: resolve(scope),
})

/** The same as an archive carries them. What has not ended is carried too: from its first step on nothing of it is in an archive. */
export const erasuresToCarry = ({ db }: Store, scope: BoundScope): readonly ArchivedErasure[] =>
  allErasures(db)
    .filter(isWithin(scope))
    .map(({ pending: _, notReached: __, ver, levels, ...erasure }) => ({
      ...erasure,
      ver: String(ver),
      levels: [...levels],
    }))

/** Keeps what an archive says was erased, and answers how much of it was not known. Nothing that is here goes by it. */
export const putErasures = ({ db }: Store, carried: readonly ArchivedErasure[]): number => {
  const known = new Set(allErasures(db).map(({ id }) => id))
  const fresh = carried.filter(({ id }) => !known.has(id))
  for (const erasure of fresh)
    keepErasure(db, { ...erasure, ver: BigInt(erasure.ver), pending: null, notReached: NOT_REACHED })
  return fresh.length
}
