import type { Db } from '../ports.js'
import { sql } from '../store/sql.js'

/** How a database looks when it is opened. */
export type Soundness = { readonly sound: true } | { readonly sound: false; readonly cause: string }

const SOUND: Soundness = { sound: true }

interface TableRow {
  readonly name: string
  readonly sql: string
}

/**
 * The checks that fit into opening. SQLite compares magic, page size and page count with the file on the first read, and
 * knows when the log has newer pages, so reading the schema is the header check. What it does not notice is a file that
 * was emptied: that is a new database to it.
 *
 * @param expected whether the store is known to have had content
 */
export const checkAtOpen = (db: Db, expected: boolean): Soundness => {
  try {
    const tables = recordTables(db)
    if (expected && tables.length === 0) return { sound: false, cause: 'emptied' }
    for (const { name } of tables) readEnds(db, name)
    return SOUND
  } catch (error) {
    return damageOf(error)
  }
}

/** SQLite's own complaint, or the error when it is about something else. */
const damageOf = (error: unknown): Soundness => {
  if (error instanceof Error && 'code' in error && error.code === 'STORAGE_CORRUPT')
    return { sound: false, cause: error.cause instanceof Error ? error.cause.message : error.message }
  throw error
}

/** Ordinary tables, largest last: cheap finds come first. */
const recordTables = (db: Db): readonly TableRow[] =>
  db
    .all<TableRow>(sql`select name, sql from sqlite_schema where type = 'table' and sql is not null order by rowid`)
    .filter((table) => !/^create\s+virtual/i.test(table.sql))

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** First and last row by key: the way down both edges of the tree. Whole rows, so that their overflow pages are read too. */
const readEnds = (db: Db, name: string): void => {
  const table = quoted(name)
  const order = primaryKey(db, name)
  for (const direction of ['asc', 'desc'])
    db.get({ text: `select * from ${table} order by ${order.map((column) => `${column} ${direction}`).join(', ')} limit 1`, values: [] })
}

const primaryKey = (db: Db, name: string): readonly string[] => {
  const kept = db.get<{ readonly wr: number }>(sql`select wr from pragma_table_list where schema = 'main' and name = ${name}`)
  if (kept?.wr !== 1) return ['rowid']
  return db
    .all<{ readonly name: string }>(sql`select name from pragma_table_info(${name}) where pk > 0 order by pk`)
    .map((column) => quoted(column.name))
}

/** A full check in one go. */
export const checkFully = (db: Db): Soundness => {
  for (const result of inspect(db, { wasClean: false })) if (!result.sound) return result
  return SOUND
}

/**
 * The thorough check, table by table, for idle moments after opening: each step blocks for as long as one table takes.
 * After an unclean close the indexes are compared with their tables too. Ends at the first damage.
 *
 * ```ts
 * for (const result of inspect(db, { wasClean })) {
 *   if (!result.sound) return result.cause
 *   await idle()
 * }
 * ```
 */
export const inspect = function* (db: Db, { wasClean }: { readonly wasClean: boolean }): Generator<Soundness> {
  const pragma = wasClean ? 'quick_check' : 'integrity_check'
  let tables: readonly { readonly name: string }[]
  try {
    tables = db.all(sql`select name from sqlite_schema where type = 'table' and sql is not null order by rowid`)
  } catch (error) {
    yield damageOf(error)
    return
  }
  for (const { name } of tables) {
    const result = examine(db, `pragma ${pragma}(${quoted(name)})`)
    yield result
    if (!result.sound) return
  }
}

const examine = (db: Db, text: string): Soundness => {
  try {
    const said = db.all<Readonly<Record<string, string>>>({ text, values: [] }).flatMap((row) => Object.values(row))
    return said.length === 1 && said[0] === 'ok' ? SOUND : { sound: false, cause: said.slice(0, 3).join('; ') }
  } catch (error) {
    return damageOf(error)
  }
}
