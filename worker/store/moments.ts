import { EVERY_VERSION } from '../../src/domain/clock.js'
import type { HistoryEntry } from '../../src/schema/records.js'
import type { Db } from '../ports.js'
import { GIVES_DATES } from './heads.js'
import { among, sql } from './sql.js'
import { type Head, type HeadRow, headColumns, rowToHead } from './versions.js'

/** A version with what kind of change it was. */
export interface Said extends Head {
  readonly kind: HistoryEntry['kind']
}

/** Versions of some memories up to a number, oldest first. */
export const versionsUpTo = (db: Db, memories: readonly number[], upTo: bigint): ReadonlyMap<number, readonly Said[]> => {
  const found = new Map<number, Said[]>()
  for (const row of db.all<HeadRow & { kind: Said['kind'] }>(
    sql`select ${headColumns}, v.kind from versions v
      where v.memory in ${among(memories)} and v.ver <= ${upTo} and v.body is not null
      order by v.memory, v.ver`,
  )) {
    const said: Said = { ...rowToHead(row), kind: row.kind }
    const before = found.get(row.memory)
    if (before === undefined) found.set(row.memory, [said])
    else before.push(said)
  }
  return found
}

/** The newest version up to a number that says something, of each of some memories. */
export const saidLastBy = (db: Db, memories: readonly number[], upTo: bigint): readonly Said[] =>
  db
    .all<HeadRow & { kind: Said['kind'] }>(
      sql`select ${headColumns}, v.kind from heads h join versions v on v.row = (
          select w.row from versions w where w.memory = h.memory and w.ver <= ${upTo} and w.kind <> 'tomb' and w.body is not null
          order by w.ver desc limit 1)
        where h.memory in ${among(memories)}`,
    )
    .map((row) => ({ ...rowToHead(row), kind: row.kind }))

/** A memory with the number of its newest version up to some number. */
export interface Passed {
  readonly memory: number
  readonly at: bigint
}

/**
 * Memories of some identities that were written by then and never gave dates of their own, newest first. What is highly sensitive by now is
 * read by its key only, also as it was before.
 */
export const undatedUpTo = (
  db: Db,
  identities: readonly number[],
  upTo: bigint,
  after: { readonly at: bigint; readonly memory: number } | null,
  limit: number,
): readonly Passed[] =>
  db
    .all<{ memory: number; at: number | bigint }>(
      // Materialized: the planner would look each of them up three times.
      sql`with passed as materialized (
          select h.memory, (select v.ver from versions v where v.memory = h.memory and v.ver <= ${upTo}
            order by v.ver desc limit 1) as at
          from heads h where h.identity in ${among(identities)} and h.sensitive = 0
          and h.memory not in (select memory from versions where ${GIVES_DATES}))
        select memory, at from passed where at is not null and (at, memory) < (${after?.at ?? EVERY_VERSION}, ${after?.memory ?? 0})
        order by at desc, memory desc limit ${limit}`,
    )
    .map(({ memory, at }) => ({ memory, at: BigInt(at) }))

/** Memories of some identities that have given dates of their own, whenever, likewise. */
export const datedAmong = (db: Db, identities: readonly number[]): readonly number[] =>
  db
    .all<{ memory: number }>(
      sql`select h.memory from heads h where h.identity in ${among(identities)} and h.sensitive = 0
        and h.memory in (select memory from versions where ${GIVES_DATES})`,
    )
    .map(({ memory }) => memory)

/** All memories that ever stood under a key in some identities. */
export const memoriesUnder = (db: Db, identities: readonly number[], key: string): readonly number[] =>
  db
    .all<{ memory: number }>(sql`select memory from heads where identity in ${among(identities)} and key = ${key}`)
    .map(({ memory }) => memory)

/** The number of a memory by its public id, within some identities. */
export const memoryById = (db: Db, identities: readonly number[], memoryId: string): number | null =>
  db.get<{ memory: number }>(
    sql`select memory from heads where identity in ${among(identities)} and memory_id = ${memoryId}`,
  )?.memory ?? null

/** Memories of some identities that gave no dates, were written by then, and have been written again since; newest first, likewise. */
export const changedSince = (db: Db, identities: readonly number[], upTo: bigint, limit: number): readonly number[] =>
  db
    .all<{ memory: number }>(
      sql`select memory from heads h where h.identity in ${among(identities)} and h.sensitive = 0 and h.ver > ${upTo}
        and h.memory not in (select memory from versions where ${GIVES_DATES})
        and exists (select 1 from versions v where v.memory = h.memory and v.ver <= ${upTo})
        order by h.ver desc limit ${limit}`,
    )
    .map(({ memory }) => memory)
