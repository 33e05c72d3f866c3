import { nextVersion } from '../../src/domain/clock.js'
import { hex } from '../../src/domain/sha256.js'
import type { Db, SqlValue, System } from '../ports.js'
import { sql } from './sql.js'

/** The device that writes into this file now. */
export interface Device {
  readonly dev: number
  readonly deviceId: string
}

export const readMeta = (db: Db, name: string): SqlValue =>
  db.get<{ value: SqlValue }>(sql`select value from meta where name = ${name}`)?.value ?? null

export const writeMeta = (db: Db, name: string, value: SqlValue): void => {
  db.run(sql`insert into meta (name, value) values (${name}, ${value}) on conflict (name) do update set value = excluded.value`)
}

/**
 * The device of this file, or a new one when there is none yet or when the copy of its id kept outside the file differs: a
 * restored or copied file must not go on with counters that the original uses too.
 */
export const settleDevice = (db: Db, system: System, idOutside: string | null): Device => {
  const dev = readMeta(db, 'device')
  const row =
    typeof dev === 'number'
      ? db.get<{ device_id: string }>(sql`select device_id from devices where dev = ${dev}`)
      : undefined
  if (typeof dev === 'number' && row !== undefined && row.device_id === idOutside) return { dev, deviceId: row.device_id }
  return db.transaction(() => {
    const deviceId = hex(system.randomBytes(8))
    db.run(sql`insert into devices (device_id, last_dseq, last_ver) values (${deviceId}, 0, 0)`)
    const made = db.get<{ dev: number }>(sql`select dev from devices where device_id = ${deviceId}`)?.dev ?? 0
    writeMeta(db, 'device', made)
    return { dev: made, deviceId }
  })
}

/** Raises the term: from now on a worker that opened the file earlier no longer writes. */
export const raiseTerm = (db: Db): number =>
  db.transaction(() => {
    const term = Number(readMeta(db, 'term') ?? 0) + 1
    writeMeta(db, 'term', term)
    return term
  })

/** Identity and version of the next row, taken in the transaction that writes it, so that the counter has no gaps. */
export const takeRowNumber = (
  db: Db,
  device: Device,
  nowMs: number,
  parents: readonly bigint[],
): { readonly dseq: number; readonly ver: bigint; readonly rowId: string } => {
  const last = db.get<{ last_dseq: number; last_ver: number | bigint; highest: number | bigint }>(
    sql`select last_dseq, last_ver, (select max(last_ver) from devices) as highest from devices where dev = ${device.dev}`,
  )
  const dseq = (last?.last_dseq ?? 0) + 1
  const ver = nextVersion(nowMs, BigInt(last?.highest ?? 0), parents)
  db.run(sql`update devices set last_dseq = ${dseq}, last_ver = ${ver} where dev = ${device.dev}`)
  return { dseq, ver, rowId: `${device.deviceId}.${dseq}` }
}
