import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Db, SqlRow, SqlValue, Statement, Steps } from './steps.js'
import { TABLES_VERSION, tablesOf } from './tables.js'

/** Pushes that wait for each other share one commit, and with it one wait for the disk; no more than these. */
const MAX_SHARED = 32

interface Waiting {
  readonly run: () => void
  readonly settle: (error: unknown) => void
}

/** The embedded engine: one file, one writer, and a commit is on disk before it is answered. */
export const openSqlite = (path: string): Db => {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
  const db = new Database(path)
  db.defaultSafeIntegers(true)
  // Another process holds the lock only for as long as a command of the console takes.
  db.pragma('busy_timeout = 10000')
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  // What was erased is overwritten, not only unlinked.
  db.pragma('secure_delete = ON')
  db.pragma('cache_size = -65536')
  prepareTables(db)

  const prepared = new Map<string, Database.Statement<unknown[]>>()
  const statementOf = (sql: string) => {
    let statement = prepared.get(sql)
    if (statement === undefined) prepared.set(sql, (statement = db.prepare(sql)))
    return statement
  }

  const carryOut = ({ sql, values = [], many }: Statement): readonly SqlRow[] => {
    const statement = statementOf(sql)
    if (many !== undefined) {
      for (const each of many) statement.run(...each)
      return []
    }
    const bound = values.map(boundValue)
    if (statement.reader) return statement.all(...bound) as SqlRow[]
    statement.run(...bound)
    return []
  }

  const drive = <T>(steps: Steps<T>): T => {
    let step = steps.next([])
    while (!step.done) step = steps.next(carryOut(step.value))
    return step.value
  }

  const waiting: Waiting[] = []

  const commitWaiting = () => {
    const now = waiting.splice(0, MAX_SHARED)
    if (waiting.length > 0) setImmediate(commitWaiting)
    const outcomes: (() => void)[] = []
    try {
      db.exec('BEGIN IMMEDIATE')
      for (const { run, settle } of now) {
        db.exec('SAVEPOINT each')
        try {
          run()
          outcomes.push(() => settle(null))
        } catch (error) {
          db.exec('ROLLBACK TO each')
          outcomes.push(() => settle(error ?? new Error('unknown')))
        }
        db.exec('RELEASE each')
      }
      db.exec('COMMIT')
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK')
      for (const { settle } of now) settle(error)
      return
    }
    for (const tell of outcomes) tell()
  }

  const write = <T>(steps: () => Steps<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      let result: { readonly value: T } | null = null
      waiting.push({
        run: () => {
          result = { value: drive(steps()) }
        },
        settle: (error) => (error === null && result !== null ? resolve(result.value) : reject(error)),
      })
      if (waiting.length === 1) setImmediate(commitWaiting)
    })

  return {
    dialect: 'sqlite',
    read: async (steps) => drive(steps()),
    write: (_account, steps) => write(steps),
    locked: (_account, steps) => write(steps),
    close: async () => {
      db.close()
    },
  }
}

/** Lists are JSON here and arrays there. */
const boundValue = (value: SqlValue): unknown => (Array.isArray(value) ? JSON.stringify(value.map(plain)) : value)
const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)

const prepareTables = (db: Database.Database) => {
  db.transaction(() => {
    const found = Number(db.pragma('user_version', { simple: true }))
    if (found > TABLES_VERSION) throw new Error(`The database was written by a newer server (tables ${found}).`)
    for (const sql of tablesOf('sqlite')) db.exec(sql)
    db.pragma(`user_version = ${TABLES_VERSION}`)
  }).immediate()
}
