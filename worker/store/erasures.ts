import type { ErasureTarget, IdentityLevel } from '../../src/domain/erasure.js'
import type { Erasure, ErasureCounts, NotReached } from '../../src/schema/erasing.js'
import type { Db } from '../ports.js'
import { sql } from './sql.js'

/** What an erasure that has not ended goes on with. */
export interface Pending {
  /** Where looking for links to what is erased has come to: a row of the versions. */
  readonly linksAfter: number
  /** Identities that go with it, as they name what was erased. */
  readonly identities: readonly number[]
  /** The namespace that goes with its settings, or null. */
  readonly settings: { readonly org: string; readonly namespace: string } | null
}

/** An erasure as it is kept. */
export interface StoredErasure extends ErasureTarget {
  readonly id: string
  readonly at: number
  readonly ver: bigint
  readonly kind: Erasure['kind']
  readonly actor: string
  readonly reason: string | null
  readonly pending: Pending | null
  readonly counts: ErasureCounts
  readonly notReached: readonly NotReached[]
}

interface ErasureRow {
  erasure: string
  at: number
  ver: number | bigint
  kind: Erasure['kind']
  actor: string
  reason: string | null
  salt: string
  room: string
  levels: string
  target: string
  prefix: string | null
  prefix_length: number | null
  pending: string | null
  receipt: string
}

const toStored = (row: ErasureRow): StoredErasure => ({
  id: row.erasure,
  at: row.at,
  ver: BigInt(row.ver),
  kind: row.kind,
  actor: row.actor,
  reason: row.reason,
  salt: row.salt,
  room: row.room,
  levels: JSON.parse(row.levels) as IdentityLevel[],
  target: row.target,
  prefix: row.prefix,
  prefixLength: row.prefix_length,
  pending: row.pending === null ? null : (JSON.parse(row.pending) as Pending),
  ...(JSON.parse(row.receipt) as Pick<StoredErasure, 'counts' | 'notReached' | 'before'>),
})

/** All erasures, newest first. */
export const allErasures = (db: Db): readonly StoredErasure[] =>
  db.all<ErasureRow>(sql`select * from erasures order by at desc, erasure desc`).map(toStored)

/** The oldest erasure that has not ended, or null. */
export const pendingErasure = (db: Db): StoredErasure | null => {
  const row = db.get<ErasureRow>(sql`select * from erasures where pending is not null order by at, erasure limit 1`)
  return row === undefined ? null : toStored(row)
}

/** Keeps an erasure, or how far it has come. */
export const keepErasure = (db: Db, erasure: StoredErasure): void => {
  const { counts, notReached, before, pending } = erasure
  db.run(
    sql`insert or replace into erasures (erasure, at, ver, kind, actor, reason, salt, room, levels, target, prefix, prefix_length, pending,
      receipt) values (${erasure.id}, ${erasure.at}, ${erasure.ver}, ${erasure.kind}, ${erasure.actor}, ${erasure.reason},
      ${erasure.salt}, ${erasure.room}, ${JSON.stringify(erasure.levels)}, ${erasure.target}, ${erasure.prefix}, ${erasure.prefixLength},
      ${pending === null ? null : JSON.stringify(pending)}, ${JSON.stringify({ counts, notReached, before })})`,
  )
}
