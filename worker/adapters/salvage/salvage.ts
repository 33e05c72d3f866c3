import type { Db, SqlValue } from '../../ports.js'
import { openPages, type Pages, type StoredRow } from './pages.js'

/** What can still be read from a damaged database. */
export interface Salvage {
  /**
   * Every readable row of a table that keeps its rows under a rowid, each once, newest copy of the file first. Columns are
   * named and typed as in `model`, a sound database with the same table; columns the row does not have yet are null.
   */
  readonly readableRows: (table: string, model: Db) => Iterable<Readonly<Record<string, SqlValue>>>
  /** Whether anything turned out unreadable so far. */
  readonly unreadable: () => boolean
}

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
}

/**
 * Reads a damaged database page by page, without SQLite: an engine stops at the first page it does not understand, and
 * everything behind a broken inner page is lost to it. Here the way from the root is only used to tell whose a page is;
 * pages that no way leads to are recognised by the shape of their rows. Indexes are not used at all.
 */
export const salvage = (file: Uint8Array, log: Uint8Array | null): Salvage => {
  const pages = openPages(file, log)
  const schema = walk(pages, 1)
  const trees = treesOf(pages, schema.leaves)
  let unreadable = schema.broken || trees.size === 0

  const readableRows = function* (table: string, model: Db): Generator<Readonly<Record<string, SqlValue>>> {
    const columns = model.all<Column>({
      text: 'select name, type, "notnull", pk from pragma_table_info(?) order by cid',
      values: [table],
    })
    const own = trees.get(table)
    const tree = own === undefined ? { leaves: [], broken: true } : walk(pages, own)
    const seen = new Set<number | bigint>()
    let broken = tree.broken
    const fresh = function* (leaves: Iterable<number>): Generator<Readonly<Record<string, SqlValue>>> {
      for (const leaf of leaves) {
        const { rows, broken: lost } = pages.rows(leaf)
        if (lost > 0) broken = true
        for (const row of rows) {
          if (seen.has(row.rowid)) continue
          // A row of another shape: the way led into somebody else's tree.
          if (!fits(row, columns)) {
            broken = true
            continue
          }
          seen.add(row.rowid)
          yield named(row, columns)
        }
      }
    }
    yield* fresh(tree.leaves)
    // Only after damage: in a sound file such pages belong to somebody else.
    if (broken) yield* fresh(orphans(pages, trees, schema.leaves))
    if (broken) unreadable = true
  }

  return { readableRows, unreadable: () => unreadable }
}

/** Leaves of a tree, as far as the way down can be read. */
const walk = (pages: Pages, root: number): { readonly leaves: readonly number[]; readonly broken: boolean } => {
  const leaves: number[] = []
  const seen = new Set<number>()
  const waiting = [root]
  let broken = false
  while (waiting.length > 0) {
    const page = waiting.pop() as number
    if (page < 1 || page > pages.count || seen.has(page)) {
      broken = true
      continue
    }
    seen.add(page)
    const kind = pages.kind(page)
    if (kind === 'table leaf' || kind === 'index leaf') leaves.push(page)
    else if (kind === 'other') broken = true
    else {
      const below = pages.children(page)
      if (below.broken > 0) broken = true
      // Last in, first out: reversed, so that leaves come in the order of their rows.
      waiting.push(...[...below.pages].reverse())
    }
  }
  return { leaves, broken }
}

/** Root pages by name, of everything the schema still names. */
const treesOf = (pages: Pages, leaves: readonly number[]): ReadonlyMap<string, number> => {
  const trees = new Map<string, number>()
  for (const leaf of leaves) {
    if (pages.kind(leaf) !== 'table leaf') continue
    for (const { values } of pages.rows(leaf).rows) {
      const [, name, , root] = values
      if (typeof name === 'string' && typeof root === 'number' && root > 0) trees.set(name, root)
    }
  }
  return trees
}

/** Table leaves that no tree reaches and that were not given up. */
const orphans = function* (pages: Pages, trees: ReadonlyMap<string, number>, schema: readonly number[]): Generator<number> {
  const taken = new Set([...schema, ...pages.free()])
  for (const root of trees.values()) for (const leaf of walk(pages, root).leaves) taken.add(leaf)
  for (let page = 1; page <= pages.count; page++) if (!taken.has(page) && pages.kind(page) === 'table leaf') yield page
}

/** Whether a row could be one of a table's: our tables are strict, so types tell. */
const fits = (row: StoredRow, columns: readonly Column[]): boolean =>
  row.values.length > 0 &&
  row.values.length <= columns.length &&
  columns.every((column, i) => fitsColumn(row.values[i] ?? null, column))

const fitsColumn = (value: SqlValue, { type, notnull, pk }: Column): boolean => {
  // The key itself is kept as the rowid, and null in the row.
  if (value === null) return notnull === 0 || pk === 1
  switch (type.toUpperCase()) {
    case 'TEXT':
      return typeof value === 'string'
    case 'INTEGER':
    case 'INT':
      return typeof value === 'number' || typeof value === 'bigint'
    case 'REAL':
      return typeof value === 'number'
    case 'BLOB':
      return value instanceof Uint8Array
    default:
      return true
  }
}

const named = (row: StoredRow, columns: readonly Column[]): Readonly<Record<string, SqlValue>> =>
  Object.fromEntries(
    columns.map((column, i) => [column.name, isRowid(column) ? row.rowid : (row.values[i] ?? null)] as const),
  )

const isRowid = ({ pk, type }: Column): boolean => pk === 1 && type.toUpperCase() === 'INTEGER'
