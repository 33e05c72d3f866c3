import { nextVersion } from '../../src/domain/clock.js'
import { hex } from '../../src/domain/sha256.js'
import type { Db, Sql, SqlValue, System } from '../ports.js'
import { sql } from './sql.js'

/** The device that writes into this file now. */
export interface Device {
  readonly dev: number
  readonly deviceId: string
}

export const readMeta = (db: Db, name: string): SqlValue =>
  db.get<{ value: SqlValue }>(sql`select value from meta where name = ${name}`)?.value ?? null

export const writeMeta = (db: Db, name: string, value: SqlValue): void => {
  db.run(
    sql`insert into meta (name, value) values (${name}, ${value}) on conflict (name) do update set value = excluded.value`,
  )
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

/** How a row is named on every device. */
export const rowIdOf = (deviceId: string, dseq: number): string => `${deviceId}.${dseq}`

/** Public names of all devices that ever wrote into this file. */
export const readDeviceIds = (db: Db): ReadonlyMap<number, string> =>
  new Map(
    db
      .all<{ dev: number; device_id: string }>(sql`select dev, device_id from devices`)
      .map(({ dev, device_id }) => [dev, device_id]),
  )

/** Rows of one device; far more than it will ever write, and small enough for the number to stay exact. */
const DEVICE_ROWS = 2 ** 32

/** A row's number in this file: its device and its counter. */
export const rowOf = (dev: number, dseq: number): number => dev * DEVICE_ROWS + dseq

/** The public name of a row by its number in this file. */
export const rowIdAt = (deviceIdOf: (dev: number) => string, row: number): string =>
  rowIdOf(deviceIdOf(Math.floor(row / DEVICE_ROWS)), row % DEVICE_ROWS)

/** The number of a row in this file by its public name; null for a device that never wrote here. */
export const rowAtId = (db: Db, rowId: string): number | null => {
  const [deviceId = '', dseq = ''] = rowId.split('.')
  const dev = db.get<{ dev: number }>(sql`select dev from devices where device_id = ${deviceId}`)?.dev
  return dev === undefined ? null : rowOf(dev, Number(dseq))
}

/** Counters of the rows to come, kept in memory and in the file. */
export interface Counters {
  dseq: number
  /** Highest version any device has given in this file. */
  ver: bigint
  memory: number
  passage: number
}

export const readCounters = (db: Db, device: Device): Counters => {
  const one = (statement: Sql): number => Number(db.get<{ n: number | null }>(statement)?.n ?? 0)
  return {
    dseq: one(sql`select last_dseq as n from devices where dev = ${device.dev}`),
    ver: BigInt(db.get<{ n: number | bigint | null }>(sql`select max(last_ver) as n from devices`)?.n ?? 0),
    // From the versions: a memory whose bodies are all redacted has no head and keeps its number.
    memory: one(sql`select max(memory) as n from versions`),
    // A block keeps the slots of passages that are gone, and passages ascend in the matrix.
    passage: Math.max(one(sql`select max(passage) as n from passages`), one(sql`select max(last) as n from vector_blocks`)),
  }
}

/** Identity and version of the next row, taken in the transaction that writes it, so that the counter has no gaps. */
export const takeRowNumber = (
  db: Db,
  device: Device,
  counters: Counters,
  nowMs: number,
  parents: readonly bigint[],
): { readonly row: number; readonly dseq: number; readonly ver: bigint; readonly rowId: string } => {
  counters.dseq++
  counters.ver = nextVersion(nowMs, counters.ver, parents)
  const { dseq, ver } = counters
  db.run(sql`update devices set last_dseq = ${dseq}, last_ver = ${ver} where dev = ${device.dev}`)
  return { row: rowOf(device.dev, dseq), dseq, ver, rowId: rowIdOf(device.deviceId, dseq) }
}
