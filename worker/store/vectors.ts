import type { Db } from '../ports.js'
import { sql } from './sql.js'
import { createVectorMatrix, type PackedVector, type VectorBlock, type VectorMatrix } from './vector-matrix.js'

/** Vectors of a block. */
const BLOCK = 2048
/** Single rows are gathered into a block when this many stand beside those that stay single. */
const SEAL_AT = 2 * BLOCK

/** The number of an embedder, given when it is new. */
export const takeEmbedder = (db: Db, embedderId: string, dims: number): number => {
  db.run(sql`insert into embedders (embedder_id, dims) values (${embedderId}, ${dims}) on conflict (embedder_id) do nothing`)
  return db.get<{ embedder: number }>(sql`select embedder from embedders where embedder_id = ${embedderId}`)?.embedder ?? 0
}

/** Stores one vector beside its row. */
export const insertVector = (
  db: Db,
  embedder: number,
  row: { readonly passage: number; readonly memory: number; readonly identity: number },
  vector: PackedVector,
): void => {
  db.run(
    sql`insert into vectors (passage, memory, identity, embedder, scale, codes) values (${row.passage}, ${row.memory},
      ${row.identity}, ${embedder}, ${vector.scale}, ${bytesOf(vector.codes)})`,
  )
}

/** Takes the vectors of passages out: single rows go, slots of blocks become gaps. */
export const deleteVectors = (db: Db, passages: readonly number[]): void => {
  for (const passage of passages) {
    if (db.run(sql`delete from vectors where passage = ${passage}`) > 0) continue
    const blocks = db.all<{ block: number; passages: Uint8Array }>(
      sql`select block, passages from vector_blocks where first <= ${passage} and last >= ${passage}`,
    )
    for (const { block, passages: held } of blocks) {
      const slot = int32(held).indexOf(passage)
      if (slot < 0) continue
      const gaps = readGaps(db, block)
      gaps[slot >> 3] = (gaps[slot >> 3] ?? 0) | (1 << (slot & 7))
      db.run(
        sql`insert into vector_gaps (block, slots) values (${block}, ${gaps})
          on conflict (block) do update set slots = excluded.slots`,
      )
    }
  }
}

const readGaps = (db: Db, block: number): Uint8Array =>
  db.get<{ slots: Uint8Array }>(sql`select slots from vector_gaps where block = ${block}`)?.slots ??
  new Uint8Array(BLOCK / 8)

interface SingleRow {
  passage: number
  memory: number
  identity: number
  scale: number
  codes: Uint8Array
}

/** Gathers the oldest single rows into a block, when there are enough of them. */
export const sealBlocks = (db: Db, embedder: number): void => {
  while ((db.get<{ n: number }>(sql`select count(*) as n from vectors where embedder = ${embedder}`)?.n ?? 0) >= SEAL_AT) {
    const rows = db.all<SingleRow>(
      sql`select passage, memory, identity, scale, codes from vectors where embedder = ${embedder} order by passage limit ${BLOCK}`,
    )
    const first = rows[0]
    const last = rows[rows.length - 1]
    if (first === undefined || last === undefined) return
    const codes = new Uint8Array(rows.length * first.codes.length)
    rows.forEach((row, i) => codes.set(row.codes, i * first.codes.length))
    db.run(
      sql`insert into vector_blocks (embedder, first, last, passages, memories, identities, scales, codes) values (${embedder},
        ${first.passage}, ${last.passage}, ${bytesOf(Int32Array.from(rows, (row) => row.passage))},
        ${bytesOf(Int32Array.from(rows, (row) => row.memory))}, ${bytesOf(Int32Array.from(rows, (row) => row.identity))},
        ${bytesOf(Float32Array.from(rows, (row) => row.scale))}, ${codes})`,
    )
    db.run(sql`delete from vectors where embedder = ${embedder} and passage <= ${last.passage}`)
  }
}

/** Whether vectors of another embedder are still stored. */
export const hasOtherVectors = (db: Db, embedder: number): boolean =>
  db.get(
    sql`select 1 from vectors where embedder <> ${embedder} union all select 1 from vector_blocks where embedder <> ${embedder}
      limit 1`,
  ) !== undefined

/** Drops all vectors of other embedders. */
export const dropOtherVectors = (db: Db, embedder: number): void => {
  db.run(sql`delete from vectors where embedder <> ${embedder}`)
  db.run(sql`delete from vector_gaps where block in (select block from vector_blocks where embedder <> ${embedder})`)
  db.run(sql`delete from vector_blocks where embedder <> ${embedder}`)
}

interface BlockRow {
  block: number
  passages: Uint8Array
  memories: Uint8Array
  identities: Uint8Array
  scales: Uint8Array
  codes: Uint8Array
}

/** Brings all vectors of an embedder into memory. Blocks come before single rows, so passages ascend. */
export const loadMatrix = (db: Db, embedder: number, dims: number): VectorMatrix => {
  const blocks = db.get<{ n: number }>(sql`select count(*) as n from vector_blocks where embedder = ${embedder}`)?.n ?? 0
  const singles = db.get<{ n: number }>(sql`select count(*) as n from vectors where embedder = ${embedder}`)?.n ?? 0
  const matrix = createVectorMatrix(dims, blocks * BLOCK + singles + BLOCK)
  for (const row of db.all<BlockRow>(
    sql`select block, passages, memories, identities, scales, codes from vector_blocks where embedder = ${embedder} order by first`,
  )) {
    const block = rowToBlock(row)
    matrix.appendBlock(block)
    const gaps = readGaps(db, row.block)
    gaps.forEach((bits, at) => {
      for (let bit = 0; bits >> bit > 0; bit++) if ((bits >> bit) & 1) matrix.kill(block.passages[at * 8 + bit] ?? -1)
    })
  }
  for (const row of db.all<SingleRow>(
    sql`select passage, memory, identity, scale, codes from vectors where embedder = ${embedder} order by passage`,
  ))
    matrix.append(row.passage, row.memory, row.identity, { scale: row.scale, codes: new Int8Array(row.codes) })
  return matrix
}

const rowToBlock = (row: BlockRow): VectorBlock => ({
  passages: int32(row.passages),
  memories: int32(row.memories),
  identities: int32(row.identities),
  scales: new Float32Array(row.scales.slice().buffer),
  codes: new Int8Array(row.codes.buffer, row.codes.byteOffset, row.codes.length),
})

// Copied, since a view on 32-bit numbers must begin at a multiple of four.
const int32 = (bytes: Uint8Array): Int32Array => new Int32Array(bytes.slice().buffer)

const bytesOf = (array: Int8Array | Int32Array | Float32Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
