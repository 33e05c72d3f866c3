import { describe, expect, test } from 'vitest'
import type { WriteResult } from '../../src/schema/records.js'
import { sql } from '../../worker/store/sql.js'
import { openTestDb, type TestMemory } from '../support/engine.js'
import { ALICE, DAY, MALLORY, open, refusal } from '../support/engine-calls.js'
import { dump, valueOf } from '../support/store.js'

describe('a dry run', () => {
  const live = async () => {
    const memory = await open()
    await memory.set({ key: 'user/a', value: 'Alice lives in Berlin.' })
    await memory.set({ key: 'user/b', value: 'gone' })
    await memory.remove('user/b')
    await memory.settled()
    return memory
  }

  test('of any write answers as the write would and writes nothing', async () => {
    const memory = await live()
    const before = dump(memory.db)
    const events = memory.events.length
    const dry = { dryRun: true }
    const newcomer = { user: 'somebody new' }
    expect(await memory.set({ key: 'user/c', value: 'Bob works at Loom.', tags: ['x'], ...dry })).toMatchObject({
      verdict: 'clear',
      dryRun: true,
    })
    expect(await memory.set({ value: 'alice lives in berlin', idempotencyKey: 'k', ...dry })).toMatchObject({
      verdict: 'merge',
      dryRun: true,
    })
    expect(await memory.set({ key: 'user/a', value: 'x', ...dry }, newcomer)).toMatchObject({
      verdict: 'clear',
      scope: newcomer,
    })
    expect(await memory.update({ key: 'user/a', value: 'Alice lives in Munich.', ...dry })).toMatchObject({ dryRun: true })
    expect(await memory.remove('user/a', dry)).toMatchObject({ found: true, tombstoned: 1 })
    expect(await memory.restore('user/b', dry)).toMatchObject({ status: 'active', dryRun: true })
    expect(await memory.bulk([{ value: 'Carol likes tea.' }, { value: '' }], dry)).toMatchObject({ written: 1, failed: 1 })
    await refusal(memory.update({ key: 'user/z', value: 'x', ...dry }), 'NOT_FOUND')
    await refusal(memory.set({ key: 'user/a', value: 'x', ifMatchSha256: '0'.repeat(64), ...dry }), 'PRECONDITION_FAILED')
    await memory.settled()
    expect(dump(memory.db)).toEqual(before)
    expect(memory.events).toHaveLength(events)
  })

  test('leaves no trace in what follows either', async () => {
    const [plain, rehearsed] = [await live(), await live()]
    await rehearsed.set({ key: 'user/c', value: 'Bob works at Loom.', dryRun: true }, { user: 'bob' })
    await rehearsed.update({ key: 'user/a', value: 'Alice lives in Munich.', dryRun: true })
    for (const memory of [plain, rehearsed]) await memory.set({ key: 'user/d', value: 'Carol likes tea.' })
    const numbers = (memory: TestMemory) => memory.db.all(sql`select row, dseq, memory, identity from versions order by row`)
    expect(numbers(rehearsed)).toEqual(numbers(plain))
    for (const memory of [plain, rehearsed]) {
      expect(await memory.found('Berlin')).toEqual(['user/a'])
      expect(await memory.found('Loom')).toEqual([])
    }
  })
})

describe('a repeated write', () => {
  test('under one idempotency key answers with the first result and writes once', async () => {
    const { set, remove, get, db, events } = await open()
    const first = await set({ key: 'user/a', value: 'one', idempotencyKey: 'k' })
    expect(await set({ key: 'user/a', value: 'one', idempotencyKey: 'k' })).toEqual(first)
    expect(await set({ key: 'user/a', value: 'two', idempotencyKey: 'k' })).toEqual(first)
    expect((await get('user/a'))?.value).toBe('one')
    expect(valueOf(db, sql`select count(*) from versions`)).toBe(1)
    expect(events).toHaveLength(1)
    const gone = await remove('user/a', { idempotencyKey: 'd' })
    await set({ key: 'user/a', value: 'three' })
    expect(await remove('user/a', { idempotencyKey: 'd' })).toEqual(gone)
    expect((await get('user/a'))?.value).toBe('three')
  })

  test('of another user is another write', async () => {
    const { set, get } = await open()
    await set({ key: 'user/a', value: 'hers', idempotencyKey: 'k' })
    await set({ key: 'user/a', value: 'his', idempotencyKey: 'k' }, MALLORY)
    expect((await get('user/a', MALLORY))?.value).toBe('his')
    expect((await get('user/a'))?.value).toBe('hers')
  })

  test('is a write again after seven days', async () => {
    const { set, system, db } = await open()
    await set({ key: 'user/a', value: 'one', idempotencyKey: 'k' })
    system.advance(7 * DAY)
    await set({ key: 'user/b', value: 'other', idempotencyKey: 'other' })
    await set({ key: 'user/a', value: 'two', idempotencyKey: 'k' })
    expect(valueOf(db, sql`select count(*) from versions`)).toBe(3)
  })

  test('that another tab sent on twice is done once', async () => {
    const memory = await open()
    const sent = (value: string, forwarded: string) =>
      memory.call<WriteResult>('memory.set', { key: 'user/a', value }, ALICE, { forwarded })
    const first = await sent('one', 'tab-1')
    expect(await sent('one', 'tab-1')).toEqual(first)
    expect(await memory.history('user/a')).toHaveLength(1)
    expect(await sent('one', 'tab-2')).toMatchObject({ noop: true })
  })

  test('in bulk answers batch by batch with the first results', async () => {
    const { bulk, db } = await open()
    const entries = Array.from({ length: 300 }, (_, i) => ({ key: `n/${i}`, value: `Note number ${i} is here.` }))
    const first = await bulk(entries, { idempotencyKey: 'k' })
    expect(await bulk(entries, { idempotencyKey: 'k' })).toEqual(first)
    expect(valueOf(db, sql`select count(*) from versions`)).toBe(300)
  })
})

describe('a bulk write', () => {
  test('reports what is bad and writes what is good', async () => {
    const { bulk, keys, get } = await open()
    const answer = await bulk([
      { key: 'user/a', value: 'one' },
      { key: '/bad', value: 'two' },
      'no entry at all',
      { key: 'user/b', value: 'three', ifMatchSha256: '0'.repeat(64) },
      { key: 'user/c', value: 'four' },
    ])
    expect(answer).toMatchObject({ written: 2, failed: 3 })
    expect(answer.results.map((result) => (result.ok ? result.key : [result.index, result.code]))).toEqual([
      'user/a',
      [1, 'INVALID_ARGUMENT'],
      [2, 'INVALID_ARGUMENT'],
      [3, 'PRECONDITION_FAILED'],
      'user/c',
    ])
    expect(await keys()).toEqual(['user/a', 'user/c'])
    expect(await get('user/a', MALLORY)).toBeNull()
  })

  test('weighs each entry against those before it', async () => {
    const { bulk, get } = await open()
    const { results } = await bulk([
      { key: 'user/a', value: 'Alice lives in Berlin.' },
      { key: 'user/b', value: 'Alice lives in Berlin.' },
      { key: 'user/a', value: 'Alice lives in Berlin.' },
      { key: 'user/a', value: 'Alice lives in Munich.' },
    ])
    expect(results.map((result) => result.ok && result.verdict)).toEqual(['clear', 'merge', 'merge', 'clear'])
    expect((await get('user/a'))?.value).toBe('Alice lives in Munich.')
  })

  test('leaves an audit row for each version and each refused entry', async () => {
    const { bulk, audited } = await open()
    await bulk([
      { key: 'user/a', value: 'one' },
      { key: 'user/a', value: 'one' },
      { key: 'user/b', value: 'x', ifMatchSha256: '0'.repeat(64) },
    ])
    expect((await audited()).map(({ action, outcome }) => [action, outcome])).toEqual([
      ['memory.bulkSet', 'ok'],
      ['memory.bulkSet', 'ok'],
      ['memory.bulkSet', 'PRECONDITION_FAILED'],
    ])
  })

  test('that is aborted says how many were written, and those are', async () => {
    const abort = new AbortController()
    const db = await openTestDb()
    // Between two batches is after the first one is on disk.
    const isWritten = () => Number(valueOf(db, sql`select count(*) from heads`)) > 0
    const memory = await open({ db: { ...db, durable: async () => (isWritten() ? abort.abort() : undefined) } })
    const entries = Array.from({ length: 600 }, (_, i) => ({ key: `n/${i}`, value: `Note number ${i} is here.` }))
    const call = memory.call('memory.bulkSet', { entries }, ALICE, { signal: abort.signal })
    expect(await refusal(call, 'ABORTED')).toEqual({ written: 250 })
    expect(valueOf(db, sql`select count(*) from heads`)).toBe(250)
  })
})
