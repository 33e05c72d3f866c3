import { BELIEF_REASON, beliefIn, type SourceStanding } from '../../../src/domain/belief.js'
import { lockInForce } from '../../../src/domain/guards.js'
import { HOLDS_KEY, hasEnded } from '../../../src/domain/version.js'
import { beliefSourcesOf, derivedFrom, dropBeliefSources } from '../../store/beliefs.js'
import { indexHead, unindexMemory } from '../../store/search-index.js'
import { type Head, headOf, headsByKey } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { restate, unlinkConflict } from '../memory/conflicts.js'
import { append, bury } from '../memory/lifecycle.js'
import type { Change } from '../memory/recorded.js'

/** What became of memories that were made of others. */
export interface Settled {
  readonly tombstoned: number
  readonly downgraded: number
  readonly changes: readonly Change[]
}

const NOTHING: Settled = { tombstoned: 0, downgraded: 0, changes: [] }

/** Brings what was made of some memories in line with how they stand now. Inside a transaction. */
export const settleDependents = (engine: Engine, context: CallContext, sources: readonly Head[]): Settled =>
  derivedFrom(
    engine.store.db,
    sources.map(({ memory }) => memory),
  )
    .map((derived) => settleBelief(engine, context, derived))
    .reduce(
      (sum, one) => ({
        tombstoned: sum.tombstoned + one.tombstoned,
        downgraded: sum.downgraded + one.downgraded,
        changes: [...sum.changes, ...one.changes],
      }),
      NOTHING,
    )

/** Brings one memory in line with what it was made of: in doubt without some of it, gone without all, back with it. */
export const settleBelief = (engine: Engine, context: CallContext, derived: number): Settled => {
  const { store } = engine
  const sources = beliefSourcesOf(store.db, derived)
  const head = sources.length === 0 ? null : headOf(store.db, derived)
  if (head === null) return NOTHING
  if (sources.some(({ derivedSha256 }) => derivedSha256 !== head.body.contentSha256)) {
    dropBeliefSources(store.db, derived)
    return NOTHING
  }
  const { acceptedAt } = context
  const { status, statusReason, conflictWith } = head.body
  const belief = beliefIn(
    sources.map(({ source, sourceSha256 }) => standingOf(headOf(store.db, source), sourceSha256, acceptedAt)),
  )
  const isOurs = statusReason === BELIEF_REASON.weakened || statusReason === BELIEF_REASON.lost
  if (HOLDS_KEY.includes(status)) {
    if (head.body.pinned || lockInForce(head.body, acceptedAt) !== null) return NOTHING
    if (belief === 'lost') {
      const freed = unlinkConflict(store, context, head)
      const buried = { ...head, body: { ...head.body, statusReason: BELIEF_REASON.lost } }
      return { tombstoned: 1, downgraded: 0, changes: [bury(engine, context, buried), ...freed] }
    }
    if (belief === 'weakened' && status === 'active') {
      const change = restate(store, context, head, { status: 'conflicted', statusReason: BELIEF_REASON.weakened })
      return { tombstoned: 0, downgraded: 1, changes: [change] }
    }
    if (belief === 'held' && status === 'conflicted' && isOurs && conflictWith.length === 0)
      return { ...NOTHING, changes: [restate(store, context, head, { status: 'active', statusReason: null })] }
    return NOTHING
  }
  return status === 'tombstoned' && isOurs && belief !== 'lost' ? bringBack(engine, context, head, belief) : NOTHING
}

const bringBack = (engine: Engine, context: CallContext, head: Head, belief: 'held' | 'weakened'): Settled => {
  const { store } = engine
  const live = headsByKey(store.db, [head.identity], head.body.key).some(({ body }) => HOLDS_KEY.includes(body.status))
  if (live) return NOTHING
  const back = append(engine, context, head, 'restore', {
    ...head.body,
    status: belief === 'held' ? 'active' : 'conflicted',
    statusReason: belief === 'held' ? null : BELIEF_REASON.weakened,
    tombstonedAt: null,
  })
  unindexMemory(store, back.memory)
  indexHead(store, back, [])
  engine.wakeIndexing()
  const { key, contentSha256 } = back.body
  return { ...NOTHING, changes: [{ id: back.memoryId, key, contentSha256, scope: store.book.scopeOf(back.identity) }] }
}

/** How a source stands: what says something else, was replaced, went or ended gives no support any more. */
const standingOf = (head: Head | null, sha256: string, nowMs: number): SourceStanding => {
  if (head === null || head.body.contentSha256 !== sha256 || hasEnded(head, nowMs)) return 'gone'
  const { status } = head.body
  if (status === 'active' || status === 'duplicate') return 'stands'
  return status === 'conflicted' || status === 'proposed' ? 'doubted' : 'gone'
}
