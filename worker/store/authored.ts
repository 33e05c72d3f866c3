import type { Db, Sql } from '../ports.js'
import { among, sql } from './sql.js'

/** Whose writes are meant: all of a run, all from an origin, or some writes by their acts. */
export type Authorship = { readonly run: string } | { readonly origin: string } | { readonly acts: readonly number[] }

/** A version by who wrote it. */
export interface AuthoredRow {
  readonly row: number
  readonly memory: number
  readonly act: number | null
  readonly author: number | null
}

const conditionOf = (by: Authorship): Sql =>
  'run' in by ? sql`run = ${by.run}` : 'origin' in by ? sql`origin = ${by.origin}` : sql`act in ${among(by.acts)}`

/** What handles of an identity wrote into it, after a row: a page. */
export const authoredAfter = (
  db: Db,
  identity: number,
  by: Authorship,
  after: number,
  limit: number,
): readonly AuthoredRow[] =>
  db.all(
    sql`select row, memory, act, author from versions where row > ${after} and author = ${identity} and identity = ${identity}
      and ${conditionOf(by)} order by row limit ${limit}`,
  )

/** The acts of an identity before a row, newest first, one row for each version: a page. */
export const actsBefore = (
  db: Db,
  identity: number,
  before: number,
  limit: number,
): readonly { readonly row: number; readonly act: number }[] =>
  db.all(
    sql`select row, act from versions where row < ${before} and author = ${identity} and act is not null
      order by row desc limit ${limit}`,
  )

/** All versions of a memory by who wrote them, oldest first. */
export const authorsOf = (db: Db, memory: number): readonly AuthoredRow[] =>
  db.all(sql`select row, memory, act, author from versions where memory = ${memory} order by ver, row`)

/** What background work wrote in one go into an identity. Its acts are one transaction each, so their rows stand together. */
export const rowsOfAct = (db: Db, identity: number, act: number): readonly AuthoredRow[] =>
  db.all(
    sql`select row, memory, act, author from versions where row >= ${act} and row < ${act + 1_000} and act = ${act}
      and identity = ${identity}`,
  )

/** The write that a version belongs to. */
export const actOf = (db: Db, row: number): number | null =>
  db.get<{ act: number | null }>(sql`select act from versions where row = ${row}`)?.act ?? null

/** Whether a write with this act was made by a handle of an identity. */
export const isActOf = (db: Db, identity: number, act: number): boolean =>
  db.get(sql`select 1 from versions where row = ${act} and act = ${act} and author = ${identity}`) !== undefined
