import { describe, expect, test } from 'vitest'
import { USAGE_HALF_LIFE_MS } from '../../src/domain/usage.js'
import type { SearchResult } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import type { CompleteRunResult, OutcomeResult } from '../../src/schema/usage.js'
import { sql } from '../../worker/store/sql.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'

const openUsage = async () => {
  const memory = await open()
  return {
    ...memory,
    outcome: (key: string, outcome: string, more: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<OutcomeResult>('memory.outcome', { key, outcome, ...more }, scope),
    complete: (memoriesUsed: readonly string[], outcome: string, more: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<CompleteRunResult>('runs.complete', { memoriesUsed, outcome, ...more }, scope),
    ranked: async (query: string, scope: ScopePatch = ALICE) =>
      (await memory.call<SearchResult>('memory.search', { query, legs: ['lexical'] }, scope)).hits.map(
        ({ key, boost }) => [key, boost > 0] as const,
      ),
    usages: () => memory.db.all(sql`select * from usage order by number`),
  }
}

/** Two memories that a search for tea finds with equal words, the older first. */
const openTeas = async (scope: ScopePatch = ALICE) => {
  const memory = await openUsage()
  await memory.set({ key: 'a', value: 'green tea' }, scope)
  await memory.set({ key: 'b', value: 'black tea' }, scope)
  return memory
}

describe('what helped', () => {
  test('is told with a hit, as far as the handle may hear of it', async () => {
    const memory = await openTeas({})
    const told = async (scope: ScopePatch) =>
      (await memory.call<SearchResult>('memory.search', { query: 'green tea', limit: 1 }, scope)).hits[0]?.usage
    expect(await told(ALICE)).toBeUndefined()
    await memory.outcome('a', 'helped')
    await memory.outcome('a', 'harmed')
    expect(await told(ALICE)).toEqual({ helped: expect.closeTo(1, 5), harmed: expect.closeTo(1, 5), uses: 2 })
    expect(await told(MALLORY)).toBeUndefined()
  })

  test('is found before what fits as well, until it is long ago or as much harm was told', async () => {
    const memory = await openTeas()
    expect(await memory.ranked('tea')).toEqual([
      ['a', false],
      ['b', false],
    ])
    const told = await memory.outcome('b', 'helped')
    expect(told).toMatchObject({ key: 'b', helped: 1, harmed: 0, uses: 1, dryRun: false })
    expect(await memory.ranked('tea')).toEqual([
      ['b', true],
      ['a', false],
    ])
    memory.system.advance(USAGE_HALF_LIFE_MS)
    const halved = await memory.outcome('b', 'harmed')
    expect(halved.helped).toBeCloseTo(0.5, 5)
    expect(halved).toMatchObject({ harmed: 1, uses: 2, boost: 0 })
    expect((await memory.ranked('tea'))[0]).toEqual(['a', false])
  })

  test('never comes before what fits better, and what harmed never after what fits less', async () => {
    const memory = await openUsage()
    for (let i = 0; i < 12; i++) await memory.set({ key: `far/${i}`, value: `A cup of tea, and much else beside it: ${i}.` })
    await memory.set({ key: 'near', value: 'tea' })
    await memory.set({ key: 'away', value: 'The kettle is blue.' })
    for (let i = 0; i < 30; i++) {
      await memory.outcome('near', 'harmed')
      await memory.outcome('away', 'helped')
    }
    const ranked = await memory.ranked('tea')
    expect(ranked[0]).toEqual(['near', false])
    expect(ranked.map(([key]) => key)).not.toContain('away')
  })

  test('for one user moves no other search, also over what they share', async () => {
    const memory = await openTeas({})
    await memory.outcome('b', 'helped')
    expect((await memory.ranked('tea'))[0]).toEqual(['b', true])
    expect((await memory.ranked('tea', MALLORY))[0]).toEqual(['a', false])
    expect((await memory.ranked('tea', {}))[0]).toEqual(['a', false])
    expect(await memory.outcome('b', 'helped', {}, MALLORY)).toMatchObject({ helped: 1, uses: 1 })
  })

  test('in one session of a named user serves the next; visitors without a name stay apart', async () => {
    const memory = await openTeas({})
    await memory.outcome('b', 'helped', {}, { ...ALICE, session: 's1' })
    expect((await memory.ranked('tea', { ...ALICE, session: 's2' }))[0]).toEqual(['b', true])
    await memory.outcome('b', 'helped', {}, { user: null, session: 's1' })
    expect((await memory.ranked('tea', { user: null, session: 's1' }))[0]).toEqual(['b', true])
    expect((await memory.ranked('tea', { user: null, session: 's2' }))[0]).toEqual(['a', false])
  })

  test('changes no memory and tells nobody that one changed, but leaves a row in the audit', async () => {
    const memory = await openTeas()
    const before = await memory.get('b')
    memory.events.length = 0
    await memory.outcome('b', 'harmed')
    expect(await memory.get('b')).toEqual(before)
    expect(memory.events).toEqual([])
    expect(memory.audited().at(-1)).toMatchObject({ action: 'memory.outcome', memory_id: before?.id, outcome: 'ok' })
  })

  test('needs a memory that can be read, and a handle of one user', async () => {
    const memory = await openTeas()
    await refusal(memory.outcome('nothing', 'helped'), 'NOT_FOUND')
    await refusal(memory.outcome('b', 'helped', {}, MALLORY), 'NOT_FOUND')
    await refusal(memory.outcome('b', 'helped', {}, { user: '*' }), 'FORBIDDEN')
    await refusal(memory.outcome('b', 'helped', {}, { user: '' }), 'INVALID_ARGUMENT')
    await refusal(memory.outcome('b', 'neutral'), 'INVALID_ARGUMENT')
    expect(memory.usages()).toEqual([])
  })
})

describe('a run', () => {
  test('counts each memory that it used once, by id or by key, and says what it does not know', async () => {
    const memory = await openTeas()
    const hers = await memory.set({ key: 'hers', value: 'red tea' }, MALLORY)
    const b = await memory.get('b')
    const used = ['a', b?.id ?? '', 'b', 'nothing', hers.id, 'not/ a key', '']
    await refusal(memory.complete(used, 'helped'), 'INVALID_ARGUMENT')
    const result = await memory.complete(used.slice(0, -1), 'helped', {}, { ...ALICE, run: 'r7' })
    expect(result).toMatchObject({ run: 'r7', unknown: ['nothing', hers.id, 'not/ a key'], dryRun: false })
    expect(result.counted.map(({ key }) => key)).toEqual(['a', 'b'])
    expect(memory.usages()).toMatchObject([
      { helped: 1, uses: 1 },
      { helped: 1, uses: 1 },
    ])
  })

  test('that changed nothing counts the use alone', async () => {
    const memory = await openTeas()
    expect(await memory.complete(['b'], 'neutral')).toMatchObject({ counted: [{ key: 'b' }] })
    expect(await memory.outcome('b', 'harmed')).toMatchObject({ helped: 0, harmed: 1, uses: 2 })
    expect(await memory.complete([], 'helped')).toMatchObject({ counted: [], unknown: [] })
  })

  test('is rehearsed without a trace, and counted once under one name', async () => {
    const memory = await openTeas()
    expect(await memory.complete(['b'], 'helped', { dryRun: true })).toMatchObject({ counted: [{ key: 'b' }], dryRun: true })
    expect(memory.usages()).toEqual([])
    const first = await memory.complete(['b'], 'helped', { idempotencyKey: 'run 7' })
    expect(await memory.complete(['b'], 'helped', { idempotencyKey: 'run 7' })).toEqual(first)
    expect(memory.usages()).toMatchObject([{ uses: 1 }])
  })
})

test('outcomes that were told outlive a new opening', async () => {
  const memory = await openTeas()
  await memory.outcome('b', 'helped')
  const again = await open({ db: memory.db, system: memory.system })
  const { hits } = await again.call<SearchResult>('memory.search', { query: 'tea', legs: ['lexical'] }, ALICE)
  expect(hits[0]).toMatchObject({ key: 'b' })
})
