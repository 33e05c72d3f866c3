import type { Db, SqlValue } from '../ports.js'
import { readMeta, writeMeta } from './devices.js'
import { sql } from './sql.js'

/** Work that goes on at the next opening when this one ends in the middle: memories to bring back, and a file to write anew. */
export type Unfinished = 'going_back' | 'scrub'

/** Whether an earlier opening ended in the middle of something. */
export const isUnfinished = (db: Db): boolean =>
  db.get(
    sql`select 1 from meta where name in ('going_back', 'scrub') union all select 1 from erasures where pending is not null limit 1`,
  ) !== undefined

/** What is noted about a piece of work, or null when there is none. */
export const unfinished = (db: Db, work: Unfinished): SqlValue => readMeta(db, work)

export const noteUnfinished = (db: Db, work: Unfinished, note: SqlValue): void => writeMeta(db, work, note)

export const noteFinished = (db: Db, work: Unfinished): void => {
  db.run(sql`delete from meta where name = ${work}`)
}
