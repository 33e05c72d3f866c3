import type { Db } from '../ports.js'
import { sql } from './sql.js'
import { createVectorMatrix, type PackedVector, type VectorBlock, type VectorMatrix } from './vector-matrix.js'

/** Vectors of a block. */
const BLOCK = 2048
/** Single rows are gathered into a block when this many stand beside those that stay single. */
const SEAL_AT = 2 * BLOCK

/** Stores one vector beside its row. */
export const insertVector = (
  db: Db,
  embedder: number,
  row: { readonly passage: number; readonly memory: number; readonly identity: number },
  vector: PackedVector,
): void => {
  db.run(
    sql`insert into vectors (embedder, passage, memory, identity, scale, codes) values (${embedder}, ${row.passage}, ${row.memory},
      ${row.identity}, ${vector.scale}, ${bytesOf(vector.codes)})`,
  )
}

/** Takes the vector of a passage out: a single row goes, a slot of a block becomes a gap. */
export const deleteVector = (db: Db, embedder: number, passage: number): void => {
  if (db.run(sql`delete from vectors where embedder = ${embedder} and passage = ${passage}`) > 0) return
  const blocks = db.all<{ block: number; passages: Uint8Array }>(
    sql`select block, passages from vector_blocks where embedder = ${embedder} and first <= ${passage} and last >= ${passage}`,
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

interface BlockRow {
  block: number
  passages: Uint8Array
  memories: Uint8Array
  identities: Uint8Array
  scales: Uint8Array
  codes: Uint8Array
}

/** Brings all vectors of an embedder into memory. */
export const loadMatrix = (db: Db, embedder: number, dims: number): VectorMatrix => {
  const blocks = db.get<{ n: number }>(sql`select count(*) as n from vector_blocks where embedder = ${embedder}`)?.n ?? 0
  const singles = db.get<{ n: number }>(sql`select count(*) as n from vectors where embedder = ${embedder}`)?.n ?? 0
  const matrix = createVectorMatrix(dims, { capacity: blocks * BLOCK + singles + BLOCK })
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
