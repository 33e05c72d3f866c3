import type { Db } from '../ports.js'
import { numbersIn } from './embedders.js'
import { sql } from './sql.js'
import type { PackedVector } from './vector-matrix.js'

/** How much is stored of one memory, beside what it says. */
export interface StoredParts {
  readonly versions: number
  readonly passages: number
  readonly vectors: readonly { readonly embedder: string; readonly passages: number }[]
  readonly recalls: number
  readonly recalledAt: number | null
}

export const partsOf = (db: Db, memory: number): StoredParts => {
  const versions = db.get<{ n: number }>(sql`select count(*) as n from versions where memory = ${memory}`)?.n ?? 0
  const passages = passagesOfMemory(db, memory)
  const recalled = db.get<{ times: number; last_at: number }>(
    sql`select times, last_at from recalls where memory = ${memory}`,
  )
  const vectors = db
    .all<{ embedder: number; embedder_id: string }>(sql`select embedder, embedder_id from embedders order by embedder`)
    .map(({ embedder, embedder_id }) => ({
      embedder: embedder_id,
      passages: passages.filter(({ embedders }) => embedders.includes(embedder)).length,
    }))
  return {
    versions,
    passages: passages.length,
    vectors,
    recalls: recalled?.times ?? 0,
    recalledAt: recalled?.last_at ?? null,
  }
}

interface PassageOfMemory {
  readonly passage: number
  /** Numbers of the embedders whose vector it has. */
  readonly embedders: readonly number[]
}

const passagesOfMemory = (db: Db, memory: number): readonly PassageOfMemory[] =>
  db
    .all<{ passage: number; embedders: number }>(
      sql`select passage, embedders from passages where memory = ${memory} order by passage`,
    )
    .map(({ passage, embedders }) => ({ passage, embedders: numbersIn(embedders) }))

/** The vectors that an embedder made of the first passages of a memory. */
export const vectorsOfMemory = (db: Db, embedder: number, memory: number, most: number): readonly PackedVector[] =>
  passagesOfMemory(db, memory)
    .filter(({ embedders }) => embedders.includes(embedder))
    .slice(0, most)
    .flatMap(({ passage }) => vectorOf(db, embedder, passage) ?? [])

/** The vector of a passage, from its row or from the block that it was gathered into. */
const vectorOf = (db: Db, embedder: number, passage: number): PackedVector | null => {
  const single = db.get<{ scale: number; codes: Uint8Array }>(
    sql`select scale, codes from vectors where embedder = ${embedder} and passage = ${passage}`,
  )
  if (single !== undefined) return { scale: single.scale, codes: new Int8Array(single.codes) }
  const blocks = db.all<{ passages: Uint8Array; scales: Uint8Array; codes: Uint8Array }>(
    sql`select passages, scales, codes from vector_blocks where embedder = ${embedder} and first <= ${passage}
      and last >= ${passage}`,
  )
  for (const { passages, scales, codes } of blocks) {
    // Copied, since a view on 32-bit numbers must begin at a multiple of four.
    const slot = new Int32Array(passages.slice().buffer).indexOf(passage)
    if (slot < 0) continue
    const dims = (codes.length * 4) / passages.length
    const scale = new Float32Array(scales.slice().buffer)[slot] ?? 0
    return { scale, codes: new Int8Array(codes.slice(slot * dims, (slot + 1) * dims)) }
  }
  return null
}
