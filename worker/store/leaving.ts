import type { Db } from '../ports.js'
import { among, sql } from './sql.js'

/** When something is to be looked at: a memory leaves service, or what it was made of has changed already, or a text was put aside up to then. */
export const nextLeaving = (db: Db): number | null =>
  db.get<{ at: number | null }>(
    sql`select min(at) as at from (select min(at) as at from leaving union all select min(ends_at) from offloads)`,
  )?.at ?? null

/** Memories that are to be looked at by now, those first that have waited longest. */
export const leavingBy = (db: Db, nowMs: number, limit: number): readonly number[] =>
  db
    .all<{ memory: number }>(sql`select memory from leaving where at <= ${nowMs} order by at, memory limit ${limit}`)
    .map(({ memory }) => memory)

/** Notes that a memory was looked at. It is again at the next of its ends, or at a given time. */
export const noteLookedAt = (db: Db, memory: number, nowMs: number, again: number | null = null): void => {
  db.run(sql`delete from leaving where memory = ${memory}`)
  if (again !== null) db.run(sql`insert into leaving values (${memory}, ${again})`)
  else
    db.run(
      // What a window has hidden may have an end of its own to come.
      sql`insert into leaving select ${memory}, min(at) from (select valid_to as at from heads where memory = ${memory}
        union all select at from window_ends where memory = ${memory}
        union all select v.body ->> '$.expiresAt' from heads h join versions v on v.row = h.row where h.memory = ${memory})
        where at > ${nowMs} having min(at) is not null`,
    )
}

/** Whether a window that has passed asks for a tombstone. */
export const windowBuries = (db: Db, memory: number, nowMs: number): boolean =>
  db.get(sql`select 1 from window_ends where memory = ${memory} and at <= ${nowMs} and fate = 'tombstone'`) !== undefined

/** Has what was made of some memories looked at again: they have left service. */
export const noteDoubted = (db: Db, memories: readonly number[]): void => {
  db.run(sql`insert or replace into leaving select derived, 0 from belief_sources where source in ${among(memories)}`)
}
