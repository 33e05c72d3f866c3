import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ListResult, MemoryRow, SearchResult } from '../../src/schema/records.js'
import { ALICE, DAY, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'

const START = Date.UTC(2026, 0, 1)
const iso = (ms: number): string => new Date(ms).toISOString()
const day = (n: number): string => iso(START + n * DAY)

/** A memory whose clock stands at the day that is told, counted from the first of January. */
const openDays = async () => {
  const memory = await open()
  const at = (n: number): void => memory.system.advance(START + n * DAY - memory.system.now())
  return {
    ...memory,
    at,
    was: async (key: string, input: Fields, scope = ALICE) =>
      (await memory.call<MemoryRow | null>('memory.get', { key, ...input }, scope))?.value ?? null,
    listed: async (input: Fields, scope = ALICE) =>
      (await memory.call<ListResult>('memory.list', input, scope)).rows.map(({ value }) => value),
    searched: async (query: string, input: Fields, scope = ALICE) =>
      (await memory.call<SearchResult>('memory.search', { query, ...input }, scope)).hits.map(({ value }) => value),
  }
}

describe('an earlier time', () => {
  test('is answered with what stood there, by key, in lists and in searches', async () => {
    const { at, set, was, listed, searched, get } = await openDays()
    at(1)
    await set({ key: 'home', value: 'Ada lives in Delhi.' })
    at(10)
    await set({ key: 'home', value: 'Ada lives in Berlin.' })
    at(20)
    expect((await get('home'))?.value).toBe('Ada lives in Berlin.')
    for (const asOfBasis of ['valid_time', 'knowledge_time', undefined]) {
      const asOf = { asOf: day(5), ...(asOfBasis && { asOfBasis }) }
      expect(await was('home', asOf)).toBe('Ada lives in Delhi.')
      expect(await listed(asOf)).toEqual(['Ada lives in Delhi.'])
      expect(await searched('Where does Ada live?', asOf)).toEqual(['Ada lives in Delhi.'])
      expect(await searched('Delhi', asOf)).toEqual(['Ada lives in Delhi.'])
      expect(await searched('Berlin', { ...asOf, legs: ['lexical'] })).toEqual([])
      expect(await was('home', { ...asOf, asOf: day(0) })).toBeNull()
      expect(await listed({ ...asOf, asOf: day(0) })).toEqual([])
      expect(await searched('Delhi', { ...asOf, asOf: day(0) })).toEqual([])
      expect(await was('home', { ...asOf, asOf: day(15) })).toBe('Ada lives in Berlin.')
    }
  })

  test('of the world and of what was known of it are two', async () => {
    const { at, set, was, listed } = await openDays()
    at(1)
    await set({ key: 'home', value: 'Ada lives in Delhi.', validAt: day(-100) })
    at(10)
    await set({ key: 'home', value: 'Ada lives in Berlin.', validAt: day(-20) })
    at(20)
    expect(await was('home', { asOf: day(-50) })).toBe('Ada lives in Delhi.')
    expect(await was('home', { asOf: day(-10) })).toBe('Ada lives in Berlin.')
    expect(await was('home', { asOf: day(-10), asOfBasis: 'knowledge_time' })).toBeNull()
    expect(await was('home', { asOf: day(5), asOfBasis: 'knowledge_time' })).toBe('Ada lives in Delhi.')
    expect(await was('home', { asOf: { valid: day(-10), known: day(5) } })).toBe('Ada lives in Delhi.')
    expect(await was('home', { asOf: { known: day(5) } })).toBe('Ada lives in Delhi.')
    expect(await listed({ asOf: { valid: day(-50) } })).toEqual(['Ada lives in Delhi.'])
    expect(await was('home', { asOf: day(-101) })).toBeNull()
  })

  test('knows the same fact in two periods as two', async () => {
    const { at, set, was } = await openDays()
    at(1)
    await set({ key: 'job', value: 'Ada works at Loom.', validAt: day(-900), validTo: day(-600) })
    await set({ key: 'job', value: 'Ada works at Loom.', validAt: day(-300), validTo: day(-100) })
    expect(await was('job', { asOf: day(-700) })).toBe('Ada works at Loom.')
    expect(await was('job', { asOf: day(-400) })).toBeNull()
    expect(await was('job', { asOf: day(-200) })).toBe('Ada works at Loom.')
    expect(await was('job', { asOf: day(-50) })).toBeNull()
  })

  test('that is told late retires nothing that is current', async () => {
    const { at, set, was, get, history, keys } = await openDays()
    at(1)
    const berlin = await set({ key: 'home', value: 'Berlin', validAt: day(-100) })
    const delhi = await set({ key: 'home', value: 'Delhi', validAt: day(-400), validTo: day(-200) })
    expect(delhi).toMatchObject({ status: 'superseded', explanation: { rule: 'earlier_time' } })
    expect(delhi.id).not.toBe(berlin.id)
    expect(await get('home')).toMatchObject({ value: 'Berlin', status: 'active' })
    expect(await keys()).toEqual(['home'])
    expect(await was('home', { asOf: day(-300) })).toBe('Delhi')
    expect(await was('home', { asOf: day(-150) })).toBeNull()
    expect(await was('home', { asOf: day(-50) })).toBe('Berlin')
    expect(await set({ key: 'home', value: 'Delhi', validAt: day(-400), validTo: day(-200) })).toMatchObject({
      id: delhi.id,
      noop: true,
    })
    at(2)
    expect(await set({ key: 'home', value: 'Rome', validAt: day(-150) })).toMatchObject({ status: 'superseded' })
    expect(await was('home', { asOf: day(-120) })).toBe('Rome')
    expect(await was('home', { asOf: day(-50) })).toBe('Berlin')
    expect((await history('home')).filter(({ value }) => value === 'Berlin')).toHaveLength(1)
    await set({ key: 'home', value: 'Oslo', validAt: day(-10) })
    expect(await get('home')).toMatchObject({ value: 'Oslo' })
  })

  test('that is told late of what gave no date counts from when that was said', async () => {
    const { at, set, update, get, was } = await openDays()
    at(1)
    await set({ key: 'home', value: 'Delhi' })
    at(10)
    await set({ key: 'home', value: 'Berlin' })
    await update({ key: 'home', tags: ['sure'] })
    at(11)
    await set({ key: 'home', value: 'Rome', validAt: day(5) })
    expect(await get('home')).toMatchObject({ value: 'Berlin' })
    expect(await was('home', { asOf: day(3) })).toBe('Delhi')
    await set({ key: 'home', value: 'Oslo', validAt: day(10.5) })
    expect(await get('home')).toMatchObject({ value: 'Oslo' })
    await update({ key: 'home', value: 'Bergen', validAt: day(4) })
    expect(await get('home')).toMatchObject({ value: 'Bergen' })
  })

  test('takes the dates of a claim as they were corrected last', async () => {
    const { at, set, update, was } = await openDays()
    at(1)
    await set({ key: 'job', value: 'Ada works at Loom.' })
    at(2)
    await update({ key: 'job', validAt: day(-30) })
    expect(await was('job', { asOf: day(-10) })).toBe('Ada works at Loom.')
    await update({ key: 'job', validTo: day(-5) })
    expect(await was('job', { asOf: day(-1) })).toBeNull()
    expect(await was('job', { asOf: { valid: day(1.2), known: day(1.5) } })).toBe('Ada works at Loom.')
  })

  test('has what gave way to another memory until that one began', async () => {
    const { at, set, settled, was, listed } = await openDays()
    at(1)
    await set({ key: 'lead/a', value: 'The team lead is Noor Haddad.' })
    at(10)
    await set({ key: 'lead/b', value: 'The team lead is Jonas Weber.', validAt: day(8) })
    await settled()
    expect(await was('lead/a', {})).toBeNull()
    expect(await was('lead/a', { asOf: day(5) })).toBe('The team lead is Noor Haddad.')
    expect(await was('lead/a', { asOf: day(9) })).toBeNull()
    expect(await listed({ asOf: day(9) })).toEqual(['The team lead is Jonas Weber.'])
    expect(await listed({ asOf: day(9), asOfBasis: 'knowledge_time' })).toEqual(['The team lead is Noor Haddad.'])
  })

  test('has nothing of what was deleted, unless it is asked what was known', async () => {
    const { at, set, remove, restore, was } = await openDays()
    at(1)
    await set({ key: 'a', value: 'The gate is locked.' })
    at(5)
    await remove('a')
    at(6)
    expect(await was('a', { asOf: day(3) })).toBeNull()
    expect(await was('a', { asOf: day(3), asOfBasis: 'knowledge_time' })).toBe('The gate is locked.')
    expect(await was('a', { asOf: day(5.5), asOfBasis: 'knowledge_time' })).toBeNull()
    await restore('a')
    expect(await was('a', { asOf: day(3) })).toBe('The gate is locked.')
  })

  test('keeps another user out, and what is highly sensitive out of lists and searches', async () => {
    const { at, set, was, listed, searched } = await openDays()
    at(1)
    await set({ key: 'a', value: 'The gate is locked.' }, MALLORY)
    await set({ key: 'pin', value: 'The safe opens with 4711.', sensitivity: 'high' })
    at(2)
    await set({ key: 'a', value: 'The gate is open.' }, MALLORY)
    await set({ key: 'pin', value: 'The safe opens with 4712.', sensitivity: 'high' })
    at(3)
    expect(await was('a', { asOf: day(1.5) })).toBeNull()
    expect(await listed({ asOf: day(1.5) })).toEqual([])
    expect(await searched('gate safe', { asOf: day(1.5) })).toEqual([])
    expect(await was('pin', { asOf: day(1.5) })).toBe('The safe opens with 4711.')
    expect(await was('a', { asOf: day(1.5) }, MALLORY)).toBe('The gate is locked.')
  })

  test('of what has become highly sensitive is read by its key only', async () => {
    const { at, set, was, listed, searched, audited } = await openDays()
    at(1)
    await set({ key: 'door', value: 'The door opens with 4711.' })
    await set({ key: 'gate', value: 'The gate opens with 4712.', validAt: day(1) })
    at(2)
    await set({ key: 'door', value: 'The door opens with 4713.', sensitivity: 'high' })
    await set({ key: 'gate', value: 'The gate opens with 4714.', sensitivity: 'high' })
    for (const asOfBasis of ['valid_time', 'knowledge_time']) {
      const past = { asOf: day(1.5), asOfBasis }
      expect(await listed(past)).toEqual([])
      expect(await searched('door gate opens', past)).toEqual([])
      expect(await was('door', past)).toBe('The door opens with 4711.')
    }
    expect((await audited()).filter(({ action }) => action === 'memory.get')).toHaveLength(2)
  })

  test('is filtered by what stood there then', async () => {
    const { at, set, listed, searched } = await openDays()
    at(1)
    await set({ key: 'a', value: 'The gate is locked.', tags: ['Door'], type: 'note' })
    at(2)
    await set({ key: 'a', value: 'The gate is open.', tags: ['other'], type: 'fact' })
    const past = { asOf: day(1.5) }
    expect(await listed({ ...past, tags: ['door'] })).toEqual(['The gate is locked.'])
    expect(await listed({ ...past, tags: ['other'] })).toEqual([])
    expect(await searched('gate', { ...past, type: 'note', keyPrefix: 'a' })).toEqual(['The gate is locked.'])
    expect(await searched('gate', { ...past, tags: ['door'] })).toEqual([])
    expect(await searched('gate', { ...past, type: 'fact' })).toEqual([])
  })

  test('is paged through without loss or repeat', async () => {
    const { at, set, call } = await openDays()
    const wanted: string[] = []
    for (let i = 0; i < 30; i++) {
      at(i + 1)
      await set({ key: `k/${i}`, value: `v${i}`, ...(i % 3 === 0 && { validAt: day(i) }) })
      wanted.push(`v${i}`)
    }
    at(40)
    for (let i = 0; i < 30; i += 2) await set({ key: `k/${i}`, value: `w${i}` })
    const seen: unknown[] = []
    let cursor: string | null = null
    do {
      const page: ListResult = await call('memory.list', { asOf: day(35), limit: 7, ...(cursor && { cursor }) }, ALICE)
      seen.push(...page.rows.map(({ value }) => value))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual(wanted.toReversed())
  })

  test('may be any that a date can name', async () => {
    const { set, was } = await openDays()
    await set({ key: 'a', value: 'The gate is locked.', validAt: '0000-01-01T00:00:00Z', validTo: '9999-12-31T23:59:59Z' })
    for (const asOf of ['0000-02-29T12:00:00Z', '2024-02-29T00:00:00+14:00', '9999-12-31T23:59:58Z'])
      expect(await was('a', { asOf })).toBe('The gate is locked.')
    expect(await was('a', { asOf: '9999-12-31T23:59:59Z' })).toBeNull()
    expect(await was('a', { asOf: '9999-12-31T23:59:59Z', asOfBasis: 'knowledge_time' })).toBe(null)
  })

  test('that is none is refused', async () => {
    const { call } = await openDays()
    for (const more of [
      { asOf: 'yesterday' },
      { asOf: 5 },
      { asOf: {} },
      { asOf: { valid: day(1), sudo: 1 } },
      { asOf: '2026-02-30T00:00:00Z' },
      { asOf: day(1), asOfBasis: 'some' },
      { asOf: { valid: day(1) }, asOfBasis: 'valid_time' },
      { asOfBasis: 'valid_time' },
    ])
      await refusal(call('memory.get', { key: 'a', ...more }, ALICE), 'INVALID_ARGUMENT')
    await refusal(call('memory.list', { asOf: day(1), cursor: '1' }, ALICE), 'INVALID_ARGUMENT')
  })
})

test.each([
  ['2026-03-01T09:00:00+02:00', 'UTC', '2026-03-01T07:00:00.000Z', null],
  ['2026-03-01T09:00:30', 'Europe/Berlin', '2026-03-01T08:00:30.000Z', null],
  ['2026-03-01T09:00', 'America/New_York', '2026-03-01T14:00:00.000Z', 'minute'],
  ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000Z', 'day'],
  ['2024-02-29', 'Asia/Tokyo', '2024-02-28T15:00:00.000Z', 'day'],
  ['2026-03', 'UTC', '2026-03-01T00:00:00.000Z', 'month'],
  ['1999', 'UTC', '1999-01-01T00:00:00.000Z', 'year'],
  ['0000', 'UTC', '0000-01-01T00:00:00.000Z', 'year'],
  ['9999-12-31', 'UTC', '9999-12-31T00:00:00.000Z', 'day'],
  // Clocks went from 2 to 3, and from 3 back to 2; and an island left out a day.
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z', 'minute'],
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z', 'minute'],
  ['2011-12-30T12:00', 'Pacific/Apia', '2011-12-30T22:00:00.000Z', 'minute'],
])('%s in %s is %s', async (validAt, timeZone, instant, precision) => {
  const { set, get } = await open()
  await set({ key: 'a', value: 'x', validAt, timeZone })
  expect(await get('a')).toMatchObject({ validAt: Date.parse(instant), validAtPrecision: precision })
})

test.each([
  ['2026-03-01', 'Europe/Berlin', '2026-03-01T23:00:00.000Z'],
  ['2026-12', 'UTC', '2027-01-01T00:00:00.000Z'],
  ['2019', 'UTC', '2020-01-01T00:00:00.000Z'],
  ['2024-02-29', 'UTC', '2024-03-01T00:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-03-01T09:59', 'UTC', '2026-03-01T10:00:00.000Z'],
])('what holds until %s in %s ends at %s', async (validTo, timeZone, instant) => {
  const { set, getById, update, get } = await open()
  const { id } = await set({ key: 'a', value: 'x', validTo, timeZone })
  expect((await getById(id))?.validTo).toBe(Date.parse(instant))
  await update({ key: 'a', validTo: null })
  expect(await get('a')).toMatchObject({ validTo: null, validToPrecision: null })
})

test('a zone that there is none of, and a day that there is none of, are refused', async () => {
  const { set } = await open()
  for (const more of [
    { validAt: '2026-02-30' },
    { validAt: '2026-13' },
    { validAt: '2026-03-01T25:00' },
    { validAt: '26-03-01' },
    { validAt: '2026-03-01', timeZone: 'Mars/Olympus' },
    { validAt: '2026-03-01', timeZone: '' },
  ])
    await refusal(set({ key: 'a', value: 'x', ...more }), 'INVALID_ARGUMENT')
})

test('a clock that is set back a year orders nothing anew', async () => {
  const { at, set, was, history } = await openDays()
  at(400)
  await set({ key: 'a', value: 'first' })
  at(35)
  await set({ key: 'a', value: 'second' })
  at(36)
  expect(await was('a', {})).toBe('second')
  expect(await was('a', { asOf: day(401) })).toBe('second')
  expect(await was('a', { asOf: day(100) })).toBeNull()
  expect((await history('a')).map(({ value }) => value)).toEqual(['second', 'first'])
})

/** What is said of one key, in the order in which it is said. */
interface Word {
  readonly value: string
  readonly from: number | null
  readonly to: number | null
  readonly gone: boolean
}

const word: fc.Arbitrary<Word> = fc.record({
  value: fc.constantFrom('red', 'green', 'blue'),
  from: fc.option(fc.integer({ min: -20, max: 20 })),
  to: fc.option(fc.integer({ min: 21, max: 40 })),
  gone: fc.boolean(),
})

/** The naive reading: every claim with its dates; the one that began last holds. */
const naive = (words: readonly Word[], valid: number, known: number): string | null => {
  let claims: { value: string; from: number; to: number | null; began: number }[] = []
  words.slice(0, known).forEach(({ value, from, to, gone }, i) => {
    // A moment after the day has begun, on which a date begins.
    const said = i + 1.01
    const last = claims.at(-1)
    if (gone) claims = []
    else if (last?.value === value) claims[claims.length - 1] = { value, from: from ?? last.began, to, began: last.began }
    else claims.push({ value, from: from ?? said, to, began: said })
  })
  const [held] = claims
    .map((claim, i) => ({ ...claim, i }))
    .filter(({ from }) => from <= valid)
    .sort((a, b) => b.from - a.from || b.i - a.i)
  return held === undefined || (held.to !== null && held.to <= valid) ? null : held.value
}

test('at every instant, what is read is what the versions say when they are gone through one by one', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 8 }), async (words) => {
      const { at, update, set, remove, call, was, listed } = await openDays()
      for (const [i, { value, from, to, gone }] of words.entries()) {
        at(i + 1)
        const dates = { validAt: from === null ? null : day(from), validTo: to === null ? null : day(to) }
        const isThere = (await call('memory.history', { key: 'k' }, ALICE).catch(() => [])) as readonly MemoryRow[]
        if (gone) await remove('k')
        else if (isThere[0] === undefined || isThere[0].status === 'tombstoned')
          await set({
            key: 'k',
            value,
            ...(from !== null && { validAt: day(from) }),
            ...(to !== null && { validTo: day(to) }),
          })
        else await update({ key: 'k', value, ...dates })
      }
      at(100)
      for (const valid of [-21, -5, 0.5, 2.5, 4.5, 8.5, 15, 22, 30, 45])
        for (const known of [words.length, Math.ceil(words.length / 2)]) {
          const asOf = { valid: day(valid), known: day(known + 0.5) }
          const expected = naive(words, valid, known)
          expect(await was('k', { asOf }), `${valid}, ${known}`).toBe(expected)
          expect(await listed({ asOf })).toEqual(expected === null ? [] : [expected])
        }
    }),
    { numRuns: process.env.LONG === '1' ? 500 : 40 },
  )
})
