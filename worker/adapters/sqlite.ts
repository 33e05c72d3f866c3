import initSqlite, { type Database, type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { MemoryError } from '../../src/protocol/errors.js'
import type { Db } from '../ports.js'
import { createDb, type FileSystemHooks } from './sqlite-db.js'
import { forgetFileError, noteFileError, said } from './sqlite-errors.js'

export { createDb, type FileSystemHooks } from './sqlite-db.js'
export { noteFileError, said, translate } from './sqlite-errors.js'
export type { Database, Sqlite3Static }

/** Older builds lose data after a crash in the pool file system, so persistent storage is refused below this version. */
const SAFE_VERSION = 3_054_001

/**
 * Starts SQLite, once per worker.
 *
 * @param wasm the bytes of `sqlite3.wasm`; in Node the package finds its own.
 */
export const loadSqlite = async (wasm?: ArrayBuffer): Promise<Sqlite3Static> => {
  const quiet = (): void => undefined
  Object.assign(globalThis, {
    sqlite3ApiConfig: {
      log: quiet,
      warn: quiet,
      debug: quiet,
      error: (...words: unknown[]) => {
        const thrown = words.find((word) => word instanceof Error)
        if (thrown instanceof Error) noteFileError(thrown)
      },
      // These two start a helper worker of their own on isolated pages; the pool file system needs none.
      disable: { vfs: { opfs: true, 'opfs-wl': true } },
    },
  })
  const module = wasm === undefined ? undefined : await compile(wasm)
  const options =
    module === undefined
      ? {}
      : {
          instantiateWasm: (
            imports: WebAssembly.Imports,
            done: (i: WebAssembly.Instance, m: WebAssembly.Module) => void,
          ) => {
            void WebAssembly.instantiate(module, imports).then((instance) => done(instance, module))
            return {}
          },
        }
  // The published type takes no options, the function does.
  const sqlite3 = await (initSqlite as (options: object) => Promise<Sqlite3Static>)(options)
  if (sqlite3.version.libVersionNumber < SAFE_VERSION)
    throw new MemoryError(
      'STORAGE_UNAVAILABLE',
      `This build of SQLite (${sqlite3.version.libVersion}) is not safe to store with.`,
      {
        backend: 'opfs',
        cause: `SQLite ${sqlite3.version.libVersion}`,
      },
    )
  return sqlite3
}

/** Apart from starting it: the engine's own loader never settles when its module does not compile. */
const compile = async (wasm: ArrayBuffer): Promise<WebAssembly.Module> => {
  try {
    return await WebAssembly.compile(wasm)
  } catch (error) {
    const cause = said(error)
    throw new MemoryError(
      'WORKER_FAILED',
      `SQLite did not start: ${cause}. A content security policy of the worker needs 'wasm-unsafe-eval' in its script-src.`,
      { url: null, cause },
    )
  }
}

const IN_MEMORY: FileSystemHooks = {
  backend: 'memory',
  durable: () => Promise.resolve(),
  afterClose: () => Promise.resolve(),
}

/** A database in memory: gone with its worker. */
export const openMemoryDb = (sqlite3: Sqlite3Static): Db => {
  const database = new sqlite3.oo1.DB(':memory:', 'c')
  secure(sqlite3, database)
  return createDb(sqlite3, database, IN_MEMORY)
}

/** Opens a connection through a file system and sets its pragmas. Leaves nothing open when that fails. */
export const openConnection = (sqlite3: Sqlite3Static, path: string, vfs: string, pragmas: string): Database => {
  forgetFileError()
  const database = new sqlite3.oo1.DB({ filename: path, flags: 'c', vfs })
  try {
    secure(sqlite3, database)
    database.exec(pragmas)
    return database
  } catch (error) {
    leaveLog(sqlite3, database)
    database.close()
    throw error
  }
}

/** Closing then leaves file and log as they are, for the quarantine. */
export const leaveLog = (sqlite3: Sqlite3Static, database: Database): void => {
  sqlite3.capi.sqlite3_db_config(database, sqlite3.capi.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, 0)
}

/** Memory text is hostile: no schema content is trusted and no statement may reach into the schema. */
export const secure = (sqlite3: Sqlite3Static, database: Database): void => {
  const { capi } = sqlite3
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_DEFENSIVE, 1, 0)
  capi.sqlite3_db_config(database, capi.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 0)
}
