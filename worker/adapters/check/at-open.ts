import type { Db } from '../../ports.js'
import { damaged, examined, plain, quoted, SOUND, type Soundness, type Table, tablesOf } from './soundness.js'

/**
 * The checks that fit into opening: about 15 ms for 100,000 memories, measured, where a quick_check takes 230 ms.
 *
 * SQLite compares magic, page size and page count with the file on the first read, and knows when the log has newer pages,
 * so reading the schema is the header check. What it does not notice is a file that was emptied: that is a new database to
 * it.
 *
 * @param expected whether the store is known to have had content
 */
export const checkAtOpen = (db: Db, expected: boolean): Soundness =>
  examined(() => {
    const tables = tablesOf(db)
    if (expected && tables.length === 0) return damaged('emptied')
    for (const table of tables) if (!table.virtual) readEnds(db, table)
    return SOUND
  })

/** First and last row by key: the way down both edges of the tree. Whole rows, so that their overflow pages are read too. */
const readEnds = (db: Db, table: Table): void => {
  const order = table.rowid ? ['rowid'] : primaryKey(db, table.name)
  for (const direction of ['asc', 'desc'])
    db.get(
      plain(
        `select * from ${quoted(table.name)} order by ${order.map((name) => `${name} ${direction}`).join(', ')} limit 1`,
      ),
    )
}

const primaryKey = (db: Db, table: string): readonly string[] =>
  db
    .all<{ readonly name: string }>(plain('select name from pragma_table_info(?) where pk > 0 order by pk', table))
    .map(({ name }) => quoted(name))
