import type { Db } from '../ports.js'
import { DATABASE_PATH, LOG_PATH } from './opfs/names.js'
import { takePool } from './opfs/pool.js'
import { readQuarantine, writeQuarantine } from './opfs/quarantine-file.js'
import { relist } from './opfs/relist.js'
import { dropReserve, fillReserve } from './opfs/reserve.js'
import { createRoom } from './opfs/room.js'
import { type Database, leaveLog, openConnection, type Sqlite3Static } from './sqlite.js'
import { isQuotaError } from './sqlite-errors.js'
import { asFailure, openTaken, type StoreFile } from './store-file.js'

/**
 * What keeps this window from using the private file system, as the start of a sentence; null when nothing does.
 *
 * Only what the browser lacks or refuses: a file that is there and does not open is not a reason to go elsewhere.
 */
export const opfsProblem = async (): Promise<string | null> => {
  if (typeof navigator === 'undefined' || typeof navigator.storage?.getDirectory !== 'function')
    return 'The private file system is missing in this browser'
  if (typeof FileSystemFileHandle === 'undefined' || !('createSyncAccessHandle' in FileSystemFileHandle.prototype))
    return 'The private file system has no synchronous access in this browser'
  try {
    await navigator.storage.getDirectory()
    return null
  } catch (error) {
    return `The private file system is refused in this window (${error instanceof Error ? error.name : String(error)})`
  }
}

/**
 * The order matters: the pool has no shared memory, so the log works only once the lock is exclusive. FULL flushes the log
 * at every commit, one call per commit, which is what makes a commit durable. The log is kept small because it counts
 * against the same quota: in a full store nothing can be deleted before the log is emptied.
 */
const PRAGMAS = `
  pragma page_size = 4096;
  pragma locking_mode = exclusive;
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma wal_autocheckpoint = 500;
  pragma journal_size_limit = 4194304;
  pragma cache_size = -8192;
`

/**
 * Claims the log's room while there is any: the browser then keeps it for the open file, and deleting stays possible when
 * the disk is full. Rewrites a number of the header with itself.
 */
const claimLog = (database: Database): void => {
  const version = Number(database.selectValue('pragma user_version'))
  database.exec(`pragma user_version = ${version}`)
}

/** Takes a store's place in the private file system. Rejects with the browser's own error. */
export const takeOpfs = async (sqlite3: Sqlite3Static, name: string): Promise<StoreFile> => {
  await relist(name)
  const pool = await takePool(sqlite3, name).catch(async (error: unknown) => {
    if (!isQuotaError(error) || !(await dropReserve(name))) throw error
    return takePool(sqlite3, name)
  })
  const has = (path: string): boolean => pool.getFileNames().includes(path)
  const bytes: StoreFile['bytes'] = () => ({
    database: has(DATABASE_PATH) ? pool.exportFile(DATABASE_PATH) : new Uint8Array(),
    log: has(LOG_PATH) ? pool.exportFile(LOG_PATH) : null,
  })
  return {
    backend: 'opfs',
    found: has(DATABASE_PATH),
    connect: () => {
      const database = openConnection(sqlite3, DATABASE_PATH, pool.vfsName, PRAGMAS)
      try {
        const mode = database.selectValue('pragma journal_mode')
        if (mode !== 'wal') throw new Error(`The write-ahead log could not be switched on (${String(mode)}).`)
        claimLog(database)
      } catch (error) {
        leaveLog(sqlite3, database)
        database.close()
        throw error
      }
      void fillReserve(name)
      return database
    },
    makeRoom: () => dropReserve(name),
    room: (database) => createRoom(sqlite3, database),
    bytes,
    keep: (label) => {
      const { database, log } = bytes()
      return writeQuarantine(label, database, log)
    },
    kept: readQuarantine,
    remove: async () => {
      pool.unlink(LOG_PATH)
      pool.unlink(DATABASE_PATH)
    },
    // A commit has flushed the log before it returns.
    durable: () => Promise.resolve(),
    release: async () => {
      pool.pauseVfs()
    },
  }
}

/**
 * Opens a store in the private file system. The caller holds the store's lock: this waits up to five seconds for the
 * handles of a previous holder. Rejects with STORAGE_UNAVAILABLE, STORAGE_FULL or STORAGE_CORRUPT; see `openStorage` for
 * what is done about damage.
 */
export const openOpfsDb = async (sqlite3: Sqlite3Static, name: string): Promise<Db> => {
  const file = await takeOpfs(sqlite3, name).catch((error: unknown) => {
    throw asFailure(sqlite3, error, 'opfs')
  })
  return openTaken(sqlite3, file)
}
