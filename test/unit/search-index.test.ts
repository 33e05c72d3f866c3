import { describe, expect, test } from 'vitest'
import { lexicalQuery } from '../../src/domain/lexical.js'
import { PASSAGE_LENGTH } from '../../src/domain/passage.js'
import {
  countToEmbed,
  memoriesWithRareWords,
  passagesToEmbed,
  passagesWithWords,
  passageText,
} from '../../worker/store/passages.js'
import { indexHead, refreshOffer, unindexMemory } from '../../worker/store/search-index.js'
import { sql } from '../../worker/store/sql.js'
import type { Store } from '../../worker/store/store.js'
import type { Head } from '../../worker/store/versions.js'
import { axis, openTestStore, plant, plantForStrangers, valueOf, visibleToAlice, wordsOf } from '../support/store.js'

const found = (store: Store, query: string, hiddenTypes: readonly string[] = [], limit = 50): readonly number[] =>
  passagesWithWords(store.db, lexicalQuery(query)?.expression ?? '""', visibleToAlice(store), {}, hiddenTypes, {
    nowMs: 5_000,
    limit,
    embedder: store.embedder.number,
  }).map(({ memory }) => memory)

const nearest = (store: Store, at: number): readonly number[] => {
  const readable = new Set(visibleToAlice(store))
  return store.resident.matrix
    .nearest(axis(at), 50, (memory, identity) => readable.has(identity) && store.resident.isOffered(memory))
    .filter(({ similarity }) => similarity > 0.5)
    .map(({ memory }) => memory)
}

const passagesOfMemory = (store: Store, { memory }: Head) =>
  store.db.all(sql`select first, beyond, embedders from passages where memory = ${memory}`)

describe('an indexed memory', () => {
  test('is found by its words, by those of its key and by its vector, by those who may read it', async () => {
    const store = await openTestStore()
    plantForStrangers(store, { key: 'home/kettle', value: 'boils water', vectors: [axis(1)] })
    const own = plant(store, { key: 'home/kettle', value: 'boils water', vectors: [axis(1)] })
    for (const query of ['boiling', 'kettle', 'water']) expect(found(store, query)).toEqual([own.memory])
    expect(nearest(store, 1)).toEqual([own.memory])
    expect(nearest(store, 2)).toEqual([])
  })

  test('ranks a word of the value above a word of the key', async () => {
    const store = await openTestStore()
    plantForStrangers(store, { value: 'kettle' })
    const byKey = plant(store, { key: 'kettle', value: 'something said' })
    const byValue = plant(store, { key: 'something', value: 'kettle said' })
    expect(found(store, 'kettle')).toEqual([byValue.memory, byKey.memory])
  })

  test('without a vector waits for one', async () => {
    const store = await openTestStore()
    const own = plant(store, { value: 'boils water' })
    const [stranger] = plantForStrangers(store, { value: 'boils water', vectors: [axis(1)] })
    const waiting = (embedder: number, after: number) =>
      passagesToEmbed(store.db, embedder, after, 2).map(({ memory }) => memory)
    expect(waiting(store.embedder.number, 0)).toEqual([own.memory])
    expect(waiting(store.embedder.number, store.counters.passage)).toEqual([])
    expect(countToEmbed(store.db, store.embedder.number)).toBe(1)
    expect(waiting(store.embedder.number + 1, 0)).toEqual([own.memory, stranger?.memory])
  })

  test('that is long has a passage for each stretch, and shows the one that fits', async () => {
    const store = await openTestStore()
    const value = `${'filler words here. '.repeat(100)}The kettle is blue. ${'more words there. '.repeat(100)}`
    plantForStrangers(store, { value })
    const own = plant(store, { value })
    expect(passagesOfMemory(store, own).length).toBeGreaterThan(3)
    const [hit] = passagesWithWords(store.db, '"kettle"', visibleToAlice(store), {}, [], { nowMs: 0, limit: 9, embedder: 1 })
    const excerpt = passageText(store.db, hit?.passage ?? 0, own)
    expect(excerpt).toContain('kettle')
    expect(excerpt.length).toBeLessThanOrEqual(PASSAGE_LENGTH)
    expect(passageText(store.db, 99_999, own)).toBe(value)
  })

  test('shows the passage that fits also of a structure whose names came unsorted', async () => {
    const store = await openTestStore()
    const value = { z: 'last words. '.repeat(100), m: 'The kettle is blue.', a: 'first words. '.repeat(100) }
    plantForStrangers(store, { value })
    const own = plant(store, { value })
    const [hit] = passagesWithWords(store.db, '"kettle"', visibleToAlice(store), {}, [], { nowMs: 0, limit: 9, embedder: 1 })
    const stored = { ...own, body: { ...own.body, value: { a: value.a, m: value.m, z: value.z } } }
    expect(passageText(store.db, hit?.passage ?? 0, stored)).toContain('kettle')
  })

  test('of a hidden type is found only when its type is not hidden', async () => {
    const store = await openTestStore()
    plantForStrangers(store, { value: 'boils water', type: 'reflection' })
    const own = plant(store, { value: 'boils water', type: 'reflection', vectors: [axis(1)] })
    expect(found(store, 'water')).toEqual([own.memory])
    expect(found(store, 'water', ['reflection'])).toEqual([])
    expect(nearest(store, 1)).toEqual([])
  })
})

describe('never in the index', () => {
  test.each([
    { type: 'episodic' },
    { type: 'profile' },
    { sensitivity: 'high' },
    { status: 'tombstoned' },
    { status: 'rejected' },
  ] as const)('is what is %j', async (fields) => {
    const store = await openTestStore()
    const strangers = plantForStrangers(store, { value: 'kettle', vectors: [axis(1)] })
    const beside = wordsOf(store.db)
    const own = plant(store, { value: 'kettle', vectors: [axis(1)], ...fields })
    expect(passagesOfMemory(store, own)).toEqual([])
    expect(wordsOf(store.db)).toEqual(beside)
    expect([found(store, 'kettle'), nearest(store, 1)]).toEqual([[], []])
    expect(store.resident.matrix.size()).toBe(strangers.length)
    expect(valueOf(store.db, sql`select count(*) from vectors`)).toBe(strangers.length)
  })
})

describe('taking a memory out', () => {
  test('leaves nothing of it and everything of others', async () => {
    const store = await openTestStore()
    const strangers = plantForStrangers(store, { value: 'kettle', vectors: [axis(1)] })
    const beside = { words: wordsOf(store.db), vectors: store.db.all(sql`select * from vectors`) }
    const own = plant(store, { value: 'kettle', vectors: [axis(1)] })
    store.write(() => unindexMemory(store, own.memory))
    expect(wordsOf(store.db)).toEqual(beside.words)
    expect(store.db.all(sql`select * from vectors`)).toEqual(beside.vectors)
    expect(store.resident.matrix.size()).toBe(strangers.length)
    store.write(() => unindexMemory(store, own.memory))
    expect(store.resident.matrix.size()).toBe(strangers.length)
  })

  test('and putting it in again finds it by what it says now', async () => {
    const store = await openTestStore()
    plantForStrangers(store, { value: 'teapot' })
    const own = plant(store, { value: 'kettle', vectors: [axis(1)] })
    plant(store, { value: 'teapot', parent: own, vectors: [axis(2)] })
    expect(found(store, 'kettle')).toEqual([])
    expect(found(store, 'teapot')).toEqual([own.memory])
    expect([nearest(store, 1), nearest(store, 2)]).toEqual([[], [own.memory]])
  })
})

test('what is offered follows the status while the text stays', async () => {
  const store = await openTestStore()
  plantForStrangers(store, { value: 'kettle', vectors: [axis(1)] })
  const own = plant(store, { value: 'kettle', vectors: [axis(1)] })
  store.write(() => refreshOffer(store, { ...own, body: { ...own.body, status: 'superseded' } }))
  expect(nearest(store, 1)).toEqual([])
  store.write(() => refreshOffer(store, own))
  expect(nearest(store, 1)).toEqual([own.memory])
})

test('a failed write leaves the index as it was, in memory too', async () => {
  const store = await openTestStore()
  plantForStrangers(store, { value: 'kettle', vectors: [axis(1)] })
  const own = plant(store, { value: 'kettle', vectors: [axis(1)] })
  const before = { counters: { ...store.counters }, words: wordsOf(store.db), size: store.resident.matrix.size() }
  const failing = () =>
    store.write(() => {
      unindexMemory(store, own.memory)
      indexHead(store, { ...own, body: { ...own.body, status: 'superseded', value: 'teapot' } }, [])
      throw new Error('refused')
    })
  expect(failing).toThrow('refused')
  expect({ counters: { ...store.counters }, words: wordsOf(store.db), size: store.resident.matrix.size() }).toEqual(before)
  expect(nearest(store, 1)).toEqual([own.memory])
})

describe('rare words', () => {
  const withWords = (store: Store, ...words: readonly string[]): readonly number[] =>
    memoriesWithRareWords(
      store.db,
      words.map((word) => `"${word}"`),
      visibleToAlice(store),
      { words: 2, memories: 2 },
    )

  test('find the memories of those who may read them, those with more of the words first', async () => {
    const store = await openTestStore()
    plantForStrangers(store, { value: 'the kettle whistles in the pantry' })
    const one = plant(store, { value: 'the kettle is blue and heavy' })
    const both = plant(store, { value: 'the kettle in the pantry is blue' })
    expect(withWords(store, 'kettle', 'pantry')).toEqual([both.memory, one.memory])
    expect(withWords(store, 'nowhere')).toEqual([])
    expect(withWords(store)).toEqual([])
  })

  test('are the rarest ones, and no more of them or of their memories than was asked for', async () => {
    const store = await openTestStore()
    const often = ['a', 'b', 'c'].map((name) => plant(store, { key: name, value: `the lamp of ${name}ston is new` }))
    const rare = plant(store, { value: 'the stove and the heron' })
    expect(withWords(store, 'lamp', 'stove', 'heron')).toEqual([rare.memory])
    expect(withWords(store, 'lamp')).toEqual(often.slice(0, 2).map(({ memory }) => memory))
  })

  test('are not what is in hundreds of passages', async () => {
    const store = await openTestStore()
    for (let i = 0; i < 201; i++) plant(store, { key: `lamp/${i}`, value: `the lamp ${i}` })
    const rare = plant(store, { value: 'the lamp and the heron' })
    expect(withWords(store, 'lamp')).toEqual([])
    expect(withWords(store, 'lamp', 'heron')).toEqual([rare.memory])
  })
})
