import type { Db } from '../ports.js'
import { among, sql } from './sql.js'
import { complete, type Head, type HeadRow, headColumns, rowToHead } from './versions.js'

/** A memory that is to be brought back, with the row it returns to, or null when it did not exist. */
export interface GoingBack {
  readonly memory: number
  /** 0 gives its key up, 1 may take one. */
  readonly turn: 0 | 1
  readonly target: number | null
  /** Its newest row when that was decided. */
  readonly head: number
}

/** Heads of an identity that were written after an instant, in the order of their memories: a page of them. */
export const headsSince = (
  db: Db,
  identity: number,
  sinceMs: number,
  after: number,
  limit: number,
): readonly { readonly memory: number }[] =>
  db.all(
    sql`select memory from heads where identity = ${identity} and updated_at > ${sinceMs} and memory > ${after}
      order by memory limit ${limit}`,
  )

/** The row of the newest version that was written by an instant, by the clock of that time; null when there was none yet. */
export const rowAt = (db: Db, memory: number, atMs: number): number | null =>
  db.get<{ row: number }>(
    sql`select v.row from versions v left join redactions r on r.row = v.row
      where v.memory = ${memory} and coalesce(v.body ->> '$.updatedAt', r.written_at) <= ${atMs}
      order by v.ver desc limit 1`,
  )?.row ?? null

/** A version by its row, or null once its body was scrubbed. */
export const versionAt = (db: Db, row: number): Head | null => {
  const found = db.get<HeadRow>(sql`select ${headColumns} from versions v where v.row = ${row} and v.body is not null`)
  return found === undefined ? null : complete(db, rowToHead(found))
}

export const addGoingBack = (db: Db, { memory, turn, target, head }: GoingBack): void => {
  db.run(sql`insert into going_back (memory, turn, target, head, done) values (${memory}, ${turn}, ${target}, ${head}, 0)`)
}

/** The next memories to bring back: first those that give their keys up. */
export const nextGoingBack = (db: Db, limit: number): readonly GoingBack[] =>
  db.all(sql`select memory, turn, target, head from going_back where done = 0 order by turn, memory limit ${limit}`)

export const noteGoneBack = (db: Db, memories: readonly number[]): void => {
  db.run(sql`update going_back set done = 1 where memory in ${among(memories)}`)
}

export const countGoingBack = (db: Db): { readonly done: number; readonly total: number } =>
  db.get(sql`select coalesce(sum(done), 0) as done, count(*) as total from going_back`) ?? { done: 0, total: 0 }

/** Whether a memory is among those that are brought back just now. */
export const isGoingBack = (db: Db, memoryId: string): boolean =>
  db.get(sql`select 1 from heads h join going_back r on r.memory = h.memory where h.memory_id = ${memoryId}`) !== undefined

export const clearGoingBack = (db: Db): void => {
  db.run(sql`delete from going_back`)
}
