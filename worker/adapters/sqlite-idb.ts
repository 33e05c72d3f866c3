import type { Db } from '../ports.js'
import { bytesOf, openBlocks } from './idb/blocks.js'
import { createFlusher } from './idb/flusher.js'
import { BLOCK_SIZE, createMirror } from './idb/mirror.js'
import { keepInIdb, readKept } from './idb/quarantine.js'
import { MIRROR_VFS, serveMirror, withdrawMirror } from './idb/vfs.js'
import { safeName } from './safe-name.js'
import { openConnection, type Sqlite3Static } from './sqlite.js'
import { asFailure, openTaken, type StoreFile } from './store-file.js'

export { idbProblem } from './idb/open.js'

/**
 * The journal can live in memory because what is stored are whole transactions, each flush in one transaction of IndexedDB.
 * The lock stays "normal" on purpose: SQLite then looks at the file's change counter before each transaction and drops its
 * cache when the mirror went back to an older state. With an exclusive lock it would trust its cache and serve lost rows.
 */
const PRAGMAS = `
  pragma page_size = ${BLOCK_SIZE};
  pragma locking_mode = normal;
  pragma journal_mode = memory;
  pragma synchronous = off;
  pragma cache_size = -8192;
`

/** Takes a store's place in IndexedDB and loads it. Rejects with the browser's own error. */
export const takeIdb = async (sqlite3: Sqlite3Static, name: string): Promise<StoreFile> => {
  const path = `/${safeName(name)}`
  const blocks = await openBlocks(name)
  const loaded = await blocks.load().catch((error: unknown) => {
    blocks.close()
    throw error
  })
  let mirror = createMirror(loaded.blocks, loaded.size ?? 0)
  const flush = createFlusher(() => mirror, blocks)

  const durable = async (): Promise<void> => {
    try {
      await flush()
    } catch (error) {
      throw asFailure(sqlite3, error, 'idb')
    }
  }

  return {
    backend: 'idb',
    found: loaded.size !== null,
    connect: () => {
      serveMirror(sqlite3, path, mirror)
      return openConnection(sqlite3, path, MIRROR_VFS, PRAGMAS)
    },
    bytes: () => ({ database: bytesOf(mirror), log: null }),
    keep: (label) => keepInIdb(label, bytesOf(mirror)),
    kept: async (place) => ({ database: await readKept(place), log: null }),
    remove: async () => {
      await blocks.remove()
      mirror = createMirror(new Map(), 0)
    },
    durable,
    release: async () => {
      try {
        await durable()
      } finally {
        withdrawMirror(sqlite3, path)
        blocks.close()
      }
    },
  }
}

/**
 * Opens a store in IndexedDB: a database in memory whose changed blocks are stored by `durable`. A commit that was not
 * made durable is gone after a crash. When storing fails, `durable` rejects with STORAGE_FULL and the database is again
 * what it was when it was last stored.
 */
export const openIdbDb = async (sqlite3: Sqlite3Static, name: string): Promise<Db> => {
  const file = await takeIdb(sqlite3, name).catch((error: unknown) => {
    throw asFailure(sqlite3, error, 'idb')
  })
  return openTaken(sqlite3, file)
}
