import type { Db, Sql } from '../../ports.js'

/** What a check found. */
export type Soundness = { readonly sound: true } | { readonly sound: false; readonly cause: string }

export const SOUND: Soundness = { sound: true }

export const damaged = (cause: string): Soundness => ({ sound: false, cause })

/** Runs a check; SQLite's complaints about the file are its answer, other errors are thrown on. */
export const examined = (check: () => Soundness): Soundness => {
  try {
    return check()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'STORAGE_CORRUPT')
      return damaged(error.cause instanceof Error ? error.cause.message : error.message)
    throw error
  }
}

/** A statement of a check: names of tables and indexes are quoted into it, since SQLite binds values only. */
export const plain = (text: string, ...values: readonly (string | number | bigint)[]): Sql => ({ text, values })

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export interface Table {
  readonly name: string
  readonly virtual: boolean
  /** Whether its rows are kept by rowid. */
  readonly rowid: boolean
}

/** All tables with content of their own, in the order in which they were made. */
export const tablesOf = (db: Db): readonly Table[] =>
  db
    .all<{ readonly name: string; readonly type: string; readonly wr: number }>(
      plain(`select l.name, l.type, l.wr from sqlite_schema s join pragma_table_list l on l.name = s.name and l.schema = 'main'
        where s.type = 'table' order by s.rowid`),
    )
    .map(({ name, type, wr }) => ({ name, virtual: type === 'virtual', rowid: wr === 0 }))
