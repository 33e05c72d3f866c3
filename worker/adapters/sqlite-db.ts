import type { Database, PreparedStatement, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { MemoryError } from '../../src/protocol/errors.js'
import type { Db, Sql } from '../ports.js'
import { forgetFileError, isPageLimit, said, translate } from './sqlite-errors.js'
import { createRunner } from './sqlite-statement.js'

/** Keeps a database able to empty its log, and so to delete, when the disk is full. */
export interface Room {
  /** Before each transaction. */
  readonly prepare: () => void
  /** What can be done after a transaction found no room; false when that is nothing. */
  readonly relieve: (error: 'no page left' | 'no room in the log', attempt: number) => boolean
  /** Before the database is closed. */
  readonly dispose: () => void
}

/** How a file system takes part in a database's life. */
export interface FileSystemHooks {
  readonly backend: 'opfs' | 'idb' | 'memory'
  /** Resolves when everything committed is on disk. */
  readonly durable: () => Promise<void>
  /** Runs after the database is closed. */
  readonly afterClose: () => Promise<void>
  /** Where the file's growing can fail. */
  readonly room?: Room
  /** Told when SQLite meets damage: the file can only be replaced at the next opening. */
  readonly onDamage?: (cause: string) => void
}

/** Statements kept prepared per database. */
const STATEMENT_CACHE = 200

const command = (text: string): Sql => ({ text, values: [] })

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

  const runStatement = createRunner(sqlite3, database)

  const rows = <Row>(sql: Sql, limit: number): Row[] => {
    const { statement, columns } = prepared(sql.text)
    return runStatement<Row>(statement, columns, sql.values, limit)
  }

  const rollBack = (): void => {
    // After an I/O error SQLite has already rolled back, and a second one would be an error of its own.
    if (capi.sqlite3_get_autocommit(database) === 0) rows(command('rollback'), 1)
    if (schemaTouched) forget()
  }

  const attempt = <T>(work: () => T, end: 'commit' | 'rollback'): T => {
    rows(command('begin immediate'), 1)
    depth++
    ended = undefined
    schemaTouched = false
    try {
      const value = work()
      if (ended !== undefined) throw ended
      rows(command(end), 1)
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
   * A statement inside a transaction. Its error stays as it is: only the transaction's end knows whether anything helps. A
   * full disk ends the whole transaction, whatever its work does about the error: after an I/O error SQLite has rolled back,
   * and further statements would be committed one by one.
   */
  const inside = <T>(work: () => T): T => {
    if (ended !== undefined) throw ended
    try {
      return work()
    } catch (error) {
      if (capi.sqlite3_get_autocommit(database) !== 0 || isPageLimit(sqlite3, error)) ended = error
      throw error
    }
  }

  const failed = (error: unknown): unknown => {
    const known = translate(sqlite3, error, hooks.backend)
    if (known instanceof MemoryError && known.code === 'STORAGE_CORRUPT') hooks.onDamage?.(said(error))
    return known
  }

  const checkOpen = (): void => {
    if (closed) throw new MemoryError('CLOSED', 'The database is closed.', {})
  }

  const read = <T>(work: () => T): T => {
    if (depth > 0) return inside(work)
    checkOpen()
    forgetFileError()
    try {
      return work()
    } catch (error) {
      throw failed(error)
    }
  }

  /** Writing, which may find the disk full: then what can be done is done and the work gets another try. */
  const write = <T>(work: () => T, repeatable: boolean): T => {
    if (depth > 0) return inside(work)
    checkOpen()
    for (let attempt = 0; ; attempt++) {
      try {
        if (attempt === 0) hooks.room?.prepare()
        forgetFileError()
        return work()
      } catch (error) {
        const known = failed(error)
        const isFull = known instanceof MemoryError && known.code === 'STORAGE_FULL'
        const kind = isPageLimit(sqlite3, error) ? 'no page left' : 'no room in the log'
        if (!isFull || !repeatable || hooks.room?.relieve(kind, attempt) !== true) throw known
      }
    }
  }

  return {
    all: (sql) => read(() => rows(sql, Number.POSITIVE_INFINITY)),
    get: <Row>(sql: Sql) => read(() => rows<Row>(sql, 1)[0]),
    run: (sql) =>
      write(() => {
        rows(sql, Number.POSITIVE_INFINITY)
        return database.changes()
      }, true),
    script: (text) => {
      forget()
      schemaTouched = true
      // Not repeated: some of its statements may have been committed.
      write(() => void database.exec(text), false)
    },
    transaction: (work) => (depth > 0 ? work() : write(() => attempt(work, 'commit'), true)),
    rehearsal: (work) => (depth > 0 ? rehearseInside(work) : write(() => attempt(work, 'rollback'), true)),
    durable: hooks.durable,
    close: async () => {
      if (closed) return
      closed = true
      forget()
      hooks.room?.dispose()
      database.close()
      await hooks.afterClose()
    },
  }
}
