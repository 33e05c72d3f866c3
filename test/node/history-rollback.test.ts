import { expect, test } from 'vitest'
import { createTestSystem, openTestDb } from '../support/engine.js'
import { ALICE, DAY, MALLORY, refusal } from '../support/engine-calls.js'
import { iso, openHistory } from '../support/history.js'

/** Thousands of memories are written first. */
const SLOW = 60_000

const entries = (count: number, say: string) =>
  Array.from({ length: count }, (_, i) => ({ key: `n/${i}`, value: `${say} ${i}`, type: 'episodic' }))

test('everything of the scope returns to what it was, by new versions, and the rollback can be taken back', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'kept', value: 'The gate is green.', tags: ['garden'] })
  await memory.set({ key: 'gone', value: 'The roof leaks.' })
  const then = await memory.served()
  const to = memory.system.now()
  await memory.update({ key: 'kept', value: 'The gate is red.', tags: [] })
  await memory.remove('gone')
  await memory.set({ key: 'new', value: 'The lawn is long.' })
  const now = await memory.served()

  const plan = await memory.rollback(to, { dryRun: true })
  expect(plan.rows.map(({ key, action }) => [key, action])).toEqual([
    ['kept', 'revert'],
    ['gone', 'restore'],
    ['new', 'tombstone'],
  ])
  expect(await memory.served()).toEqual(now)

  const done = await memory.rollback(to)
  expect(done).toMatchObject({ rows: plan.rows, counts: plan.counts, batch: expect.stringMatching(/^[0-9a-f]{16}\.\d+$/) })
  expect(await memory.served()).toEqual(then)
  expect(await memory.found('leaks')).toEqual(['gone'])
  expect((await memory.rollback(to)).counts).toEqual({ restore: 0, revert: 0, tombstone: 0, keep: 0 })

  expect((await memory.undo({ batch: done.batch })).counts).toMatchObject({ revert: 1, restore: 1, tombstone: 1 })
  expect(await memory.served()).toEqual(now)
  expect(await memory.verify()).toMatchObject({ ok: true })
})

test('what is locked or pinned now stays and is told; an expired lock does not hold', async () => {
  const memory = await openHistory()
  const to = memory.system.now()
  for (const key of ['pinned', 'read', 'delete', 'expired']) await memory.set({ key, value: `About ${key}.` })
  await memory.pin({ key: 'pinned', value: 'About pinned.' })
  await memory.lock('read', { mode: 'read_only', reason: 'final' })
  await memory.lock('delete', { mode: 'no_delete', reason: 'final' })
  await memory.lock('expired', { mode: 'read_only', reason: 'for now', ttlSeconds: 1 })
  memory.system.advance(2_000)
  const { rows, counts } = await memory.rollback(to)
  expect(counts).toMatchObject({ tombstone: 1, keep: 3 })
  expect(rows.map(({ key, reason }) => [key, reason])).toEqual([
    ['pinned', 'pinned'],
    ['read', 'locked'],
    ['delete', 'locked'],
    ['expired', null],
  ])
})

test('other scopes, wider and narrower ones and other users, are not touched', async () => {
  const memory = await openHistory()
  const to = memory.system.now()
  const scopes = [{}, ALICE, MALLORY, { ...ALICE, session: 's' }, { ...ALICE, agent: 'a' }, { ...ALICE, namespace: 'n' }]
  for (const [i, scope] of scopes.entries()) await memory.set({ key: `k${i}`, value: i }, scope)
  expect((await memory.rollback(to)).rows.map(({ key }) => key)).toEqual(['k1'])
  for (const [i, scope] of scopes.entries())
    expect(await memory.get(`k${i}`, scope)).toEqual(i === 1 ? null : expect.objectContaining({ status: 'active' }))
  expect((await memory.rollback(to, { namespace: 'n' })).rows.map(({ key }) => key)).toEqual(['k5'])
  await refusal(memory.rollback(to, { namespace: 'n' }, { ...ALICE, namespace: 'm' }), 'FORBIDDEN')
  await refusal(memory.rollback(to, {}, { user: '*' }), 'FORBIDDEN')
})

test('a highly sensitive memory goes back without being named', async () => {
  const memory = await openHistory()
  const to = memory.system.now()
  await memory.set({ key: 'pin', value: '4711', sensitivity: 'high' })
  const { rows } = await memory.rollback(to)
  expect(rows).toMatchObject([{ key: null, action: 'tombstone', from: { contentSha256: null } }])
})

test('a rollback past a redaction leaves what was scrubbed gone', async () => {
  const memory = await openHistory()
  const { version } = await memory.set({ key: 'a', value: 'My number is 555-0199.' })
  const to = memory.system.now()
  await memory.update({ key: 'a', value: 'My number is secret.' })
  await memory.redact('a', version)
  const { rows } = await memory.rollback(to)
  expect(rows).toMatchObject([{ key: 'a', action: 'keep', reason: 'redacted', to: null }])
  expect(await memory.get('a')).toMatchObject({ value: 'My number is secret.' })
  expect(JSON.stringify(await memory.history('a'))).not.toContain('0199')
})

test('a clock that was set back a year is taken as it stood', async () => {
  const memory = await openHistory()
  await memory.set({ key: 'a', value: 'The gate is green.' })
  memory.system.advance(-365 * DAY)
  await memory.update({ key: 'a', value: 'The gate is red.' })
  const then = await memory.served()
  const to = memory.system.now()
  memory.system.advance(DAY)
  await memory.update({ key: 'a', value: 'The gate is blue.' })
  await memory.rollback(to)
  expect(await memory.served()).toEqual(then)
  expect(await memory.verify()).toMatchObject({ ok: true })
  const { events } = await memory.timeline({ key: 'a' })
  expect(events.map(({ after }) => after)).toEqual([
    'The gate is green.',
    'The gate is red.',
    'The gate is blue.',
    'The gate is red.',
  ])
})

test(
  'two rollbacks at once come one after the other, and the later one finds nothing to do',
  async () => {
    const memory = await openHistory()
    await memory.bulk(entries(2_100, 'old'))
    const to = memory.system.now()
    await memory.bulk(entries(2_100, 'new'))
    const [one, two] = await Promise.all([memory.rollback(to), memory.rollback(to, {}, { ...ALICE, run: 'other' })])
    expect(one?.counts).toMatchObject({ revert: 2_100, keep: 0 })
    expect(two?.counts).toMatchObject({ revert: 0, keep: 0 })
    expect(await memory.get('n/2099')).toMatchObject({ value: 'old 2099' })
    expect(await memory.history('n/7')).toHaveLength(3)
  },
  SLOW,
)

test(
  'a rollback that was cut off between two steps is finished at the next opening',
  async () => {
    const db = await openTestDb()
    const system = createTestSystem()
    const first = await openHistory({ db, system })
    await first.bulk(entries(2_100, 'old'))
    const to = system.now()
    await first.bulk(entries(2_100, 'new'))
    const steps = { left: 100 }
    // The worker is ended: nothing of it runs any more, and nobody hears of it.
    const cut: typeof db = {
      ...db,
      transaction: (work) =>
        db.transaction(() => {
          const value = work()
          if (steps.left-- <= 0) throw new Error('ended')
          return value
        }),
    }
    const doomed = await openHistory({ db: cut, system, deviceIdOutside: first.engine.deviceId })
    steps.left = 1
    await expect(doomed.rollback(to)).rejects.toThrow('ended')
    expect(db.all({ text: 'select * from going_back', values: [] })).toHaveLength(2_100)

    const second = await openHistory({ db, system, deviceIdOutside: first.engine.deviceId })
    await second.settled()
    const rows = await Promise.all([0, 1_999, 2_000, 2_099].map((i) => second.get(`n/${i}`)))
    expect(rows.map((row) => row?.value)).toEqual(['old 0', 'old 1999', 'old 2000', 'old 2099'])
    expect(db.all({ text: 'select * from going_back', values: [] })).toEqual([])
    expect(await second.verify()).toMatchObject({ ok: true, versions: 6_300 })
    // All of it is one write, the steps before and after.
    expect((await second.undo({ lastN: 1 })).counts).toMatchObject({ revert: 2_100, keep: 0 })
  },
  SLOW,
)

test(
  'an abort between two steps says how many were done; the same call again does the rest',
  async () => {
    const progress: number[] = []
    const abort = new AbortController()
    const memory = await openHistory({
      progress: ({ phase, loaded }) => {
        if (phase !== 'rollback') return
        progress.push(loaded)
        abort.abort()
      },
    })
    await memory.bulk(entries(2_100, 'old'))
    const to = memory.system.now()
    await memory.bulk(entries(2_100, 'new'))
    const input = { to: iso(to), dryRun: false, idempotencyKey: 'back' }
    const call = memory.call('namespaces.rollback', input, ALICE, { signal: abort.signal })
    expect(await refusal(call, 'ABORTED')).toEqual({ written: 2_000 })
    expect(progress).toEqual([2_000])
    expect(await memory.get('n/2099')).toMatchObject({ value: 'new 2099' })
    expect(await memory.rollback(to, { idempotencyKey: 'back' })).toMatchObject({ counts: { revert: 100, keep: 0 } })
    expect(await memory.get('n/2099')).toMatchObject({ value: 'old 2099' })
  },
  SLOW,
)

test(
  'what somebody writes between two steps stays',
  async () => {
    const memory = await openHistory()
    await memory.bulk(entries(2_100, 'old'))
    const to = memory.system.now()
    await memory.bulk(entries(2_100, 'new'))
    const rolling = memory.rollback(to)
    let wrote: Promise<unknown> | null = null
    // As soon as the first step is done.
    while (wrote === null) {
      if ((await memory.get('n/0'))?.value === 'old 0') wrote = memory.update({ key: 'n/2099', value: 'written meanwhile' })
      await new Promise((resume) => setTimeout(resume, 0))
    }
    await Promise.all([rolling, wrote])
    expect((await memory.get('n/2099'))?.value).toBe('written meanwhile')
    expect((await memory.get('n/2098'))?.value).toBe('old 2098')
  },
  SLOW,
)
