import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type HeadFilter, headsAmong, listHeads, memoriesEnded, memoriesMatching } from '../../worker/store/heads.js'
import type { Store } from '../../worker/store/store.js'
import type { Head } from '../../worker/store/versions.js'
import { openTestStore, type Planted, plant, plantForStrangers, visibleToAlice } from '../support/store.js'

const NOW = 10_000

const keysOf = (heads: readonly Head[]): readonly string[] => heads.map(({ body }) => body.key)

/** The three reads that share the filter, as keys: they must agree, apart from the case of tags. */
const listed = (store: Store, filter: HeadFilter, nowMs = NOW): readonly string[] =>
  keysOf(listHeads(store.db, visibleToAlice(store), filter, { nowMs, after: null, limit: 100 })).toSorted()

const matching = (store: Store, filter: HeadFilter, nowMs = NOW): readonly string[] => {
  const memories = memoriesMatching(store.db, visibleToAlice(store), filter, nowMs)
  const heads = headsAmong(store.db, [...memories], visibleToAlice(store), filter, nowMs)
  expect(heads).toHaveLength(memories.size)
  return keysOf(heads).toSorted()
}

const withRows = async (...rows: readonly Planted[]): Promise<Store> => {
  const store = await openTestStore()
  for (const row of rows) {
    plantForStrangers(store, row)
    plant(store, row)
  }
  return store
}

describe('a filter', () => {
  const rows: readonly Planted[] = [
    { key: 'user/a', type: 'semantic', tags: ['Work', 'x'], confidence: 0.9 },
    { key: 'user/b', type: 'decision', tags: ['work'], confidence: 0.5, sourceClass: 'external' },
    { key: 'users/c', type: 'episodic', tags: [], confidence: 1, sourceClass: 'derived' },
    { key: 'caf\u00e9/d', type: 'reflection', tags: ['x'], status: 'conflicted' },
    { key: 'user/duplicate', status: 'duplicate' },
    { key: 'user/superseded', status: 'superseded' },
    { key: 'user/proposed', status: 'proposed' },
    { key: 'user/rejected', status: 'rejected' },
    { key: 'user/tombstoned', status: 'tombstoned' },
    { key: 'user/secret', sensitivity: 'high' },
    { key: 'user/mild', sensitivity: 'medium', confidence: 0.1 },
  ]

  test.each<[HeadFilter, readonly string[]]>([
    [{}, ['caf\u00e9/d', 'user/a', 'user/b', 'user/mild', 'users/c']],
    [{ keyPrefix: 'user/' }, ['user/a', 'user/b', 'user/mild']],
    [{ keyPrefix: 'user' }, ['user/a', 'user/b', 'user/mild', 'users/c']],
    [{ keyPrefix: 'cafe\u0301' }, ['caf\u00e9/d']],
    [{ keyPrefix: 'USER' }, []],
    [{ keyPrefix: '%' }, []],
    [{ keyPrefix: 'user_' }, []],
    [{ type: 'decision' }, ['user/b']],
    [{ type: 'episodic' }, ['users/c']],
    [{ tags: ['x'] }, ['caf\u00e9/d', 'user/a']],
    [{ tags: ['x', 'Work'] }, ['user/a']],
    [{ sourceClass: 'external' }, ['user/b']],
    [{ minConfidence: 0.9 }, ['caf\u00e9/d', 'user/a', 'users/c']],
    [{ includeDuplicates: true, keyPrefix: 'user/d' }, ['user/duplicate']],
    [{ includeSuperseded: true, keyPrefix: 'user/s' }, ['user/superseded']],
    [{ includeProposed: true, keyPrefix: 'user/p' }, ['user/proposed']],
    [{ tags: ['x'], type: 'reflection', minConfidence: 1, keyPrefix: 'c' }, ['caf\u00e9/d']],
  ])('of %j lets exactly these through', async (filter, keys) => {
    const store = await withRows(...rows)
    expect(listed(store, filter)).toEqual(keys)
    // A search without a type leaves reflections out.
    const found = filter.type === undefined ? keys.filter((key) => key !== 'caf\u00e9/d') : keys
    expect(matching(store, filter)).toEqual(found)
  })

  test('takes tags in any case for a list and exactly for a search', async () => {
    const store = await withRows(...rows)
    expect(listed(store, { tags: ['WORK'] })).toEqual(['user/a', 'user/b'])
    expect(matching(store, { tags: ['WORK'] })).toEqual([])
    expect(matching(store, { tags: ['work'] })).toEqual(['user/b'])
  })

  test('lets a row through until its end, and not after', async () => {
    const store = await withRows(
      { key: 'a', validTo: NOW },
      { key: 'b', validTo: NOW + 1 },
      { key: 'c', expiresAt: NOW },
      { key: 'd', expiresAt: NOW + 1 },
      { key: 'e', expiresAt: NOW + 1, validTo: NOW },
    )
    expect(listed(store, {})).toEqual(['b', 'd'])
    expect(matching(store, {})).toEqual(['b', 'd'])
    expect(memoriesEnded(store.db, visibleToAlice(store), NOW).size).toBe(3)
    expect(memoriesEnded(store.db, visibleToAlice(store), 0).size).toBe(0)
    expect(memoriesEnded(store.db, [], NOW).size).toBe(0)
  })

  test('of nobody lets nothing through', async () => {
    const store = await withRows({ key: 'a' })
    expect(listHeads(store.db, [], {}, { nowMs: NOW, after: null, limit: 10 })).toEqual([])
    expect(memoriesMatching(store.db, [], {}, NOW).size).toBe(0)
    expect(headsAmong(store.db, [1, 2, 3], [], {}, NOW)).toEqual([])
  })

  test('never lets a memory through that was named but is not visible', async () => {
    const store = await openTestStore()
    const strangers = plantForStrangers(store, {})
    const own = plant(store, {})
    const all = [...strangers, own].map(({ memory }) => memory)
    expect(headsAmong(store.db, all, visibleToAlice(store), {}, NOW).map(({ memory }) => memory)).toEqual([own.memory])
    expect(headsAmong(store.db, [], visibleToAlice(store), {}, NOW)).toEqual([])
  })
})

describe('a list', () => {
  test('is newest first, and of the same moment the later memory first', async () => {
    const store = await withRows({ key: 'a', updatedAt: 5 }, { key: 'b', updatedAt: 9 }, { key: 'c', updatedAt: 5 })
    expect(keysOf(listHeads(store.db, visibleToAlice(store), {}, { nowMs: NOW, after: null, limit: 10 }))).toEqual([
      'b',
      'c',
      'a',
    ])
  })

  test('in pages of any size is the whole list, once each, in the same order', async () => {
    const store = await openTestStore()
    const updates = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 14 })
    fc.assert(
      fc.property(updates, fc.integer({ min: 1, max: 5 }), (moments, limit) => {
        store.db.script('delete from heads')
        plantForStrangers(store, { updatedAt: 3 })
        moments.forEach((updatedAt, i) => plant(store, { key: `k/${i}`, updatedAt }))
        const visible = visibleToAlice(store)
        const whole = listHeads(store.db, visible, {}, { nowMs: NOW, after: null, limit: 100 })
        expect(whole).toHaveLength(moments.length)
        const paged: Head[] = []
        for (let page: readonly Head[] = [], first = true; first || page.length === limit; first = false) {
          const last = paged.at(-1)
          const after = last === undefined ? null : { updatedAt: last.body.updatedAt, memory: last.memory }
          page = listHeads(store.db, visible, {}, { nowMs: NOW, after, limit })
          paged.push(...page)
        }
        expect(paged.map(({ memory }) => memory)).toEqual(whole.map(({ memory }) => memory))
      }),
      { numRuns: 25 },
    )
  })
})
