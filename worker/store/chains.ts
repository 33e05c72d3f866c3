import type { Link } from '../../src/domain/chain.js'
import type { Scope } from '../../src/schema/scope.js'
import type { Db } from '../ports.js'
import { rowIdOf } from './devices.js'
import { among, sql } from './sql.js'

/** A memory whose chain is looked at. Key and head row are null when it has lost its head. */
export interface ChainedMemory {
  readonly memory: number
  readonly identity: number
  readonly key: string | null
  readonly head: number | null
}

/** Memories with versions in some identities, in the order of their numbers: a page of them. */
export const chainsAfter = (
  db: Db,
  identities: readonly number[],
  prefix: string | null,
  after: number,
  limit: number,
): readonly ChainedMemory[] =>
  db.all(
    sql`select v.memory, coalesce(h.identity, min(v.identity)) as identity, h.row as head,
        case when h.sensitive = 1 then null else h.key end as key
      from versions v left join heads h on h.memory = v.memory
      where v.memory > ${after} and coalesce(h.identity, v.identity) in ${among(identities)}
      and (${prefix} is null or substr(h.key, 1, ${[...(prefix ?? '')].length}) = ${prefix})
      group by v.memory order by v.memory limit ${limit}`,
  )

export const countChains = (db: Db, identities: readonly number[]): number =>
  db.get<{ n: number }>(sql`select count(*) as n from heads where identity in ${among(identities)}`)?.n ?? 0

interface LinkRow {
  row: number
  device_id: string | null
  dseq: number
  ver: number | bigint
  kind: string
  memory_id: string
  identity: number
  parents: string
  body: string | null
  salt: Uint8Array | null
  commitment: string
  prev_sha256: string | null
  sha256: string
  redacted: number
}

/** A version in its chain, with its row and whether it stands in the identity of its memory. */
export interface StoredLink extends Link {
  readonly row: number
  readonly identity: number
}

/** All versions of a memory, oldest first. */
export const linksOf = (db: Db, memory: number, scope: Scope): readonly StoredLink[] =>
  db
    .all<LinkRow>(
      sql`select v.row, d.device_id, v.dseq, v.ver, v.kind, v.memory_id, v.identity, v.parents, v.body, v.salt, v.commitment,
        v.prev_sha256, v.sha256, r.row is not null as redacted
        from versions v left join devices d on d.dev = v.dev left join redactions r on r.row = v.row
        where v.memory = ${memory} order by v.ver, v.row`,
    )
    .map((row) => ({
      row: row.row,
      identity: row.identity,
      rowId: rowIdOf(row.device_id ?? '', row.dseq),
      ver: BigInt(row.ver),
      kind: row.kind,
      memoryId: row.memory_id,
      scope,
      parents: parentsOf(row.parents),
      body: row.body,
      salt: row.salt,
      commitment: row.commitment,
      prevSha256: row.prev_sha256,
      sha256: row.sha256,
      isRedacted: row.redacted === 1,
    }))

/** What is no list of names any more was not sealed so. */
const parentsOf = (text: string): readonly string[] => {
  try {
    const parents: unknown = JSON.parse(text)
    return Array.isArray(parents) ? parents.map(String) : [text]
  } catch {
    return [text]
  }
}
