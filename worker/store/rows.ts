import { unhex } from '../../src/domain/row.js'
import { hex } from '../../src/domain/sha256.js'
import type { Status } from '../../src/schema/records.js'
import type { Row } from '../../src/schema/row.js'
import type { Db } from '../ports.js'
import { rowIdOf, rowOf } from './devices.js'
import type { IdentityBook } from './identities.js'
import { noteRedaction } from './redactions.js'
import { among, sql } from './sql.js'

/** Where a version stands in this file. */
export interface RowPlace {
  readonly row: number
  readonly memory: number
}

/** The versions of some identities, memory by memory in the order in which they came to be, each memory's oldest first. */
export const placesOf = (db: Db, identities: readonly number[]): readonly RowPlace[] =>
  db.all(sql`select row, memory from versions where identity in ${among(identities)} order by memory, ver, dev, dseq`)

/** Memories of some identities of which any version was highly sensitive. */
export const everSensitive = (db: Db, identities: readonly number[]): ReadonlySet<number> =>
  new Set(
    db
      .all<{ memory: number }>(
        sql`select distinct memory from versions where identity in ${among(identities)} and body ->> '$.sensitivity' = 'high'`,
      )
      .map(({ memory }) => memory),
  )

interface VersionRow {
  row: number
  device_id: string
  dseq: number
  ver: number | bigint
  kind: Row['kind']
  memory_id: string
  identity: number
  parents: string
  human: number
  body: string | null
  salt: Uint8Array | null
  commitment: string
  prev_sha256: string | null
  sha256: string
  redacted_at: number | null
  redacted_by: string
  reason: string
  written_at: number
  status: Status
}

/** Some versions as they leave the store, in the order in which they are asked for. */
export const readRows = (db: Db, book: IdentityBook, rows: readonly number[]): readonly Row[] => {
  const found = new Map(
    db
      .all<VersionRow>(
        sql`select v.row, d.device_id, v.dseq, v.ver, v.kind, v.memory_id, v.identity, v.parents, v.human, v.body, v.salt,
          v.commitment, v.prev_sha256, v.sha256, r.at as redacted_at, r.actor as redacted_by, r.reason, r.written_at, r.status
          from versions v join devices d on d.dev = v.dev left join redactions r on r.row = v.row where v.row in ${among(rows)}`,
      )
      .map((row) => [row.row, row]),
  )
  return rows.flatMap((row) => {
    const version = found.get(row)
    return version === undefined ? [] : [toRow(version, book)]
  })
}

const toRow = (version: VersionRow, book: IdentityBook): Row => ({
  id: rowIdOf(version.device_id, version.dseq),
  ver: version.ver.toString(),
  kind: version.kind,
  memory: version.memory_id,
  scope: book.scopeOf(version.identity),
  parents: JSON.parse(version.parents) as string[],
  human: version.human === 1,
  body: version.body,
  salt: version.salt === null ? null : hex(version.salt),
  commitment: version.commitment,
  prev: version.prev_sha256,
  sha256: version.sha256,
  ...(version.redacted_at === null
    ? {}
    : {
        redacted: {
          at: version.redacted_at,
          actor: version.redacted_by,
          reason: version.reason,
          writtenAt: version.written_at,
          status: version.status,
        },
      }),
})

/** Device and counter of a row id. */
export const partsOf = (rowId: string): { readonly deviceId: string; readonly dseq: number } => {
  const dot = rowId.indexOf('.')
  return { deviceId: rowId.slice(0, dot), dseq: Number(rowId.slice(dot + 1)) }
}

/** Writes a version that was made elsewhere, as it is. It has no number of a sync server here. */
export const insertRow = (
  db: Db,
  row: Row,
  place: { readonly dev: number; readonly memory: number; readonly identity: number },
): number => {
  const { dseq } = partsOf(row.id)
  const number = rowOf(place.dev, dseq)
  db.run(
    sql`insert into versions (row, dev, dseq, ver, kind, memory, memory_id, identity, parents, human, seq, body, salt, commitment,
      prev_sha256, sha256) values (${number}, ${place.dev}, ${dseq}, ${BigInt(row.ver)}, ${row.kind}, ${place.memory}, ${row.memory},
      ${place.identity}, ${JSON.stringify(row.parents)}, ${row.human ? 1 : 0}, null, ${row.body},
      ${row.salt === null ? null : unhex(row.salt)}, ${row.commitment}, ${row.prev}, ${row.sha256})`,
  )
  if (row.body === null && row.redacted !== undefined) noteRedaction(db, number, row.redacted)
  return number
}

/** Whether a version stands in this file. */
export const hasRow = (db: Db, rowId: string): boolean => {
  const { deviceId, dseq } = partsOf(rowId)
  return (
    db.get(
      sql`select 1 from versions v join devices d on d.dev = v.dev where d.device_id = ${deviceId} and v.row = d.dev * 4294967296 + ${dseq}`,
    ) !== undefined
  )
}

/** The number of a device in this file, given when it is new. */
export const takeDevice = (db: Db, deviceId: string): number => {
  db.run(sql`insert or ignore into devices (device_id, last_dseq, last_ver) values (${deviceId}, 0, 0)`)
  return db.get<{ dev: number }>(sql`select dev from devices where device_id = ${deviceId}`)?.dev ?? 0
}

/** Notes how far a device that wrote elsewhere has come. A time that is not yet here does not move this store's own. */
export const raiseDevice = (db: Db, dev: number, dseq: number, ver: bigint): void => {
  db.run(sql`update devices set last_dseq = max(last_dseq, ${dseq}), last_ver = max(last_ver, ${ver}) where dev = ${dev}`)
}
