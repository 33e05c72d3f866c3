import { unpackBody } from '../../../src/domain/body.js'
import { owns } from '../../../src/domain/scope.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { Row } from '../../../src/schema/row.js'
import { rebuildBeliefSources } from '../../store/beliefs.js'
import { markRestored, markRestoring, undoRestoring } from '../../store/restoring.js'
import { insertRow, partsOf, raiseDevice, takeDevice } from '../../store/rows.js'
import { indexHead } from '../../store/search-index.js'
import { sql } from '../../store/sql.js'
import type { Store } from '../../store/store.js'
import { complete, type Head, putHead } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import type { ArchivedMemory } from './read-archive.js'

/** Memories of one transaction. */
const BATCH = 100
/** How far ahead a clock may be that this store's own follows. */
const AHEAD_MS = 5 * 60_000

/** Whether a store holds nothing that an archive could meet, and none of the devices that wrote the archive. */
export const isEmptyFor = ({ db }: Store, devices: ReadonlySet<string>): boolean =>
  db.get(
    sql`select 1 from versions union all select 1 from erasures union all select 1 from blacklist union all select 1 from namespaces
      union all select 1 from devices where device_id in (select value from json_each(${JSON.stringify([...devices])})) limit 1`,
  ) === undefined

/** A restoring that has begun: either it is finished, or everything is as it was before. */
export interface Restoring {
  /** Takes memories in, as soon as there are enough of them for a transaction, or at once for the last of them. */
  readonly put: (memories: readonly ArchivedMemory[], isLast?: boolean) => Promise<void>
  /** To be called in the transaction that ends it. */
  readonly finish: () => void
  /** Tells everybody what is here now. */
  readonly announce: () => void
  readonly undo: () => Promise<void>
}

/** Begins to fill an empty store, version for version. Nothing else may be written until it has ended. */
export const beginRestoring = (engine: Engine, context: CallContext): Restoring => {
  const { store } = engine
  const { db } = store
  const before = { resident: store.resident.mark(), book: store.book.mark(), counters: { ...store.counters } }
  store.write(() => markRestoring(db))
  let waiting: ArchivedMemory[] = []
  const put: Restoring['put'] = async (memories, isLast = false) => {
    for (const memory of memories) if (owns(context.scope, (memory.rows[0] as Row).scope)) waiting.push(memory)
    while (waiting.length >= BATCH || (isLast && waiting.length > 0)) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      store.write(() => putMemories(engine, batch))
      await db.durable()
    }
  }
  return {
    put,
    finish: () => {
      rebuildBeliefSources(db)
      markRestored(db)
      store.rereadDevices()
    },
    announce: () => announce(engine),
    undo: async () => {
      try {
        // What was finished is finished, whatever failed afterwards.
        if (!undoRestoring(db)) return
        await db.durable()
        store.resident.backTo(before.resident)
        store.book.backTo(before.book)
        Object.assign(store.counters, before.counters)
        store.rereadDevices()
      } catch (error) {
        const cause = error instanceof Error ? error.message : String(error)
        // Half an archive must not be built upon. The next opening empties the store.
        store.refuseWrites(
          new MemoryError('STORAGE_UNAVAILABLE', 'An import was stopped and could not be taken back yet. Reload the page.', {
            backend: 'worker',
            cause,
          }),
        )
      }
    },
  }
}

const putMemories = ({ store }: Engine, memories: readonly ArchivedMemory[]): void => {
  const { db, book, counters } = store
  const devices = new Map<string, number>()
  const reached = new Map<number, { dseq: number; ver: bigint }>()
  const latest = BigInt(store.system.now() + AHEAD_MS) * 1_000_000n
  for (const { rows } of memories) {
    const memory = ++counters.memory
    let head: Head | null = null
    for (const row of rows) {
      const { deviceId, dseq } = partsOf(row.id)
      const dev = devices.get(deviceId) ?? takeDevice(db, deviceId)
      devices.set(deviceId, dev)
      const identity = book.take(row.scope)
      const number = insertRow(db, row, { dev, memory, identity })
      const ver = BigInt(row.ver)
      const far = reached.get(dev) ?? { dseq: 0, ver: 0n }
      reached.set(dev, { dseq: Math.max(far.dseq, dseq), ver: ver > far.ver && ver <= latest ? ver : far.ver })
      const { memory: memoryId, sha256, body } = row
      head =
        body === null
          ? null
          : { memory, memoryId, identity, row: number, dev, dseq, ver, sha256, body: unpackBody(body), leavesAt: null }
    }
    if (head === null) continue
    const whole = complete(db, head)
    putHead(db, whole, false)
    indexHead(store, whole, [])
  }
  for (const [dev, { dseq, ver }] of reached) {
    raiseDevice(db, dev, dseq, ver)
    if (ver > counters.ver) counters.ver = ver
  }
}

/** Heads named in one event. */
const PAGE = 1_000

const announce = ({ store, publish }: Engine): void => {
  let after = 0
  for (;;) {
    const heads = store.db.all<{ memory: number; memory_id: string; key: string; identity: number }>(
      sql`select memory, memory_id, key, identity from heads where memory > ${after} order by memory limit ${PAGE}`,
    )
    if (heads.length === 0) return
    publish(heads.map(({ memory_id, key, identity }) => ({ id: memory_id, key, scope: store.book.scopeOf(identity) })))
    after = (heads[heads.length - 1] as { memory: number }).memory
  }
}
