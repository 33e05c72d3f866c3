import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addEmbedder, bitOf, findEmbedder, forgetEmbedder, numbersIn } from '../../worker/store/embedders.js'
import { countToEmbed } from '../../worker/store/passages.js'
import { sql } from '../../worker/store/sql.js'
import type { Store } from '../../worker/store/store.js'
import { createVectorMatrix, packVector, type VectorMatrix } from '../../worker/store/vector-matrix.js'
import { deleteVector, insertVector, loadMatrix, sealBlocks } from '../../worker/store/vectors.js'
import { addTestEmbedder, axis, DIMS, openTestStore, plant, valueOf } from '../support/store.js'

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

/** Whose rows are alive, in order. */
const aliveIn = (matrix: VectorMatrix): readonly (readonly [number, number])[] => {
  const alive = new Map<number, number>()
  // With room for all of them, every one is asked for.
  matrix.nearest(axis(0), matrix.size() + 1, (memory, identity) => alive.set(memory, identity).size > 0)
  return [...alive].sort(([a], [b]) => a - b)
}

/** What a matrix holds, as far as answers show it: whose rows are alive, and the nearest along each axis. */
const rowsOf = (matrix: VectorMatrix): unknown => ({
  alive: aliveIn(matrix),
  nearest: Array.from({ length: DIMS }, (_, d) => matrix.nearest(axis(d), 20, () => true)),
})

const deleteVectors = (store: Store, passages: readonly number[]): void => {
  for (const passage of passages) deleteVector(store.db, store.embedder.number, passage)
}

const load = (store: Store, embedder = store.embedder.number): VectorMatrix => loadMatrix(store.db, embedder, DIMS)

describe('an embedder', () => {
  test('has a number of its own, under which all is kept that is known of it', async () => {
    const { db, embedder } = await openTestStore({ embedderId: 'one@1' })
    const other = addTestEmbedder(db, 'two@1')
    expect(other.number).not.toBe(embedder.number)
    expect(findEmbedder(db, 'one@1')).toMatchObject({ number: embedder.number })
    expect(findEmbedder(db, 'two@1')).toEqual(other)
    expect(findEmbedder(db, 'three@1')).toBeNull()
  })

  test('that comes back has another number than before, under which it has no vectors', async () => {
    const store = await openTestStore()
    plant(store, { vectors: [axis(1)] })
    const { number } = store.embedder
    forgetEmbedder(store.db, number)
    expect(load(store).size()).toBe(0)
    const again = addTestEmbedder(store.db, 'test@1')
    expect(again.number).not.toBe(number)
    expect(countToEmbed(store.db, again.number)).toBe(1)
  })

  test('is one of a bit set, whichever numbers are in it', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 50 })).map((some) => some.toSorted((a, b) => a - b))
    fc.assert(
      fc.property(numbers, (some) => {
        expect(numbersIn(some.reduce((bits, number) => bits + bitOf(number), 0))).toEqual(some)
      }),
    )
  })

  test('finds a number also when all have been given, and then everything is embedded anew', async () => {
    const store = await openTestStore()
    plant(store, { vectors: [axis(1)] })
    let last = 0
    for (let i = 0; i < 60; i++) {
      const { id, number, ...rest } = addTestEmbedder(store.db, `other${i}@1`)
      expect(number).toBeLessThanOrEqual(50)
      if (number < last) expect([load(store).size(), countToEmbed(store.db, number)]).toEqual([0, 1])
      last = number
      forgetEmbedder(store.db, number)
      expect(addEmbedder(store.db, { id, ...rest }).number).not.toBe(number)
      forgetEmbedder(store.db, findEmbedder(store.db, id)?.number ?? 0)
    }
  })

  test('never sees vectors of another', async () => {
    const store = await openTestStore()
    const other = addTestEmbedder(store.db, 'other@1').number
    store.db.transaction(() => {
      for (let passage = 1; passage <= 2 * BLOCK + 10; passage++)
        put(store, passage, passage % 2 === 0 ? other : store.embedder.number)
    })
    const own = load(store)
    expect(own.size()).toBe(BLOCK + 5)
    expect(load(store, other).size()).toBe(BLOCK + 5)
    expect(own.nearest(axis(0), 500, () => true).every(({ passage }) => passage % 2 === 1)).toBe(true)
    forgetEmbedder(store.db, store.embedder.number)
    expect(load(store).size()).toBe(0)
    expect(load(store, other).size()).toBe(BLOCK + 5)
  })
})

describe('sealing', () => {
  test('leaves single rows alone until there are two blocks of them, then gathers the oldest', async () => {
    const store = await openTestStore()
    const other = addTestEmbedder(store.db, 'other@1').number
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
    const other = addTestEmbedder(store.db, 'other@1').number
    const places = fc.array(fc.nat({ max: 3 * BLOCK - 1 }), { maxLength: 120 })
    let next = 1
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9 }), places, places, (every, early, late) => {
        for (const table of ['vectors', 'vector_blocks', 'vector_gaps']) store.db.script(`delete from ${table}`)
        const expected = createVectorMatrix(DIMS)
        const drop = (passages: readonly number[]): void => {
          deleteVectors(store, passages)
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
    deleteVectors(store, gone)
    deleteVectors(store, [...gone, 99_999])
    const matrix = load(store)
    expect(matrix.size()).toBe(2 * BLOCK - gone.length)
    const left = new Set(aliveIn(matrix).map(([memory]) => memory))
    for (const passage of gone) expect(left.has(passage * 2)).toBe(false)
    for (const passage of [2, 6, 10, BLOCK - 2, BLOCK + 2]) expect(left.has(passage * 2)).toBe(true)
  })
})
