import { describe, expect, test } from 'vitest'
import type { ProgressEvent } from '../../src/protocol/events.js'
import type { ApplyResult } from '../../src/schema/bulk.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { sql } from '../../worker/store/sql.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'

const openMany = async (options: Parameters<typeof open>[0] = {}) => {
  const memory = await open(options)
  return {
    ...memory,
    apply: (input: Fields, scope: ScopePatch = ALICE, more: { forwarded?: string; signal?: AbortSignal } = {}) =>
      memory.call<ApplyResult>('memory.apply', input, scope, more),
    versions: () => memory.db.get<{ n: number }>(sql`select count(*) as n from versions`)?.n,
  }
}

/** Four memories about a trip: one pinned, one locked; and others that are none of its business. */
const openTrip = async () => {
  const memory = await openMany()
  await memory.set({ key: 'trip/hotel', value: 'The hotel is near the harbour.' })
  await memory.set({ key: 'trip/train', value: 'The train leaves at noon.', tags: ['Rail'] })
  await memory.pin({ key: 'trip/passport', value: 'The passport is in the blue folder.' })
  await memory.set({ key: 'trip/visa', value: 'The visa was granted in May.' })
  await memory.lock('trip/visa', { mode: 'no_delete', reason: 'needed at the border' })
  await memory.set({ key: 'trip/code', value: 'The locker opens with 4711.', sensitivity: 'high' })
  await memory.set({ key: 'home/city', value: 'Alice lives in Berlin.' })
  await memory.set({ key: 'trip/hers', value: 'Mallory travels by boat.' }, MALLORY)
  await memory.set({ key: 'trip/all', value: 'The office pays for trips.' }, {})
  return memory
}

const TRIP = { keyPrefix: 'trip/' }

describe('a preview', () => {
  test('says what would be done, to which, and what would be left alone and why; and does nothing', async () => {
    const memory = await openTrip()
    const before = [memory.versions(), memory.audited().length]
    memory.events.length = 0
    const result = await memory.apply({ filter: TRIP, action: 'delete' })
    expect(result).toMatchObject({
      action: 'delete',
      dryRun: true,
      matched: 4,
      changed: 2,
      unchanged: 0,
      gone: 0,
      kept: { locked: 1, pinned: 1, full: 0, sensitive: 1 },
    })
    expect(result.rows.map(({ key, status }) => [key, status])).toEqual([
      ['trip/hotel', 'active'],
      ['trip/train', 'active'],
    ])
    expect(result.left.map(({ key, why }) => [key, why])).toEqual([
      ['trip/passport', 'pinned'],
      ['trip/visa', 'locked'],
    ])
    expect([memory.versions(), memory.audited().length]).toEqual(before)
    expect(memory.events).toEqual([])
    expect(await memory.keys(TRIP)).toEqual(['trip/all', 'trip/hotel', 'trip/passport', 'trip/train', 'trip/visa'])
    expect(await memory.found('harbour')).toContain('trip/hotel')
  })

  test('promises what is done then', async () => {
    const memory = await openTrip()
    const promised = await memory.apply({ filter: TRIP, action: 'delete' })
    const done = await memory.apply({ filter: TRIP, action: 'delete', dryRun: false })
    expect(done).toEqual({ ...promised, dryRun: false })
    expect(await memory.apply({ filter: TRIP, action: 'delete', dryRun: false })).toMatchObject({ matched: 2, changed: 0 })
  })
})

describe('applying', () => {
  test('deletes, so that it can be restored, and leaves the rest and other scopes', async () => {
    const memory = await openTrip()
    await memory.apply({ filter: TRIP, action: 'delete', dryRun: false })
    expect(await memory.keys()).toEqual(['home/city', 'trip/all', 'trip/passport', 'trip/visa'])
    expect(await memory.keys({}, MALLORY)).toEqual(['trip/all', 'trip/hers'])
    expect(await memory.get('trip/code')).toMatchObject({ status: 'active' })
    expect(await memory.found('harbour')).not.toContain('trip/hotel')
    expect(memory.events.slice(-2).map(({ key }) => key)).toEqual(['trip/hotel', 'trip/train'])
    const acts = memory.audited().filter(({ action }) => action === 'memory.apply.delete')
    expect(acts.map(({ outcome }) => outcome)).toEqual(['ok', 'ok'])
    await memory.restore('trip/hotel')
    expect(await memory.get('trip/hotel')).toMatchObject({ status: 'active' })
  })

  test('ends at a time, now unless one is given', async () => {
    const memory = await openTrip()
    const expiresAt = new Date(memory.system.now() + 60_000).toISOString()
    const filter = { ...TRIP, tags: ['Rail'] }
    expect(await memory.apply({ filter, action: 'expire', expiresAt, dryRun: false })).toMatchObject({ changed: 1 })
    expect(await memory.get('trip/train')).toMatchObject({ expiresAt: Date.parse(expiresAt) })
    expect(await memory.apply({ filter, action: 'expire', expiresAt, dryRun: false })).toMatchObject({ unchanged: 1 })
    await memory.apply({ filter: TRIP, action: 'expire', dryRun: false })
    expect(await memory.get('trip/train')).toBeNull()
    expect(await memory.get('trip/visa')).not.toBeNull()
  })

  test('locks, labels and demotes', async () => {
    const memory = await openTrip()
    const lock = { action: 'lock', mode: 'read_only', reason: 'booked', ttlSeconds: 60, dryRun: false }
    expect(await memory.apply({ filter: TRIP, ...lock })).toMatchObject({ changed: 4 })
    expect(await memory.apply({ filter: TRIP, ...lock }, { ...ALICE, actor: 'human:ada' })).toMatchObject({
      changed: 0,
      kept: { locked: 4 },
    })
    await refusal(memory.update({ key: 'trip/hotel', value: 'Elsewhere.' }), 'LOCKED')
    const label = { action: 'label', addTags: ['2026'], removeTags: ['Rail'], dryRun: false }
    await memory.apply({ filter: TRIP, ...label })
    expect(await memory.keys({ tags: ['2026'] })).toEqual(['trip/hotel', 'trip/passport', 'trip/train', 'trip/visa'])
    expect(await memory.get('trip/train')).toMatchObject({ tags: ['2026'] })
    memory.system.advance(61_000)
    expect(await memory.apply({ filter: TRIP, action: 'demote', dryRun: false })).toMatchObject({ changed: 3 })
    expect(await memory.get('trip/hotel')).toMatchObject({ confidence: 0.5 })
    expect(await memory.keys({ ...TRIP, minConfidence: 0.6 })).toEqual(['trip/all', 'trip/passport'])
  })

  test('to both sides of a conflict, and to what answers for others, keeps the chain and what was not asked for', async () => {
    const memory = await openMany()
    await memory.set({ key: 'x/a', value: 'Priya loves grapefruit juice.' })
    await memory.set({ key: 'x/b', value: 'Priya hates grapefruit juice.' })
    await memory.set({ key: 'y', value: 'The office has a cat.', type: 'note' })
    await memory.set({ key: 'x/c', value: 'the office has a cat', type: 'note' }, { ...ALICE, run: 'r' })
    expect(await memory.get('x/c')).toMatchObject({ status: 'duplicate' })
    const done = await memory.apply({ filter: { keyPrefix: 'x/' }, action: 'delete', dryRun: false })
    expect(done).toMatchObject({ matched: 2, changed: 2 })
    for (const key of ['x/a', 'x/b']) {
      const versions = await memory.history(key)
      expect(versions[0]).toMatchObject({ kind: 'tomb' })
      versions.slice(0, -1).forEach(({ prevSha256 }, i) => expect(prevSha256).toBe(versions[i + 1]?.sha256))
    }
    // It was no match when it was asked for: what it speaks for now is not deleted with the other.
    await memory.apply({ filter: { type: 'note' }, action: 'delete', dryRun: false })
    expect(await memory.get('x/c')).toMatchObject({ status: 'active' })
  })

  test('is answered once under one name, in another tab too', async () => {
    const memory = await openTrip()
    const input = { filter: TRIP, action: 'delete', dryRun: false, idempotencyKey: 'tidy' }
    const first = await memory.apply(input)
    expect(await memory.apply(input)).toEqual(first)
    const sent = { filter: { keyPrefix: 'home/' }, action: 'delete', dryRun: false }
    const once = await memory.apply(sent, ALICE, { forwarded: 'call-1' })
    expect(await memory.apply(sent, ALICE, { forwarded: 'call-1' })).toEqual(once)
    expect(once).toMatchObject({ changed: 1 })
  })

  test('needs a condition, what its action needs and nothing that goes with another, and a scope of its own', async () => {
    const memory = await openTrip()
    const paths = async (input: Fields) =>
      (await refusal(memory.apply(input), 'INVALID_ARGUMENT')).issues.map(({ path }) => path)
    expect(await paths({ filter: {}, action: 'delete' })).toEqual(['filter'])
    expect(await paths({ filter: { keyPrefix: undefined, includeDuplicates: true }, action: 'delete' })).toEqual(['filter'])
    expect(await paths({ filter: TRIP, action: 'lock' })).toEqual(['mode', 'reason'])
    expect(await paths({ filter: TRIP, action: 'label' })).toEqual(['addTags'])
    expect(await paths({ filter: TRIP, action: 'delete', confidence: 0.1 })).toEqual(['confidence'])
    const past = { action: 'lock', mode: 'read_only', reason: 'x', until: '2020-01-01T00:00:00Z' }
    expect(await paths({ filter: TRIP, ...past })).toEqual(['until'])
    await refusal(memory.apply({ filter: TRIP, action: 'delete' }, { user: '*' }), 'FORBIDDEN')
    expect(await memory.apply({ filter: TRIP, action: 'delete' }, { user: 'nobody' })).toMatchObject({ matched: 0 })
  })
})

describe('many memories', () => {
  const openCrowd = async (progress: Parameters<typeof open>[0] = {}) => {
    const memory = await openMany(progress)
    await memory.bulk(Array.from({ length: 600 }, (_, i) => ({ key: `n/${String(i).padStart(3, '0')}`, value: i })))
    return memory
  }

  test('are done batch by batch, with word of how far it is', async () => {
    const heard: Omit<ProgressEvent, 'type'>[] = []
    const memory = await openCrowd({ progress: (made) => void heard.push(made) })
    const done = await memory.apply({ filter: { keyPrefix: 'n/' }, action: 'demote', dryRun: false })
    expect(done).toMatchObject({ matched: 600, changed: 600 })
    expect(done.rows).toHaveLength(20)
    const steps = heard.filter(({ phase }) => phase === 'apply').map(({ loaded, total }) => [loaded, total])
    expect(steps).toEqual([
      [250, 600],
      [500, 600],
      [600, 600],
    ])
  })

  test('that are stopped in between say how many were done, and go on when it is asked for again', async () => {
    const abort = new AbortController()
    const memory = await openCrowd({
      progress: ({ phase, loaded }) => {
        if (phase === 'apply' && loaded === 500) abort.abort()
      },
    })
    const input = { filter: { keyPrefix: 'n/' }, action: 'delete', dryRun: false, idempotencyKey: 'all' }
    const details = await refusal(memory.apply(input, ALICE, { signal: abort.signal }), 'ABORTED')
    expect(details).toEqual({ written: 500 })
    expect(await memory.keys({ limit: 1000 })).toHaveLength(100)
    expect(await memory.apply(input)).toMatchObject({ matched: 100, changed: 100 })
    expect(await memory.keys()).toEqual([])
  })

  test('leave alone what others change meanwhile', async () => {
    let meddle: (() => void) | null = null
    const memory = await openCrowd({
      progress: ({ phase, loaded }) => {
        if (phase === 'apply' && loaded === 250) meddle?.()
      },
    })
    const meddling: Promise<unknown>[] = []
    meddle = () => void meddling.push(memory.update({ key: 'n/599', type: 'kept' }))
    const done = await memory.apply({ filter: { keyPrefix: 'n/', type: 'semantic' }, action: 'delete', dryRun: false })
    await Promise.all(meddling)
    expect(done).toMatchObject({ matched: 600, changed: 599, gone: 1 })
    expect(await memory.keys()).toEqual(['n/599'])
  })
})
