import type { Db } from '../ports.js'
import { type KeptRow, keptColumns } from './history.js'
import { among, sql } from './sql.js'

/** Memories whose key begins so, but for those that are read by their whole key only. */
export const memoriesBelow = (db: Db, identities: readonly number[], prefix: string): readonly number[] =>
  db
    .all<{ memory: number }>(
      sql`select memory from heads where identity in ${among(identities)} and sensitive = 0
        and substr(key, 1, ${[...prefix].length}) = ${prefix}`,
    )
    .map(({ memory }) => memory)

/** Versions that name entities or relations, after a row, of memories that are not read by their key only. */
export const namingAfter = (
  db: Db,
  identities: readonly number[],
  after: number,
  limit: number,
): readonly { readonly row: number; readonly memory: number; readonly body: string }[] =>
  db.all(
    sql`select v.row, v.memory, v.body from versions v join heads h on h.memory = v.memory
      where v.row > ${after} and h.identity in ${among(identities)} and h.sensitive = 0
      and (instr(v.body, '"entities"') > 0 or instr(v.body, '"relations"') > 0)
      order by v.row limit ${limit}`,
  )

/** Where a page of a timeline begins and which versions it may hold. */
export interface TimelinePage {
  readonly after: { readonly ver: bigint; readonly row: number }
  readonly fromMs: number
  readonly toMs: number
  readonly limit: number
  /** With versions that are read by key only. */
  readonly sensitive: boolean
}

/** Versions of some memories in the order in which they were written. */
export const versionsInOrder = (db: Db, memories: readonly number[], page: TimelinePage): readonly KeptRow[] =>
  db
    .all<{ row: number }>(
      sql`select v.row from versions v left join redactions r on r.row = v.row
        where v.memory in ${among(memories)} and (v.ver, v.row) > (${page.after.ver}, ${page.after.row})
        and coalesce(v.body ->> '$.updatedAt', r.written_at) between ${page.fromMs} and ${page.toMs}
        and (${page.sensitive ? 1 : 0} or coalesce(v.body ->> '$.sensitivity', 'none') <> 'high')
        order by v.ver, v.row limit ${page.limit}`,
    )
    // One by one: sorting whole bodies would take the memory of all of them.
    .map(({ row }) => keptAt(db, row))

const keptAt = (db: Db, row: number): KeptRow =>
  db.get<KeptRow>(
    sql`select ${keptColumns} from versions v join heads h on h.memory = v.memory left join redactions r on r.row = v.row
      where v.row = ${row}`,
  ) as KeptRow

/** The version of the same memory that stood before one. */
export const versionBefore = (db: Db, { memory, ver }: Pick<KeptRow, 'memory' | 'ver'>): KeptRow | undefined =>
  db.get<KeptRow>(
    sql`select ${keptColumns} from versions v join heads h on h.memory = v.memory left join redactions r on r.row = v.row
      where v.memory = ${memory} and v.ver < ${ver} order by v.ver desc limit 1`,
  )
