import type { Calibration } from '../../src/domain/calibration.js'
import type { Db } from '../ports.js'
import { readMeta, writeMeta } from './devices.js'
import { among, sql } from './sql.js'

/** An embedder as the store knows it: whoever has another number has other vectors. */
export interface KnownEmbedder {
  readonly number: number
  readonly id: string
  readonly dims: number
  /** What it made of the fixed text when it was first used. */
  readonly probe: Float32Array
  readonly calibration: Calibration
}

/** Whose vectors are resident and searched. */
export type ActiveEmbedder = Pick<KnownEmbedder, 'number' | 'dims'> & {
  readonly id: string | null
  readonly calibration: Calibration | null
}

/** Until an embedder has answered: there are no vectors of it. */
export const NO_EMBEDDER: ActiveEmbedder = { number: 0, id: null, dims: 1, calibration: null }

/** Numbers there are, as many as a bit set in one exact number has room for. */
const LAST_NUMBER = 50

/** The bit of an embedder among those whose vectors a passage has. */
export const bitOf = (embedder: number): number => (embedder === 0 ? 0 : 2 ** (embedder - 1))

/** Numbers of a bit set. */
export const numbersIn = (bits: number): readonly number[] => {
  const numbers: number[] = []
  // Divided rather than shifted: there are more of them than a shift has room for.
  for (let number = 1, rest = bits; rest > 0; number++, rest = Math.floor(rest / 2)) if (rest % 2 === 1) numbers.push(number)
  return numbers
}

interface EmbedderRow {
  embedder: number
  embedder_id: string
  dims: number
  probe: Uint8Array
  calibration: string
}

/** What the store knows of an embedder, or null when it has no vectors of it. */
export const findEmbedder = (db: Db, id: string): KnownEmbedder | null => {
  const row = db.get<EmbedderRow>(
    sql`select embedder, embedder_id, dims, probe, calibration from embedders where embedder_id = ${id}`,
  )
  if (row === undefined) return null
  return {
    number: row.embedder,
    id: row.embedder_id,
    dims: row.dims,
    probe: new Float32Array(row.probe.slice().buffer),
    calibration: JSON.parse(row.calibration) as Calibration,
  }
}

/** Gives an embedder a number, of which nothing in the store was ever said. */
export const addEmbedder = (db: Db, embedder: Omit<KnownEmbedder, 'number'>): KnownEmbedder => {
  const number = nextNumber(db)
  const { id, dims, probe, calibration } = embedder
  const bytes = new Uint8Array(probe.buffer, probe.byteOffset, probe.byteLength)
  db.run(
    sql`insert into embedders (embedder, embedder_id, dims, probe, calibration) values (${number}, ${id}, ${dims}, ${bytes},
      ${JSON.stringify(calibration)})`,
  )
  return { number, ...embedder }
}

/** Numbers are not given twice, since passages go on carrying them; when they have run out, all vectors are made anew. */
const nextNumber = (db: Db): number => {
  const last = Number(readMeta(db, 'last_embedder') ?? 0)
  if (last >= LAST_NUMBER) {
    for (const embedder of embeddersBut(db, [])) forgetEmbedder(db, embedder)
    db.run(sql`update passages set embedders = 0`)
  }
  const next = last >= LAST_NUMBER ? 1 : last + 1
  writeMeta(db, 'last_embedder', next)
  return next
}

/** Drops an embedder with all its vectors. */
export const forgetEmbedder = (db: Db, embedder: number): void => {
  db.run(sql`delete from vectors where embedder = ${embedder}`)
  db.run(sql`delete from vector_gaps where block in (select block from vector_blocks where embedder = ${embedder})`)
  db.run(sql`delete from vector_blocks where embedder = ${embedder}`)
  db.run(sql`delete from embedders where embedder = ${embedder}`)
}

/** Numbers of the embedders in the store, but for those given. */
export const embeddersBut = (db: Db, keep: readonly number[]): readonly number[] =>
  db
    .all<{ embedder: number }>(sql`select embedder from embedders where embedder not in ${among(keep)}`)
    .map(({ embedder }) => embedder)

/** Keeps an embedder's calibration by newer texts. */
export const recalibrate = (db: Db, embedder: KnownEmbedder, calibration: Calibration): KnownEmbedder => {
  db.run(sql`update embedders set calibration = ${JSON.stringify(calibration)} where embedder = ${embedder.number}`)
  return { ...embedder, calibration }
}
