import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sql } from '../../worker/store/sql.js'
import type { Store } from '../../worker/store/store.js'
import { createVectorMatrix, packVector, type VectorMatrix } from '../../worker/store/vector-matrix.js'
import {
  deleteVectors,
  dropOtherVectors,
  insertVector,
  loadMatrix,
  sealBlocks,
  takeEmbedder,
} from '../../worker/store/vectors.js'
import { axis, DIMS, openTestStore, valueOf } from '../support/store.js'

/** From the source: two blocks' worth of single rows makes one block. */
const BLOCK = 2048

/** A vector that no other passage has, so that a mixed-up slot shows. */
const vectorOf = (passage: number) =>
  packVector(Float32Array.from({ length: DIMS }, (_, d) => Math.sin(passage * (d + 1) * 0.37)))

const put = (store: Store, passage: number, embedder = store.embedder.number, beside?: VectorMatrix): void => {
  const [memory, identity] = [passage * 2, passage % 5]
  insertVector(store.db, embedder, { passage, memory, identity }, vectorOf(passage))
  beside?.append(passage, memory, identity, vectorOf(passage))
}

/** What a matrix holds, as far as answers show it: whose rows are alive, in order, and the nearest along each axis. */
const rowsOf = (matrix: VectorMatrix): unknown => {
  const alive: [number, number][] = []
  matrix.nearest(axis(0), 1, (memory, identity) => alive.push([memory, identity]) > 0)
  return { alive, nearest: Array.from({ length: DIMS }, (_, d) => matrix.nearest(axis(d), 20, () => true)) }
}

const load = (store: Store, embedder = store.embedder.number): VectorMatrix => loadMatrix(store.db, embedder, DIMS)

describe('an embedder', () => {
  test('has a number of its own that it keeps', async () => {
    const { db, embedder } = await openTestStore({ embedderId: 'one@1' })
    expect(takeEmbedder(db, 'one@1', DIMS)).toBe(embedder.number)
    const other = takeEmbedder(db, 'two@1', DIMS)
    expect(other).not.toBe(embedder.number)
    expect(takeEmbedder(db, 'two@1', DIMS)).toBe(other)
  })

  test('never sees vectors of another', async () => {
    const store = await openTestStore()
    const other = takeEmbedder(store.db, 'other@1', DIMS)
    store.db.transaction(() => {
      for (let passage = 1; passage <= 2 * BLOCK + 10; passage++)
        put(store, passage, passage % 2 === 0 ? other : store.embedder.number)
    })
    const own = load(store)
    expect(own.size()).toBe(BLOCK + 5)
    expect(load(store, other).size()).toBe(BLOCK + 5)
    expect(own.nearest(axis(0), 500, () => true).every(({ passage }) => passage % 2 === 1)).toBe(true)
    dropOtherVectors(store.db, other)
    expect(load(store).size()).toBe(0)
    expect(load(store, other).size()).toBe(BLOCK + 5)
  })
})

describe('sealing', () => {
  test('leaves single rows alone until there are two blocks of them, then gathers the oldest', async () => {
    const store = await openTestStore()
    const other = takeEmbedder(store.db, 'other@1', DIMS)
    store.db.transaction(() => {
      for (let passage = 1; passage < 2 * BLOCK; passage++) put(store, passage)
      sealBlocks(store.db, store.embedder.number)
      expect(valueOf(store.db, sql`select count(*) from vector_blocks`)).toBe(0)
      put(store, 2 * BLOCK)
      put(store, 2 * BLOCK + 1, other)
    })
    const before = rowsOf(load(store))
    sealBlocks(store.db, store.embedder.number)
    expect(store.db.all(sql`select embedder, first, last from vector_blocks`)).toEqual([
      { embedder: store.embedder.number, first: 1, last: BLOCK },
    ])
    expect(valueOf(store.db, sql`select count(*) from vectors where embedder = ${store.embedder.number}`)).toBe(BLOCK)
    expect(rowsOf(load(store))).toEqual(before)
    expect(load(store, other).size()).toBe(1)
  })

  test('keeps every row, whatever was deleted before and after it, and nothing of what was', async () => {
    const store = await openTestStore()
    const other = takeEmbedder(store.db, 'other@1', DIMS)
    const places = fc.array(fc.nat({ max: 3 * BLOCK - 1 }), { maxLength: 120 })
    let next = 1
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9 }), places, places, (every, early, late) => {
        for (const table of ['vectors', 'vector_blocks', 'vector_gaps']) store.db.script(`delete from ${table}`)
        const expected = createVectorMatrix(DIMS)
        const drop = (passages: readonly number[]): void => {
          deleteVectors(store.db, passages)
          for (const passage of passages) expected.kill(passage)
        }
        store.db.transaction(() => {
          put(store, next++, other)
          const first = next
          for (; next < first + 3 * BLOCK; next++) put(store, next, store.embedder.number, expected)
          drop(early.map((at) => first + at))
          // A stretch with holes, so that a block spans more passages than it holds.
          drop(Array.from({ length: 500 }, (_, i) => first + i * every))
          sealBlocks(store.db, store.embedder.number)
          drop(late.map((at) => first + at))
          drop(late.map((at) => first + at))
          for (const end = next + 20; next < end; next++) put(store, next, store.embedder.number, expected)
        })
        const loaded = load(store)
        expect(loaded.size()).toBe(expected.size())
        expect(rowsOf(loaded)).toEqual(rowsOf(expected))
        expect(load(store, other).size()).toBe(1)
        expect(valueOf(store.db, sql`select count(*) from vector_blocks`)).toBe(1)
      }),
      { numRuns: 4 },
    )
  })
})

describe('deleting', () => {
  test('takes a slot out of a block and leaves its neighbours, also of the last byte', async () => {
    const store = await openTestStore()
    store.db.transaction(() => {
      for (let passage = 1; passage <= 2 * BLOCK; passage++) put(store, passage)
      sealBlocks(store.db, store.embedder.number)
    })
    const gone = [1, 7, 8, 9, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK]
    deleteVectors(store.db, gone)
    deleteVectors(store.db, [...gone, 99_999])
    const matrix = load(store)
    expect(matrix.size()).toBe(2 * BLOCK - gone.length)
    const left = new Set<number>()
    matrix.nearest(axis(0), 1, (memory) => left.add(memory).size > 0)
    for (const passage of gone) expect(left.has(passage * 2)).toBe(false)
    for (const passage of [2, 6, 10, BLOCK - 2, BLOCK + 2]) expect(left.has(passage * 2)).toBe(true)
  })
})
