import initSqlite, { type Database, type PreparedStatement, type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { MemoryError } from '../../src/protocol/errors.js'
import type { Db, Sql, SqlValue } from '../ports.js'

export type { Database, Sqlite3Static }

/** Older builds lose data after a crash in the pool file system, so persistent storage is refused below this version. */
const SAFE_VERSION = 3_054_001

/** Statements kept prepared per database. */
const STATEMENT_CACHE = 200

/** What the file system below SQLite threw last: SQLite itself only says "disk I/O error". */
let lastFileError: Error | null = null

/** Remember what a file system threw. Called by the file systems of this folder. */
export const noteFileError = (error: Error): void => {
  lastFileError = error
}

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
  const options =
    wasm === undefined
      ? {}
      : {
          instantiateWasm: (imports: WebAssembly.Imports, done: (i: WebAssembly.Instance, m: WebAssembly.Module) => void) => {
            void WebAssembly.instantiate(wasm, imports).then(({ instance, module }) => done(instance, module))
            return {}
          },
        }
  // The published type takes no options, the function does.
  const sqlite3 = await (initSqlite as (options: object) => Promise<Sqlite3Static>)(options)
  if (sqlite3.version.libVersionNumber < SAFE_VERSION)
    throw new MemoryError('STORAGE_UNAVAILABLE', `This build of SQLite (${sqlite3.version.libVersion}) is not safe to store with.`, {
      backend: 'opfs',
      cause: `SQLite ${sqlite3.version.libVersion}`,
    })
  return sqlite3
}

/** How a file system takes part in a database's life. */
export interface FileSystemHooks {
  readonly backend: 'opfs' | 'idb' | 'memory'
  /** Resolves when everything committed is on disk. */
  readonly durable: () => Promise<void>
  /** Runs after the database is closed. */
  readonly afterClose: () => Promise<void>
  /** Told when SQLite meets damage: the file can only be replaced at the next opening. */
  readonly onDamage?: (cause: string) => void
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
  lastFileError = null
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

/** The {@link Db} port over an open SQLite database. */
export const createDb = (sqlite3: Sqlite3Static, database: Database, hooks: FileSystemHooks): Db => {
  const { capi } = sqlite3
  const statements = new Map<string, { readonly statement: PreparedStatement; readonly columns: readonly string[] }>()
  let depth = 0
  let closed = false

  const prepared = (text: string) => {
    const found = statements.get(text)
    if (found !== undefined) return found
    if (statements.size >= STATEMENT_CACHE) {
      const [oldest] = statements
      if (oldest !== undefined) {
        oldest[1].statement.finalize()
        statements.delete(oldest[0])
      }
    }
    const statement = database.prepare(text)
    const made = { statement, columns: statement.columnCount > 0 ? statement.getColumnNames() : [] }
    statements.set(text, made)
    return made
  }

  /** The columns of a kept statement are those of the schema it was made for. */
  const forget = (): void => {
    for (const { statement } of statements.values()) statement.finalize()
    statements.clear()
  }

  const rows = <Row>(sql: Sql, limit: number): Row[] => {
    const { statement, columns } = prepared(sql.text)
    const found: Row[] = []
    try {
      if (sql.values.length > 0) statement.bind(sql.values as SqlValue[])
      while (found.length < limit && statement.step()) {
        const row: Record<string, unknown> = {}
        for (let i = 0; i < columns.length; i++) row[columns[i] as string] = statement.get(i)
        found.push(row as Row)
      }
    } finally {
      statement.reset(true)
    }
    return found
  }

  const rollBack = (): void => {
    // After an I/O error SQLite has already rolled back, and a second one would be an error of its own.
    if (capi.sqlite3_get_autocommit(database) === 0) database.exec('rollback')
    // The schema may have gone back too.
    forget()
  }

  const attempt = <T>(work: () => T, end: 'commit' | 'rollback'): T => {
    database.exec('begin immediate')
    depth++
    try {
      const value = work()
      database.exec(end)
      return value
    } catch (error) {
      rollBack()
      throw error
    } finally {
      depth--
    }
  }

  const failed = (error: unknown): unknown => {
    const known = translate(sqlite3, error, hooks.backend)
    if (known instanceof MemoryError && known.code === 'STORAGE_CORRUPT') hooks.onDamage?.(said(error))
    return known
  }

  /** A full disk shows as an I/O error; emptying the log makes room, so the work gets a second try. */
  const relieved = <T>(work: () => T, repeatable = true): T => {
    if (closed) throw new MemoryError('CLOSED', 'The database is closed.', {})
    lastFileError = null
    try {
      return work()
    } catch (error) {
      if (!repeatable || hooks.backend !== 'opfs' || !isFileError(sqlite3, error)) throw failed(error)
    }
    try {
      database.exec('pragma wal_checkpoint(truncate)')
      return work()
    } catch (error) {
      throw failed(error)
    }
  }

  /** Inside a transaction errors stay as they are: only its end knows whether emptying the log helps. */
  const translated = <T>(work: () => T, repeatable = true): T => (depth > 0 ? work() : relieved(work, repeatable))

  const transaction = <T>(work: () => T, end: 'commit' | 'rollback'): T =>
    depth > 0 ? work() : relieved(() => attempt(work, end))

  return {
    all: (sql) => translated(() => rows(sql, Number.POSITIVE_INFINITY)),
    get: <Row>(sql: Sql) => translated(() => rows<Row>(sql, 1)[0]),
    run: (sql) =>
      translated(() => {
        rows(sql, Number.POSITIVE_INFINITY)
        return database.changes()
      }),
    script: (text) => {
      forget()
      // Not repeated after a full disk: some of its statements may have been committed.
      translated(() => void database.exec(text), false)
    },
    transaction: (work) => transaction(work, 'commit'),
    rehearsal: (work) => transaction(work, 'rollback'),
    durable: hooks.durable,
    close: async () => {
      if (closed) return
      closed = true
      forget()
      database.close()
      await hooks.afterClose()
    },
  }
}

const resultCode = (error: unknown): number | null =>
  error instanceof Error && 'resultCode' in error && typeof error.resultCode === 'number' ? error.resultCode & 0xff : null

const isFileError = (sqlite3: Sqlite3Static, error: unknown): boolean => {
  const code = resultCode(error)
  return code === sqlite3.capi.SQLITE_IOERR || code === sqlite3.capi.SQLITE_FULL
}

/** What somebody else's error says, for people. */
export const said = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))

/**
 * Whether the file system has no room. At the limit browsers throw, or answer a short or absurd byte count, for which the
 * pool file system throws an error of its own with these words.
 */
const hasNoRoom = (error: Error | null): boolean =>
  error !== null && (error.name === 'QuotaExceededError' || error.message.includes('Unknown write() failure'))

/** SQLite's result codes as ours. Anything that is not about the file is passed through. */
export const translate = (sqlite3: Sqlite3Static, error: unknown, backend: string): unknown => {
  const { capi } = sqlite3
  const code = resultCode(error)
  const cause = lastFileError ?? error
  if (code === capi.SQLITE_CORRUPT || code === capi.SQLITE_NOTADB)
    return new MemoryError(
      'STORAGE_CORRUPT',
      'The database file is damaged. Reload the page: the damaged file is kept and its readable memories are recovered.',
      { cause: said(error), quarantinedAs: null },
      { cause: error },
    )
  if (code === capi.SQLITE_FULL || (code === capi.SQLITE_IOERR && hasNoRoom(lastFileError)) || isQuotaError(error))
    return new MemoryError(
      'STORAGE_FULL',
      'The browser has no room left for this site. Nothing was written; free space, or delete memories.',
      { usage: null, quota: null },
      { cause: error },
    )
  // Short of a full disk: a handle the browser closed, a file that went away, a device that does not answer.
  if (code === capi.SQLITE_IOERR || code === capi.SQLITE_CANTOPEN)
    return new MemoryError(
      'STORAGE_UNAVAILABLE',
      'The browser took the database file away. Reload the page.',
      { backend, cause: said(cause) },
      { cause: error },
    )
  return error
}

const isQuotaError = (error: unknown): boolean => error instanceof Error && error.name === 'QuotaExceededError'
