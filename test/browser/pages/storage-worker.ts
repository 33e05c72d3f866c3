/*
 * A worker that does with storage what the test in Node asks for. Messages: [id, command, arguments]; answers: [id, outcome].
 */

import { MemoryError } from '../../../src/protocol/errors.js'
import { checkAtOpen } from '../../../worker/adapters/check/at-open.js'
import { inspect } from '../../../worker/adapters/check/inspect.js'
import { createIdbRegistry } from '../../../worker/adapters/idb-registry.js'
import { openStorage } from '../../../worker/adapters/open-storage.js'
import { loadSqlite, type Sqlite3Static } from '../../../worker/adapters/sqlite.js'
import { openIdbDb } from '../../../worker/adapters/sqlite-idb.js'
import { openOpfsDb, opfsProblem } from '../../../worker/adapters/sqlite-opfs.js'
import type { Db, SqlValue, StoreRecord } from '../../../worker/ports.js'
import * as repair from '../../../worker/repair/main.js'
import { MIGRATIONS } from '../../../worker/store/migrate.js'
import { dbContract } from '../../contracts/db.contract.js'
import { fillStore, refill } from '../../support/damaged-store.js'

type Backend = 'opfs' | 'idb'

let loaded: Promise<Sqlite3Static> | undefined
let current: Db | undefined

const sqlite = (): Promise<Sqlite3Static> => {
  loaded ??= fetch('/sqlite/sqlite3.wasm').then(async (response) => loadSqlite(await response.arrayBuffer()))
  return loaded
}

const db = (): Db => {
  if (current === undefined) throw new Error('Nothing is open.')
  return current
}

const openers: Readonly<Record<Backend, (sqlite3: Sqlite3Static, name: string) => Promise<Db>>> = {
  opfs: openOpfsDb,
  idb: openIdbDb,
}

const poolFiles = async (name: string): Promise<FileSystemFileHandle[]> => {
  let directory = await navigator.storage.getDirectory()
  for (const part of ['palimpsest', name, '.opaque']) directory = await directory.getDirectoryHandle(part)
  const files: FileSystemFileHandle[] = []
  for await (const handle of directory.values()) if (handle.kind === 'file') files.push(handle)
  return files
}

/** The pool file that holds the database: only it starts with a path and SQLite's magic. */
const databaseFile = async (name: string): Promise<FileSystemFileHandle> => {
  for (const handle of await poolFiles(name)) {
    const bytes = await (await handle.getFile()).slice(4096, 4096 + 15).text()
    if (bytes === 'SQLite format 3') return handle
  }
  throw new Error('No file holds a database.')
}

const overwrite = async (handle: FileSystemFileHandle, at: number, bytes: Uint8Array): Promise<void> => {
  const access = await handle.createSyncAccessHandle()
  access.write(bytes, { at })
  access.flush()
  access.close()
}

const commands = {
  ready: async () => (await sqlite()).version.libVersion,
  contract: async (backend: Backend, index: number) => {
    const sqlite3 = await sqlite()
    await dbContract[index]?.run(() => openers[backend](sqlite3, `contract-${backend}-${index}`))
  },
  problem: opfsProblem,
  open: async (backend: Backend, name: string) => {
    const sqlite3 = await sqlite()
    const start = performance.now()
    current = await openers[backend](sqlite3, name)
    return performance.now() - start
  },
  openStorage: async (name: string, options: { readonly fallback?: boolean } = {}) => {
    const { db: opened, report } = await openStorage(
      { name, backend: 'opfs', fallback: options.fallback ?? true },
      { sqlite3: await sqlite(), registry: createIdbRegistry(), now: () => 1_000, refill, loadRepair: async () => repair },
    )
    current = opened
    return report
  },
  register: (record: StoreRecord) => createIdbRegistry().write(record),
  close: async () => {
    const start = performance.now()
    await db().close()
    return performance.now() - start
  },
  fill: async (versions: number) => fillStore(db(), versions),
  /** As the library fills it: versions of 350 characters, heads, a text index and vectors in chunks. */
  fillBig: async (memories: number) => {
    const store = db()
    for (const step of MIGRATIONS) for (const statement of step) store.script(statement)
    for (let from = 1; from <= memories; from += 5_000)
      store.transaction(() => {
        for (let i = from; i < from + 5_000; i++) {
          insertMemory(store, i)
          insertText(store, i)
        }
      })
    return store.all({
      text: 'select name, sum(pgsize) as bytes from dbstat group by name order by bytes desc limit 12',
      values: [],
    })
  },
  script: async (text: string) => db().script(text),
  run: async (text: string, ...values: readonly SqlValue[]) => db().transaction(() => db().run({ text, values })),
  all: async (text: string, ...values: readonly SqlValue[]) => db().all({ text, values }),
  durable: () => db().durable(),
  /** Inserts rows of a size until it fails; answers how many went in. */
  insertUntilFull: async (size: number, most = Number.POSITIVE_INFINITY) => {
    for (let rows = 0; ; rows++) {
      if (rows === most) return { rows, code: null }
      try {
        db().transaction(() => db().run({ text: 'insert into t (v) values (?)', values: ['x'.repeat(size)] }))
        await db().durable()
      } catch (error) {
        return { rows, code: error instanceof MemoryError ? error.code : String(error) }
      }
    }
  },
  checkTimes: async (wasClean: boolean) => {
    const start = performance.now()
    const sound = checkAtOpen(db(), true)
    const atOpen = performance.now() - start
    const steps: number[] = []
    let from = performance.now()
    for (const result of inspect(db(), { wasClean })) {
      steps.push(Math.round(performance.now() - from))
      if (!result.sound) throw new Error(result.cause)
      from = performance.now()
    }
    return { sound, atOpen, steps }
  },
  /** Holds every file of a pool for a while, as a worker does that is going away. */
  hold: async (name: string, milliseconds: number) => {
    const handles = await Promise.all((await poolFiles(name)).map((handle) => handle.createSyncAccessHandle()))
    setTimeout(() => {
      for (const handle of handles) handle.close()
    }, milliseconds)
    return handles.length
  },
  /** Writes into the pool file of the database, behind the pool's back; `at` counts from the start of the pool's own sector. */
  damage: async (name: string, at: number, length: number) =>
    overwrite(
      await databaseFile(name),
      at,
      Uint8Array.from({ length }, (_, i) => (i * 7) & 255),
    ),
  quarantined: async (place: string) => {
    const [folder = '', file = ''] = place.split('/')
    const directory = await (await navigator.storage.getDirectory()).getDirectoryHandle(folder)
    return (await (await directory.getFileHandle(file)).getFile()).size
  },
  /** Makes the n-th write from now go wrong, and all after it until `times` are used up. */
  spoilWrites: async (kind: 'short' | 'absurd' | 'quota', after: number, times: number) => {
    const { write } = FileSystemSyncAccessHandle.prototype
    let seen = 0
    FileSystemSyncAccessHandle.prototype.write = function (this: FileSystemSyncAccessHandle, bytes, options) {
      seen++
      if (seen <= after || seen > after + times) return write.call(this, bytes, options)
      if (kind === 'quota') throw new DOMException('No space available for this operation', 'QuotaExceededError')
      const view = bytes as Uint8Array
      const written = write.call(this, view.subarray(0, view.length >> 1), options)
      return kind === 'short' ? written : 4294967288
    }
    spoilt = { write, seen: () => seen }
  },
  healWrites: async () => {
    if (spoilt === undefined) return 0
    FileSystemSyncAccessHandle.prototype.write = spoilt.write
    return spoilt.seen()
  },
  /** Makes the private file system behave as in a private window. */
  refuse: async () => {
    navigator.storage.getDirectory = () => Promise.reject(new DOMException('refused', 'SecurityError'))
  },
}

const insertMemory = (store: Db, i: number): void => {
  const body = JSON.stringify({
    key: `user/topic-${i % 977}/k${i}`,
    value: words(i, 40),
    tags: ['a', 'b'],
    source: { class: 'user' },
  })
  store.run({
    text: `insert into versions (row, dev, dseq, ver, kind, memory, memory_id, identity, parents, human, body, salt, commitment, sha256)
      values (?, 1, ?, ?, 'set', ?, ?, 1, '[]', 0, ?, ?, ?, ?)`,
    values: [
      i,
      i,
      1_796_000_000_123_456_789n + BigInt(i),
      i,
      `m${String(i).padStart(19, '0')}`,
      body,
      new Uint8Array(16),
      hash(i),
      hash(i + 1),
    ],
  })
  store.run({
    text: `insert into heads values (?, ?, 1, ?, ?, ?, 'live', 'fact', 1, 0, 'user', 0.9, ?, ?, null, null)`,
    values: [
      i,
      `m${String(i).padStart(19, '0')}`,
      `user/topic-${i % 977}/k${i}`,
      i,
      1_796_000_000_123_456_789n + BigInt(i),
      hash(i),
      1_796_000_000 + i,
    ],
  })
}

const insertText = (store: Db, i: number): void => {
  store.run({ text: 'insert into passages values (?, ?, 0, 200, 1)', values: [i, i] })
  store.run({
    text: 'insert into lexicon (rowid, key_words, words) values (?, ?, ?)',
    values: [i, `user topic ${i % 977}`, words(i, 40)],
  })
}

const words = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `w${Math.floor(30_000 * Math.abs(Math.sin(seed * 37 + i)) ** 3)}`).join(' ')

const hash = (seed: number): string => Math.abs(Math.sin(seed)).toString(16).slice(2).padEnd(64, '0')

let spoilt: { readonly write: FileSystemSyncAccessHandle['write']; readonly seen: () => number } | undefined

addEventListener('message', ({ data }: MessageEvent<[number, keyof typeof commands, unknown[]]>) => {
  const [id, command, args] = data
  const work = commands[command] as (...given: unknown[]) => Promise<unknown>
  work(...args).then(
    (value) => postMessage([id, { value }]),
    (error: unknown) =>
      postMessage([
        id,
        {
          failure: {
            code: error instanceof MemoryError ? error.code : null,
            message: String(error),
            details: error instanceof MemoryError ? error.details : null,
          },
        },
      ]),
  )
})
