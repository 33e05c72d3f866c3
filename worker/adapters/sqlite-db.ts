import type { Database, PreparedStatement, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { MemoryError } from '../../src/protocol/errors.js'
import type { Db, Sql, SqlValue } from '../ports.js'
import { forgetFileError, isFileError, said, translate } from './sqlite-errors.js'

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

/** Statements kept prepared per database. */
const STATEMENT_CACHE = 200

/** The {@link Db} port over an open SQLite database. */
export const createDb = (sqlite3: Sqlite3Static, database: Database, hooks: FileSystemHooks): Db => {
  const { capi } = sqlite3
  const statements = new Map<string, { readonly statement: PreparedStatement; readonly columns: readonly string[] }>()
  let depth = 0
  let closed = false
  /** What made SQLite end the transaction by itself; its work may have caught it. */
  let ended: unknown
  let schemaTouched = false

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
    if (schemaTouched) forget()
  }

  const attempt = <T>(work: () => T, end: 'commit' | 'rollback'): T => {
    database.exec('begin immediate')
    depth++
    ended = undefined
    schemaTouched = false
    try {
      const value = work()
      if (ended !== undefined) throw ended
      database.exec(end)
      return value
    } catch (error) {
      rollBack()
      throw error
    } finally {
      depth--
    }
  }

  /** A rehearsal inside a transaction: only its own changes are taken back. */
  const rehearseInside = <T>(work: () => T): T => {
    database.exec('savepoint rehearsal')
    try {
      return work()
    } finally {
      if (capi.sqlite3_get_autocommit(database) === 0) database.exec('rollback to rehearsal; release rehearsal')
    }
  }

  /**
   * A statement inside a transaction. Its error stays as it is: only the transaction's end knows whether emptying the log
   * helps. After an I/O error SQLite has rolled back, and further statements would be committed one by one.
   */
  const inside = <T>(work: () => T): T => {
    if (ended !== undefined) throw ended
    try {
      return work()
    } catch (error) {
      if (capi.sqlite3_get_autocommit(database) !== 0) ended = error
      throw error
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
    forgetFileError()
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

  const guarded = <T>(work: () => T, repeatable = true): T => (depth > 0 ? inside(work) : relieved(work, repeatable))

  return {
    all: (sql) => guarded(() => rows(sql, Number.POSITIVE_INFINITY)),
    get: <Row>(sql: Sql) => guarded(() => rows<Row>(sql, 1)[0]),
    run: (sql) =>
      guarded(() => {
        rows(sql, Number.POSITIVE_INFINITY)
        return database.changes()
      }),
    script: (text) => {
      forget()
      schemaTouched = true
      // Not repeated after a full disk: some of its statements may have been committed.
      guarded(() => void database.exec(text), false)
    },
    transaction: (work) => (depth > 0 ? work() : relieved(() => attempt(work, 'commit'))),
    rehearsal: (work) => (depth > 0 ? rehearseInside(work) : relieved(() => attempt(work, 'rollback'))),
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
