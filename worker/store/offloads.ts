import type { Db } from '../ports.js'
import { among, sql } from './sql.js'

/** A text that was put aside. */
export interface Offload {
  readonly handle: string
  readonly identity: number
  readonly title: string | null
  readonly characters: number
  readonly endsAt: number
}

/** Characters of one row: a range reads few of them, and no row is so large that it is slow. */
const PART = 65_536

/** Puts a text aside. */
export const putOffload = (db: Db, { handle, identity, title, endsAt }: Omit<Offload, 'characters'>, text: string): void => {
  db.run(
    sql`insert into offloads (handle, identity, title, characters, ends_at)
      values (${handle}, ${identity}, ${title}, ${text.length}, ${endsAt})`,
  )
  for (let start = 0; start < text.length; ) {
    const end = cutBefore(text, start + PART)
    db.run(sql`insert into offload_parts (handle, start, text) values (${handle}, ${start}, ${text.slice(start, end)})`)
    start = end
  }
}

/** A pair of surrogates does not survive being cut: its halves are no text. */
const cutBefore = (text: string, at: number): number => (/[\uD800-\uDBFF]/.test(text[at - 1] ?? '') ? at - 1 : at)

/** What was put aside under a handle, where one of some identities did so and its time is not over. */
export const offloadOf = (db: Db, identities: readonly number[], handle: string, nowMs: number): Offload | null =>
  db.get<Offload & Record<string, never>>(
    sql`select handle, identity, title, characters, ends_at as endsAt from offloads
      where handle = ${handle} and identity in ${among(identities)} and ends_at > ${nowMs}`,
  ) ?? null

/** Characters of it from a place to before another. */
export const readOffload = (db: Db, handle: string, start: number, end: number): string => {
  const parts = db.all<{ start: number; text: string }>(
    sql`select start, text from offload_parts where handle = ${handle} and start < ${end} and start > ${start - PART} order by start`,
  )
  const first = parts[0]?.start ?? 0
  return parts
    .map(({ text }) => text)
    .join('')
    .slice(start - first, end - first)
}

/** Deletes what has had its time; answers how much that was. */
export const dropEnded = (db: Db, nowMs: number): number => {
  const ended = db.all<{ handle: string }>(sql`select handle from offloads where ends_at <= ${nowMs}`)
  const handles = ended.map(({ handle }) => handle)
  if (handles.length === 0) return 0
  db.run(sql`delete from offload_parts where handle in ${among(handles)}`)
  db.run(sql`delete from offloads where handle in ${among(handles)}`)
  return handles.length
}
