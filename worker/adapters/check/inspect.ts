import type { Db } from '../../ports.js'
import { damaged, examined, plain, quoted, SOUND, type Soundness, type Table, tablesOf } from './soundness.js'

/** Rows compared with an index in one step: about 10 ms. */
const STEP_ROWS = 5_000

/**
 * The thorough check in steps, for idle moments after opening. A step blocks for as long as SQLite's quick_check of one
 * table takes (the largest of 100,000 memories: 100 to 150 ms, measured). After an unclean close every index is compared
 * with its table too, some thousand rows in 6 ms: SQLite's own integrity_check of one table blocks for 0.8 s there. Text
 * indexes are checked as the tables they keep; their own check takes another 0.7 s and they can be rebuilt.
 *
 * Ends at the first damage. Tables may be written between the steps.
 *
 * ```ts
 * for (const result of inspect(db, { wasClean })) {
 *   if (!result.sound) return registry.damage.set(name, { cause: result.cause, quarantinedAs: null })
 *   await idle()
 * }
 * ```
 */
export const inspect = function* (db: Db, { wasClean }: { readonly wasClean: boolean }): Generator<Soundness> {
  for (const step of stepsOf(db, wasClean)) {
    const result = examined(step)
    yield result
    if (!result.sound) return
  }
}

/** All of it at once, text indexes included: for a store in which damage was seen. */
export const inspectFully = (db: Db): Soundness => {
  for (const result of inspect(db, { wasClean: false })) if (!result.sound) return result
  return examined(() => {
    for (const { name, virtual } of tablesOf(db)) {
      const result = virtual ? asked(db, `pragma integrity_check(${quoted(name)})`) : SOUND
      if (!result.sound) return result
    }
    return SOUND
  })
}

type Step = () => Soundness

const stepsOf = function* (db: Db, wasClean: boolean): Generator<Step> {
  yield () => checkFreePages(db)
  let tables: readonly Table[] = []
  yield () => {
    tables = tablesOf(db).filter(({ virtual }) => !virtual)
    return SOUND
  }
  for (const { name } of tables) yield () => asked(db, `pragma quick_check(${quoted(name)})`)
  if (wasClean) return
  for (const table of tables) {
    if (table.rowid && !table.virtual)
      for (const index of indexesOf(db, table.name)) yield* compareSteps(db, table.name, index)
    else yield () => asked(db, `pragma integrity_check(${quoted(table.name)})`)
  }
}

const asked = (db: Db, pragma: string): Soundness => {
  const said = db.all<Readonly<Record<string, string>>>(plain(pragma)).flatMap((row) => Object.values(row))
  return said.length === 1 && said[0] === 'ok' ? SOUND : damaged(said.slice(0, 3).join('; '))
}

/** The list of free pages, which checks of single tables leave out: pages that the next writes will use. */
const checkFreePages = (db: Db): Soundness => {
  const total = db.get<{ readonly page_count: number }>(plain('pragma page_count'))?.page_count ?? 0
  const first = pageView(db, 1)
  if (first === null) return SOUND
  const seen = new Set<number>()
  const isNew = (page: number): boolean => page > 1 && page <= total && !seen.has(page) && seen.add(page).has(page)
  for (let trunk = first.getUint32(32); trunk !== 0; ) {
    const view = isNew(trunk) ? pageView(db, trunk) : null
    const leaves = view?.getUint32(4) ?? 0
    if (view === null || leaves > view.byteLength / 4 - 2) return damaged(`free page list: page ${trunk}`)
    for (let i = 0; i < leaves; i++)
      if (!isNew(view.getUint32(8 + 4 * i))) return damaged(`free page list: entry ${i} of page ${trunk}`)
    trunk = view.getUint32(0)
  }
  return seen.size === first.getUint32(36) ? SOUND : damaged(`free page list: ${seen.size} pages`)
}

const pageView = (db: Db, page: number): DataView | null => {
  const data = db.get<{ readonly data: Uint8Array }>(plain('select data from sqlite_dbpage where pgno = ?', page))?.data
  return data === undefined ? null : new DataView(data.buffer, data.byteOffset, data.byteLength)
}

interface Index {
  readonly name: string
  readonly columns: readonly string[]
  /** The condition of a partial index, or one that always holds. */
  readonly where: string
}

/** Indexes over plain columns; ours have no others. */
const indexesOf = (db: Db, table: string): readonly Index[] =>
  db
    .all<{ readonly name: string; readonly sql: string | null }>(
      plain('select l.name, s.sql from pragma_index_list(?) l join sqlite_schema s on s.name = l.name', table),
    )
    .map(({ name, sql }) => ({
      name,
      columns: db
        .all<{ readonly name: string | null }>(plain('select name from pragma_index_xinfo(?) where key = 1', name))
        .map((column) => quoted(column.name ?? '')),
      where: /\)\s*where\s+([\s\S]+)$/i.exec(sql ?? '')?.[1] ?? 'true',
    }))

/** Each row has its entry, and there are as many entries as rows. */
const compareSteps = function* (db: Db, tableName: string, index: Index): Generator<Step> {
  const table = quoted(tableName)
  const name = quoted(index.name)
  const same = [...index.columns, 'rowid'].map((column) => `entry.${column} is own.${column}`).join(' and ')
  const complaint = damaged(`index ${index.name} does not fit its table`)
  let after: number | bigint = -(2n ** 63n)
  for (let more = true; more; )
    yield () => {
      const from = after
      // Named, because SQLite names a rowid after the table's key column.
      const end = db.get<{ readonly last: number | bigint }>(
        plain(`select rowid as last from ${table} where rowid > ? order by rowid limit 1 offset ${STEP_ROWS - 1}`, from),
      )
      more = end !== undefined
      after = end?.last ?? 2n ** 63n - 1n
      const missing = db.get(
        plain(
          `select 1 from ${table} as own not indexed where own.rowid > ? and own.rowid <= ? and (${index.where})
            and not exists (select 1 from ${table} as entry indexed by ${name} where ${same} and (${index.where})) limit 1`,
          from,
          after,
        ),
      )
      return missing === undefined ? SOUND : complaint
    }
  yield () => {
    const count = (how: string): number =>
      db.get<{ readonly n: number }>(plain(`select count(*) as n from ${table} ${how} where ${index.where}`))?.n ?? -1
    return count('not indexed') === count(`indexed by ${name}`) ? SOUND : complaint
  }
}
