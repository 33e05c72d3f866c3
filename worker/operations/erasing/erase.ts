import type { ErasureCounts } from '../../../src/schema/erasing.js'
import {
  blankAudit,
  blankIdentities,
  deleteHeld,
  dropResultsOfErased,
  dropSettings,
  emptyGaps,
  HELD_BY_IDENTITY,
  HELD_BY_MEMORY,
  nextErasing,
  unusedAmong,
} from '../../store/erasing.js'
import { keepErasure, pendingErasure, type StoredErasure } from '../../store/erasures.js'
import { unindexMemory } from '../../store/search-index.js'
import { sql } from '../../store/sql.js'
import { noteUnfinished } from '../../store/unfinished.js'
import type { CallContext, Engine } from '../context.js'
import { scrub } from '../history/scrub.js'
import { recorded } from '../memory/recorded.js'
import { letOthers } from '../turn.js'
import { unlinkSome } from './links.js'

/** Memories of one transaction. */
const BATCH = 200

/** The actor of what an erasure changes on other memories: it must not name who was erased. */
const ERASER = 'process:eraser'

const contextOf = (engine: Engine): CallContext => ({
  scope: { actor: ERASER },
  acceptedAt: engine.store.system.now(),
  forwarded: null,
  signal: new AbortController().signal,
})

/**
 * Carries the oldest erasure that has begun to its end, in noted steps: links to it, its memories, its identities, the bytes in the file. A
 * step that was cut off is done again. Answers what it found; null when there is none. To be called in order with other writes.
 */
export const eraseNext = async (engine: Engine, signal: AbortSignal): Promise<StoredErasure | null> => {
  const { store } = engine
  const { db } = store
  let erasure = pendingErasure(db)
  if (erasure === null) return null
  // What is taken out is overwritten at once, also where the file cannot be written anew.
  db.script('pragma secure_delete = on')
  const total = erasure.counts.memories
  const turn = async (): Promise<boolean> => {
    await db.durable()
    const left = db.get<{ n: number }>(sql`select count(*) as n from erasing`)?.n ?? 0
    engine.progress({ phase: 'erase', loaded: total - left, total, ratio: total === 0 ? 1 : (total - left) / total })
    await letOthers()
    return !signal.aborted
  }
  for (const step of [unlinkStep, memoryStep])
    for (;;) {
      const next = step(engine, erasure)
      if (next === null) break
      erasure = next
      if (!(await turn())) return erasure
    }
  erasure = lastStep(engine, erasure)
  await db.durable()
  const isScrubbed = await scrub(engine)
  if (isScrubbed || erasure.notReached.includes('file_space')) return erasure
  const told: StoredErasure = { ...erasure, notReached: [...erasure.notReached, 'file_space'] }
  store.write(() => keepErasure(db, told))
  await db.durable()
  return told
}

/** One step in one transaction. */
const step = <T>(engine: Engine, work: (context: CallContext) => T): T => {
  const context = contextOf(engine)
  return recorded(engine, context, { action: 'keeper.erase', idempotencyKey: undefined, dryRun: false }, () => ({
    result: work(context),
    changes: [],
  }))
}

const added = (erasure: StoredErasure, more: Partial<ErasureCounts>): StoredErasure => ({
  ...erasure,
  counts: Object.fromEntries(
    Object.entries(erasure.counts).map(([name, count]) => [name, count + (more[name as keyof ErasureCounts] ?? 0)]),
  ) as unknown as ErasureCounts,
})

/** Looks through what names the erased ones; null once that is done. */
const unlinkStep = (engine: Engine, erasure: StoredErasure): StoredErasure | null => {
  const { pending } = erasure
  if (pending === null || pending.linksAfter === Number.MAX_SAFE_INTEGER) return null
  const { next, changes } = step(engine, (context) => {
    const { db } = engine.store
    const { last, changes, ...counts } = unlinkSome(engine, context, pending.linksAfter)
    // Names of what is erased stand in rows of others too, while it is known what they are.
    const more = last === null ? { audit: blankAudit(db), results: dropResultsOfErased(db) } : {}
    const linksAfter = last ?? Number.MAX_SAFE_INTEGER
    const next: StoredErasure = { ...added(erasure, { ...counts, ...more }), pending: { ...pending, linksAfter } }
    keepErasure(db, next)
    return { next, changes }
  })
  if (changes.length > 0) engine.publish(changes.map(({ id, key, scope }) => ({ id, key, scope })))
  return next
}

/** Takes the next memories out of every table; null when none is left. */
const memoryStep = (engine: Engine, erasure: StoredErasure): StoredErasure | null =>
  step(engine, () => {
    const { store } = engine
    const { db } = store
    const memories = nextErasing(db, BATCH)
    if (memories.length === 0) return null
    for (const memory of memories) unindexMemory(store, memory)
    let usage = 0
    for (const [table, held] of Object.entries(HELD_BY_MEMORY)) {
      const count = deleteHeld(db, table, held, memories)
      if (table === 'usage') usage = count
    }
    const next = added(erasure, { usage })
    keepErasure(db, next)
    return next
  })

/** What stands under identities that are gone, settings, places in blocks of vectors; then it has ended but for the file. */
const lastStep = (engine: Engine, erasure: StoredErasure): StoredErasure => {
  const { store } = engine
  const { identities = [], settings = null } = erasure.pending ?? {}
  const done = step(engine, () => {
    const { db } = store
    const gone = unusedAmong(db, identities)
    const counts: Partial<Record<keyof ErasureCounts, number>> = { audit: blankIdentities(db, gone) }
    const names: { readonly [Table in string]: keyof ErasureCounts } = {
      blacklist: 'rules',
      requests: 'results',
      usage: 'usage',
      identities: 'identities',
    }
    for (const [table, held] of Object.entries(HELD_BY_IDENTITY)) {
      const count = deleteHeld(db, table, held, gone)
      const name = names[table]
      if (name !== undefined) counts[name] = count
    }
    if (settings !== null) counts.settings = dropSettings(db, settings)
    emptyGaps(db)
    noteUnfinished(db, 'scrub', 1)
    const next: StoredErasure = { ...added(erasure, counts), pending: null }
    keepErasure(db, next)
    return next
  })
  store.book.reread()
  return done
}
