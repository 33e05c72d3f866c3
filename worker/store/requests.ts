import type { Db } from '../ports.js'
import { sql } from './sql.js'

/** How long a first result is kept for a repeat. */
const KEEP_MS = 7 * 24 * 60 * 60 * 1000

/** Requests sent on by other tabs have no identity of their own: their ids are random. */
export const FORWARDED = 0

/** The first result under a request name, or undefined. */
export const firstResult = (db: Db, identity: number, request: string): unknown => {
  const row = db.get<{ result: string }>(
    sql`select result from requests where identity = ${identity} and request = ${request}`,
  )
  return row === undefined ? undefined : JSON.parse(row.result)
}

/** Keeps a result in the transaction that made it, and lets old ones go. */
export const keepResult = (db: Db, identity: number, request: string, result: unknown, nowMs: number): void => {
  db.run(
    sql`insert into requests (identity, request, result, at) values (${identity}, ${request}, ${JSON.stringify(result)}, ${nowMs})
      on conflict (identity, request) do nothing`,
  )
  db.run(sql`delete from requests where at < ${nowMs - KEEP_MS}`)
}

/** Lets the results go whose request begins with a text. */
export const dropResults = (db: Db, identity: number, start: string): void => {
  db.run(sql`delete from requests where identity = ${identity} and substr(request, 1, ${[...start].length}) = ${start}`)
}

/** Lets the result of one request go. */
export const dropResult = (db: Db, identity: number, request: string): void => {
  db.run(sql`delete from requests where identity = ${identity} and request = ${request}`)
}
