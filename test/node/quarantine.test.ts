import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { openDB } from 'idb'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { MemoryError } from '../../src/protocol/errors.js'
import { inspect } from '../../worker/adapters/check/inspect.js'
import { createIdbRegistry } from '../../worker/adapters/idb-registry.js'
import { openStorage } from '../../worker/adapters/open-storage.js'
import type { Refill } from '../../worker/adapters/recovery.js'
import { loadSqlite, openMemoryDb, type Sqlite3Static } from '../../worker/adapters/sqlite.js'
import { openIdbDb } from '../../worker/adapters/sqlite-idb.js'
import type { Db, OpenedStorage } from '../../worker/ports.js'
import * as repair from '../../worker/repair/main.js'
import { sql } from '../../worker/store/sql.js'
import { fillStore, type Row, readStore, refill, versionsOf, writeStore } from '../support/damaged-store.js'
import { damages, type Layout } from '../support/damages.js'

const VERSIONS = 3_000

let sqlite3: Sqlite3Static
let sound: Uint8Array
let rows: ReadonlyMap<unknown, Row>
let layout: Layout
/** Rows with a part of themselves on a page. */
let rowsOn: (page: number) => ReadonlySet<unknown>

beforeAll(async () => {
  sqlite3 = await loadSqlite()
  globalThis.indexedDB = new IDBFactory()
  const db = await openIdbDb(sqlite3, 'sound')
  fillStore(db, VERSIONS)
  rows = new Map(versionsOf(db).map((row) => [row.row, row]))
  const stat = db.all<{ name: string; pageno: number; pagetype: string; path: string }>(
    sql`select name, pageno, pagetype, path from dbstat order by pageno`,
  )
  const roots = db.all<{ name: string; rootpage: number }>(sql`select name, rootpage from sqlite_schema where rootpage > 0`)
  layout = {
    pages: db.get<{ page_count: number }>(sql`pragma page_count`)?.page_count ?? 0,
    roots: Object.fromEntries(roots.map(({ name, rootpage }) => [name, rootpage])),
    pagesOf: (name, kind) => stat.filter((page) => page.name === name && page.pagetype === kind).map(({ pageno }) => pageno),
  }
  await db.close()
  sound = await readStore('sound')
  rowsOn = (page) => {
    const found = stat.find(({ pageno }) => pageno === page)
    // An overflow page's path is its leaf's, then the number of the cell.
    const leaf = stat.find(({ path }) => path === found?.path.replace(/[0-9a-f]{3}\+[0-9a-f]{6}$/, ''))
    return rowsOfLeaf(leaf?.pageno ?? page)
  }
})

const rowsOfLeaf = (page: number): ReadonlySet<unknown> => {
  const only = sound.slice()
  // Without any other leaf only this one's rows are found.
  for (const other of layout.pagesOf('versions', 'leaf'))
    if (other !== page) only.fill(0, (other - 1) * 8192, (other - 1) * 8192 + 1)
  const model = openMemoryDb(sqlite3)
  refill(model, { readableRows: () => [] })
  return new Set([...repair.salvage(only, null).readableRows('versions', model)].map((row) => row.row))
}

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
})

const open = (fill: Refill = refill): Promise<OpenedStorage> =>
  openStorage(
    { name: 'store', backend: 'idb', fallback: false },
    { sqlite3, registry: createIdbRegistry(), now: () => 1_000, refill: fill, loadRepair: async () => repair },
  )

const register = () =>
  createIdbRegistry().write({
    name: 'store',
    backend: 'idb',
    deviceId: 'd',
    createdAt: 1,
    lastExportAt: null,
    recovery: null,
  })

const makeStore = async (bytes: Uint8Array): Promise<void> => {
  const db = await openIdbDb(sqlite3, 'store')
  db.script('create table placeholder (a)')
  await db.close()
  await writeStore('store', bytes)
  await register()
}

const quarantined = async (place: string | null | undefined): Promise<Uint8Array> => {
  const database = await openDB('palimpsest-quarantine')
  const bytes = await database.get('files', (place ?? '').replace('palimpsest-quarantine/', ''))
  database.close()
  return bytes
}

/** Opens, looks for hidden damage as the worker does in idle moments, and opens again when there is some. */
const openThoroughly = async (): Promise<{ readonly storage: OpenedStorage; readonly openings: number }> => {
  const storage = await open()
  if (storage.report.recovery !== null) return { storage, openings: 1 }
  for (const result of inspect(storage.db, { wasClean: false })) {
    if (result.sound) continue
    await createIdbRegistry().damage.set('store', { cause: result.cause, quarantinedAs: null })
    await storage.db.close().catch(() => undefined)
    return { storage: await open(), openings: 2 }
  }
  return { storage, openings: 1 }
}

test('a sound store is not touched', async () => {
  await makeStore(sound)
  const { storage, openings } = await openThoroughly()
  expect([openings, storage.report.recovery]).toEqual([1, null])
  expect(versionsOf(storage.db)).toEqual([...rows.values()])
})

test('reading page by page gives exactly what SQLite gives', () => {
  const model = openMemoryDb(sqlite3)
  refill(model, { readableRows: () => [] })
  const found = repair.salvage(sound, null)
  expect([...found.readableRows('versions', model)]).toEqual([...rows.values()])
  expect([...found.readableRows('identities', model)]).toHaveLength(5)
  expect(found.unreadable()).toBe(false)
})

test('damage met while the store is in use is dealt with when it is opened next', async () => {
  const bytes = sound.slice()
  const [, leaf = 0] = layout.pagesOf('versions', 'leaf')
  bytes.fill(0, (leaf - 1) * 8192, leaf * 8192)
  await makeStore(bytes)
  const first = await open()
  expect(first.report.recovery).toBeNull()
  expect(() => versionsOf(first.db)).toThrow(expect.objectContaining({ code: 'STORAGE_CORRUPT' }))
  await first.db.close()
  const second = await open()
  expect(second.report.recovery?.versionsRecovered).toBeGreaterThan(VERSIONS / 2)
  expect(versionsOf(second.db).length).toBe(second.report.recovery?.versionsRecovered)
})

test('a refilling that was interrupted is begun again from what was kept', async () => {
  const bytes = sound.slice().fill(0, 0, 100)
  await makeStore(bytes)
  const interrupted = (db: Db): number => {
    db.script('create table half_done (a)')
    throw new MemoryError('STORAGE_FULL', 'no room', { usage: null, quota: null })
  }
  await expect(open(interrupted)).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  await expect(open(interrupted)).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  const { db, report } = await open()
  expect(versionsOf(db)).toEqual([...rows.values()])
  expect(Buffer.compare(await quarantined(report.recovery?.quarantinedAs), bytes)).toBe(0)
  expect(db.all(sql`select name from sqlite_schema where name = 'half_done'`)).toEqual([])
  expect(await createIdbRegistry().damage.read('store')).toBeNull()
})

test('a refilling that fails for another reason leaves an empty store and says so', async () => {
  await makeStore(sound.slice().fill(0, 0, 100))
  const { db, report } = await open(() => {
    throw new TypeError('a fault of ours')
  })
  expect(report.recovery).toMatchObject({ versionsRecovered: 0, versionsUnreadable: true })
  expect(report.recovery?.cause).toContain('a fault of ours')
  expect(db.all(sql`select * from sqlite_schema`)).toEqual([])
})

test('a damaged file that cannot be set aside stays where it is', async () => {
  const bytes = sound.slice().fill(0, 0, 100)
  await makeStore(bytes)
  const put = IDBObjectStore.prototype.put
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...args) {
    if (this.name === 'files') throw new DOMException('No space', 'QuotaExceededError')
    return put.apply(this, args)
  })
  await expect(open()).rejects.toMatchObject({ code: 'STORAGE_CORRUPT', details: { quarantinedAs: null } })
  vi.restoreAllMocks()
  expect(Buffer.compare(await readStore('store'), bytes)).toBe(0)
  expect(versionsOf((await open()).db)).toHaveLength(rows.size)
})

describe('a store is replaced and refilled when', () => {
  for (const damage of damages)
    test(damage.name, async () => {
      const copy = sound.slice()
      const bytes = damage.apply(copy, layout) ?? copy
      await makeStore(bytes)
      const { storage, openings } = await openThoroughly()
      expect(openings).toBe(damage.hidden ? 2 : 1)

      const { recovery } = storage.report
      expect(recovery).not.toBeNull()
      expect(recovery?.at).toBe(1_000)
      if (bytes.length === 0) expect(recovery?.quarantinedAs).toBeNull()
      else expect(Buffer.compare(await quarantined(recovery?.quarantinedAs), bytes)).toBe(0)
      expect((await createIdbRegistry().read('store'))?.recovery).toEqual(recovery)

      const found = versionsOf(storage.db)
      for (const row of found) expect(row).toEqual(rows.get(row.row))
      if (damage.loses !== 'everything') {
        const lost = new Set(damage.loses === 'nothing' ? [] : damage.loses(layout).flatMap((page) => [...rowsOn(page)]))
        const missing = [...rows.keys()].filter((row) => !found.some((kept) => kept.row === row))
        expect(missing.filter((row) => !lost.has(row))).toEqual([])
        expect(lost.size).toBeLessThan(VERSIONS / 10)
      }
      expect(recovery?.versionsRecovered).toBe(found.length)
      if (found.length < rows.size) expect(recovery?.versionsUnreadable).toBe(true)
      expect(storage.db.get(sql`pragma integrity_check`)).toEqual({ integrity_check: 'ok' })

      await storage.db.close()
      const again = await open()
      expect(again.report.recovery).toEqual(recovery)
      expect(versionsOf(again.db)).toHaveLength(found.length)
    })
})
