import 'fake-indexeddb/auto'
import { beforeAll, describe, test } from 'vitest'
import { loadSqlite, openMemoryDb, type Sqlite3Static } from '../../worker/adapters/sqlite.js'
import { openIdbDb } from '../../worker/adapters/sqlite-idb.js'
import { dbContract } from '../contracts/db.contract.js'

let sqlite3: Sqlite3Static

beforeAll(async () => {
  sqlite3 = await loadSqlite()
})

describe('a database in memory', () => {
  for (const { name, persistent, run } of dbContract)
    if (!persistent) test(name, () => run(async () => openMemoryDb(sqlite3)))
})

describe('a database in IndexedDB', () => {
  dbContract.forEach(({ name, run }, i) => {
    test(name, () => run(() => openIdbDb(sqlite3, `contract ${i}`)))
  })
})
