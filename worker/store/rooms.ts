import { HOLDS_KEY, SERVED } from '../../src/domain/version.js'
import type { Db, Sql } from '../ports.js'
import { among, sql } from './sql.js'
import { type Head, type HeadRow, headColumns, rowToHead } from './versions.js'

/** Which rows of a neighbouring store are meant. Those of high sensitivity are read by key only. */
export interface RoomFilter {
  readonly type: string
  /** What their keys begin with, a slash at its end. */
  readonly prefix: string
  readonly nowMs: number
}

/** The condition on `heads h` for rows of a room, by the index of keys. */
export const roomCondition = (identities: readonly number[], { type, prefix, nowMs }: RoomFilter): Sql =>
  sql`h.identity in ${among(identities)} and h.key >= ${prefix} and h.key < ${afterAll(prefix)} and h.type = ${type}
    and h.status in ${among(SERVED)} and h.sensitive = 0 and (h.expires_at is null or h.expires_at > ${nowMs})
    and (h.valid_to is null or h.valid_to > ${nowMs})`

/** Above every key that begins so: no character has a higher number. */
const afterAll = (prefix: string): string => `${prefix}\u{10FFFF}`

/** Rows of a room in the order of their keys, those after a key. */
export const roomHeads = (
  db: Db,
  identities: readonly number[],
  filter: RoomFilter,
  page: { readonly after?: { readonly key: string; readonly memory: number } | undefined; readonly limit: number },
): readonly Head[] => {
  const { key, memory } = page.after ?? { key: '', memory: 0 }
  return db
    .all<HeadRow>(
      sql`select ${headColumns} from heads h join versions v on v.row = h.row
        where ${roomCondition(identities, filter)} and (h.key, h.memory) > (${key}, ${memory})
        order by h.key, h.memory limit ${page.limit}`,
    )
    .map(rowToHead)
}

/** Rows of one identity whose keys begin so, whatever their type, that hold them: those of high sensitivity too. */
export const heldUnder = (db: Db, identity: number, prefix: string): readonly Head[] =>
  db
    .all<HeadRow>(
      sql`select ${headColumns} from heads h join versions v on v.row = h.row where h.identity = ${identity}
        and h.key >= ${prefix} and h.key < ${afterAll(prefix)} and h.status in ${among(HOLDS_KEY)} order by h.key`,
    )
    .map(rowToHead)

/** Rows of a room in the order in which they came, those beyond one; by their numbers, so that a page reads little more than itself. */
export const roomHeadsByAge = (
  db: Db,
  identities: readonly number[],
  filter: RoomFilter,
  page: {
    readonly order: 'newest' | 'oldest'
    readonly beyond: number | null
    readonly limit: number
    readonly reach?: number
  },
): readonly Head[] => {
  const { order, reach = Number.MAX_SAFE_INTEGER } = page
  const newest = order === 'newest'
  const beyond = page.beyond ?? (newest ? Number.MAX_SAFE_INTEGER : 0)
  const among = newest
    ? sql`h.memory < ${beyond} and h.memory >= ${beyond - reach}`
    : sql`h.memory > ${beyond} and h.memory <= ${Math.min(beyond + reach, Number.MAX_SAFE_INTEGER)}`
  return db
    .all<HeadRow>(
      sql`select ${headColumns} from heads h not indexed join versions v on v.row = h.row
        where ${among} and ${roomCondition(identities, filter)}
        order by h.memory ${newest ? sql`desc` : sql`asc`} limit ${page.limit}`,
    )
    .map(rowToHead)
}
