import type { SAHPoolUtil } from '@sqlite.org/sqlite-wasm'
import type { Sqlite3Static } from '../sqlite.js'
import { poolNames } from './names.js'
import { patiently } from './patience.js'

/** Database, write-ahead log, and the rollback journal of the moments before the log is switched on. */
const CAPACITY = 3

/** The least a pool can work with: database and log. */
const LEAST_CAPACITY = 2

/**
 * Takes a store's pool of files. Waits while a previous holder's handles are still being released, then rejects with the
 * browser's own error.
 */
export const takePool = async (sqlite3: Sqlite3Static, name: string): Promise<SAHPoolUtil> => {
  const { directory, vfs } = poolNames(name)
  const options = {
    name: vfs,
    directory,
    initialCapacity: CAPACITY,
    // Errors only: this is how what the browser threw reaches `sqlite3.config.error`.
    verbosity: 1,
    // Without this a failed installation deletes the directory, and one file still held by the previous leader is enough
    // to make it fail: 7 of 7 such failures lost the whole database, measured.
    preserveOnInitFailure: true,
    forceReinitIfPreviouslyFailed: true,
  }
  const pool = await patiently(async () => {
    const installed = await sqlite3.installOpfsSAHPoolVfs(options)
    // A pool this worker closed before is remembered by name and comes back paused.
    return installed.isPaused() ? installed.unpauseVfs() : installed
  })
  await grow(pool)
  return pool
}

/** An installation cut short by a full disk leaves a smaller pool; two files are enough to read and to delete. */
const grow = async (pool: SAHPoolUtil): Promise<void> => {
  try {
    await pool.reserveMinimumCapacity(CAPACITY)
  } catch (error) {
    if (pool.getCapacity() >= LEAST_CAPACITY) return
    pool.pauseVfs()
    throw error
  }
}
