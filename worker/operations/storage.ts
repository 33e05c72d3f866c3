import type { StorageReport } from '../../src/schema/storage.js'
import { headCondition, ownRows } from '../store/heads.js'
import { among, sql } from '../store/sql.js'
import type { CallContext, Engine } from './context.js'

/** What only the opener of the store knows. */
export type StorageFacts = Pick<StorageReport, 'backend' | 'durable' | 'reason' | 'recovery' | 'lastExportAt'>

/** Where the memories are kept and how safe they are there. `memories` counts what the handle may read. */
export const storage = async (engine: Engine, context: CallContext, facts: StorageFacts): Promise<StorageReport> => {
  const { db } = engine.store
  const identities = engine.store.book.visible(context.scope).map(({ identity }) => identity)
  const { usage, quota, persisted } = await browserFacts()
  return {
    ...facts,
    persisted,
    usage,
    quota,
    risk: facts.backend === 'memory' ? 'volatile' : persisted ? 'ok' : 'evictable',
    lastSyncAt: null,
    leader: true,
    memories:
      db.get<{ n: number }>(
        sql`select count(*) as n from heads h where ${headCondition(identities, {}, context.acceptedAt, 'exact')} and ${ownRows({})}`,
      )?.n ?? 0,
    unsynced:
      db.get<{ n: number }>(sql`select count(*) as n from versions where seq is null and identity in ${among(identities)}`)
        ?.n ?? 0,
    embedder: engine.store.embedder.id ?? engine.ladder.wanted().embedder.id,
  }
}

/** What the browser says of this origin's storage; null where it says nothing, as outside of browsers. */
export const browserFacts = async () => {
  const manager = (globalThis as { navigator?: { storage?: StorageManager } }).navigator?.storage
  const estimate = await manager?.estimate?.().catch(() => undefined)
  const persisted = (await manager?.persisted?.().catch(() => false)) ?? false
  return { usage: estimate?.usage ?? null, quota: estimate?.quota ?? null, persisted }
}
