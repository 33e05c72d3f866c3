import type { PairOpinion } from '../../src/domain/resolution.js'
import type { Db } from '../ports.js'
import { among, sql } from './sql.js'
import type { Head } from './versions.js'

/** Notes that a memory is still to be judged, or no longer. */
export const noteUnjudged = (db: Db, memory: number, isUnjudged: boolean): void => {
  if (isUnjudged) db.run(sql`insert or ignore into unjudged (memory) values (${memory})`)
  else db.run(sql`delete from unjudged where memory = ${memory}`)
}

/** Memories that are still to be judged, oldest first, after one of them. */
export const unjudgedAfter = (db: Db, memory: number, limit: number): readonly number[] =>
  db
    .all<{ memory: number }>(sql`select memory from unjudged where memory > ${memory} order by memory limit ${limit}`)
    .map((row) => row.memory)

/** Which of some memories are still to be judged. */
export const unjudgedAmong = (db: Db, memories: readonly number[]): ReadonlySet<number> =>
  new Set(
    db
      .all<{ memory: number }>(sql`select memory from unjudged where memory in ${among(memories)}`)
      .map(({ memory }) => memory),
  )

/** Memories in conflict, in the order of their numbers, after one of them. */
export const conflictedAfter = (db: Db, memory: number, limit: number): readonly number[] =>
  db
    .all<{ memory: number }>(
      sql`select memory from heads where memory > ${memory} and status = 'conflicted' order by memory limit ${limit}`,
    )
    .map((row) => row.memory)

/** Whether there is anything of either kind. */
export const isAnythingOpen = (db: Db): boolean => unjudgedAfter(db, 0, 1).length > 0 || conflictedAfter(db, 0, 1).length > 0

/** What was answered about two memories as they stand, or null. */
export const reviewOf = (db: Db, earlier: Head, later: Head): PairOpinion | null =>
  db.get<{ decision: PairOpinion }>(
    sql`select decision from reviews where earlier_row = ${said(db, earlier).row} and later_row = ${said(db, later).row}`,
  )?.decision ?? null

export const keepReview = (db: Db, earlier: Head, later: Head, decision: PairOpinion): void => {
  db.run(
    sql`insert or replace into reviews (earlier_row, later_row, decision)
      values (${said(db, earlier).row}, ${said(db, later).row}, ${decision})`,
  )
}

/** When a memory was last said: the version that gave it its value, or counted it again. What only marked it says nothing. */
export const saidAt = (db: Db, head: Head): number => said(db, head).at

const said = (db: Db, head: Head): { readonly row: number; readonly at: number } => {
  const { contentSha256, reinforcementCount, updatedAt } = head.body
  let found = { row: head.row, at: updatedAt }
  const older = db.all<{ row: number; sha: string; count: number | null; at: number }>(
    sql`select row, body ->> '$.contentSha256' as sha, body ->> '$.reinforcementCount' as count, body ->> '$.updatedAt' as at
      from versions where memory = ${head.memory} and body is not null and ver < ${head.ver} order by ver desc limit 100`,
  )
  for (const { row, sha, count, at } of older) {
    if (sha !== contentSha256 || (count ?? 1) !== reinforcementCount) break
    found = { row, at }
  }
  return found
}
