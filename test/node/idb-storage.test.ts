import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { MemoryError } from '../../src/protocol/errors.js'
import { createIdbRegistry } from '../../worker/adapters/idb-registry.js'
import { openStorage } from '../../worker/adapters/open-storage.js'
import { loadSqlite, type Sqlite3Static } from '../../worker/adapters/sqlite.js'
import { idbProblem, openIdbDb } from '../../worker/adapters/sqlite-idb.js'
import type { Db } from '../../worker/ports.js'
import * as repair from '../../worker/repair/main.js'
import { sql } from '../../worker/store/sql.js'

let sqlite3: Sqlite3Static

beforeAll(async () => {
  sqlite3 = await loadSqlite()
})
beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const open = (): Promise<Db> => openIdbDb(sqlite3, 'store')

const insert = (db: Db, text: string): number => db.transaction(() => db.run(sql`insert into t (v) values (${text})`))

const texts = (db: Db): string =>
  db
    .all<{ v: string }>(sql`select v from t order by id`)
    .map(({ v }) => v)
    .join()

const withTable = async (...rows: readonly string[]): Promise<Db> => {
  const db = await open()
  db.script('create table t (id integer primary key, v text) strict')
  for (const row of rows) insert(db, row)
  await db.durable()
  return db
}

/** Makes blocks fail to be stored, as a full disk does: the request is taken and fails later. */
const fillDisk = (times = Number.POSITIVE_INFINITY) => {
  const put = IDBObjectStore.prototype.put
  let left = times
  return vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...args) {
    if (this.name === 'blocks' && left-- > 0) throw new DOMException('No space', 'QuotaExceededError')
    return put.apply(this, args)
  })
}

/** Makes storing end in an abort, as a full disk does in browsers that notice it at the commit. */
const abortStoring = () => {
  const put = IDBObjectStore.prototype.put
  let done = false
  return vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...args) {
    const request = put.apply(this, args)
    if (this.name === 'blocks' && !done) queueMicrotask(() => this.transaction.abort())
    done ||= this.name === 'blocks'
    return request
  })
}

describe('a crash', () => {
  test('between commit and flush loses only what was not acknowledged', async () => {
    const db = await withTable('a')
    insert(db, 'b')
    await db.durable()
    insert(db, 'c')
    // The worker is killed here: the next one opens what IndexedDB has.
    const next = await open()
    expect(texts(next)).toBe('a,b')
    expect(next.get(sql`pragma integrity_check`)).toEqual({ integrity_check: 'ok' })
  })

  test('while blocks are handed over leaves nothing of them', async () => {
    const db = await withTable('a')
    const put = IDBObjectStore.prototype.put
    let left = 20
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...args) {
      if (this.name === 'blocks' && left-- === 0) throw new DOMException('No space', 'QuotaExceededError')
      return put.apply(this, args)
    })
    for (let i = 0; i < 100; i++) insert(db, 'x'.repeat(5_000))
    await expect(db.durable()).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    vi.restoreAllMocks()
    const next = await open()
    expect(texts(next)).toBe('a')
    expect(next.get(sql`pragma integrity_check`)).toEqual({ integrity_check: 'ok' })
  })

  test('in the middle of a flush leaves the state before it', async () => {
    const db = await withTable('a')
    abortStoring()
    for (let i = 0; i < 100; i++) insert(db, 'x'.repeat(5_000))
    await expect(db.durable()).rejects.toBeInstanceOf(MemoryError)
    vi.restoreAllMocks()
    expect(texts(await open())).toBe('a')
  })

  test('before anything was stored leaves a new database', async () => {
    const db = await open()
    db.script('create table t (id integer primary key, v text)')
    const next = await open()
    expect(next.all(sql`select * from sqlite_schema`)).toEqual([])
  })
})

describe('a full disk', () => {
  test('rejects with STORAGE_FULL, keeps earlier rows and takes later ones', async () => {
    const db = await withTable('a')
    const disk = fillDisk()
    insert(db, 'b')
    await expect(db.durable()).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    expect(texts(db)).toBe('a')
    disk.mockRestore()
    insert(db, 'c')
    await db.durable()
    expect(texts(db)).toBe('a,c')
    expect(texts(await open())).toBe('a,c')
  })

  test('takes back a table that was made meanwhile', async () => {
    const db = await withTable('a')
    fillDisk(1)
    db.script('create table u (w text)')
    await expect(db.durable()).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    expect(() => db.all(sql`select * from u`)).toThrow(/no such table/)
    db.script('create table u (x text)')
    db.run(sql`insert into u (x) values (${'y'})`)
    await db.durable()
    expect((await open()).all(sql`select * from u`)).toEqual([{ x: 'y' }])
  })

  test('takes back what was committed during the failing flush, and tells all who wait for it', async () => {
    const db = await withTable('a')
    abortStoring()
    insert(db, 'b')
    const first = db.durable()
    await Promise.resolve()
    await Promise.resolve()
    insert(db, 'c')
    const second = db.durable()
    const third = db.durable()
    for (const waiting of [first, second, third]) await expect(waiting).rejects.toMatchObject({ name: 'MemoryError' })
    vi.restoreAllMocks()
    expect(texts(db)).toBe('a')
    insert(db, 'd')
    await db.durable()
    expect(texts(await open())).toBe('a,d')
  })

  test('rejects also the durable that comes after the failure, when its commit was taken back', async () => {
    const db = await withTable('a')
    fillDisk(1)
    insert(db, 'b')
    const first = db.durable()
    await Promise.resolve()
    await Promise.resolve()
    insert(db, 'late')
    await expect(first).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    expect(texts(db)).toBe('a')
    await expect(db.durable()).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    await db.durable()
  })
})

describe('storing', () => {
  test('shares one transaction between commits of one turn, and stores only changed blocks', async () => {
    const db = await withTable(...Array.from({ length: 50 }, () => 'x'.repeat(5_000)))
    const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction')
    const puts = vi.spyOn(IDBObjectStore.prototype, 'put')
    insert(db, 'one')
    const first = db.durable()
    insert(db, 'two')
    await Promise.all([first, db.durable()])
    expect(transactions).toHaveBeenCalledTimes(1)
    expect(transactions.mock.calls[0]?.[2]).toEqual({ durability: 'strict' })
    // The changed leaf, the first page with the change counter, and the size.
    expect(puts.mock.calls.length).toBeLessThanOrEqual(4)
    await db.durable()
    expect(transactions).toHaveBeenCalledTimes(1)
  })

  test('is refused to a worker whose store was taken over', async () => {
    const zombie = await withTable('a')
    const leader = await open()
    insert(leader, 'b')
    await leader.durable()
    insert(zombie, 'lost')
    await expect(zombie.durable()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(texts(await open())).toBe('a,b')
  })

  test('gives room back after deleting', async () => {
    const db = await withTable(...Array.from({ length: 100 }, () => 'x'.repeat(8_000)))
    db.run(sql`delete from t`)
    db.script('vacuum')
    await db.durable()
    await db.close()
    const next = await open()
    expect(next.get(sql`pragma page_count`)).toEqual({ page_count: 2 })
  })
})

describe('the ladder', () => {
  const registry = () => createIdbRegistry()
  const deps = () => ({ sqlite3, registry: registry(), now: () => 1_000, refill: () => 0, loadRepair: async () => repair })
  const record = { name: 'store', deviceId: 'd'.repeat(16), createdAt: 1, lastExportAt: null, recovery: null }

  test('ends in IndexedDB with a reason where there is no private file system', async () => {
    const { db, report } = await openStorage({ name: 'store', backend: 'opfs', fallback: true }, deps())
    expect(report).toEqual({
      backend: 'idb',
      durable: 'best-effort',
      reason: 'The private file system is missing in this browser, so memories are kept in IndexedDB.',
      recovery: null,
    })
    await db.close()
  })

  test('ends in memory with both reasons where there is neither', async () => {
    vi.spyOn(indexedDB, 'open').mockImplementation(() => {
      throw new DOMException('no', 'SecurityError')
    })
    expect(await idbProblem()).toBe('IndexedDB is refused in this window (SecurityError)')
    const { report } = await openStorage({ name: 'store', backend: 'opfs', fallback: true }, deps())
    expect(report.backend).toBe('memory')
    expect(report.durable).toBe('no')
    expect(report.reason).toBe(
      'The private file system is missing in this browser, and IndexedDB is refused in this window (SecurityError), so memories are kept in memory only and are gone with the page.',
    )
  })

  test('is not descended when the caller does not want it', async () => {
    await expect(openStorage({ name: 'store', backend: 'opfs', fallback: false }, deps())).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      details: { backend: 'opfs' },
    })
  })

  test('never looks elsewhere for a store that is known to live in the private file system', async () => {
    await registry().write({ ...record, backend: 'opfs' })
    await expect(openStorage({ name: 'store', backend: 'opfs', fallback: true }, deps())).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      details: { backend: 'opfs' },
    })
  })

  test('stays with a store that lives in IndexedDB, also when the registry forgot it', async () => {
    const db = await withTable('a')
    await db.close()
    const { db: found, report } = await openStorage({ name: 'store', backend: 'opfs', fallback: false }, deps())
    expect(texts(found)).toBe('a')
    expect(report.reason).toBe('This store was made in IndexedDB and stays there.')
  })

  test('makes a new database and says so when a known one is missing', async () => {
    await registry().write({ ...record, backend: 'idb' })
    const { report } = await openStorage({ name: 'store', backend: 'idb', fallback: true }, deps())
    const recovery = { at: 1_000, cause: 'missing', quarantinedAs: null, versionsRecovered: 0, versionsUnreadable: true }
    expect(report.recovery).toEqual(recovery)
    expect((await registry().read('store'))?.recovery).toEqual(recovery)
  })

  test('keeps memory in memory when asked, without touching storage', async () => {
    const opened = vi.spyOn(indexedDB, 'open')
    const { report } = await openStorage({ name: 'store', backend: 'memory', fallback: false }, deps())
    expect(report).toMatchObject({ backend: 'memory', durable: 'no', recovery: null })
    expect(opened).not.toHaveBeenCalled()
  })
})

test('the registry remembers nothing, and fails nobody, where IndexedDB is missing', async () => {
  vi.stubGlobal('indexedDB', undefined)
  const registry = createIdbRegistry()
  await registry.write({ name: 's', backend: 'idb', deviceId: 'd', createdAt: 1, lastExportAt: null, recovery: null })
  expect(await registry.read('s')).toBeNull()
  expect(await registry.damage.read('s')).toBeNull()
  vi.unstubAllGlobals()
})
