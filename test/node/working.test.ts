import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergePatch } from '../../src/domain/neighbours/merge-patch.js'
import type { ProfileResult, ProfileRow } from '../../src/schema/neighbours/profile.js'
import type { LeaseResult, WorkingRow } from '../../src/schema/neighbours/working.js'
import type { JsonValue } from '../../src/schema/scalars.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'

const openWork = async () => {
  const memory = await open()
  return {
    ...memory,
    put: (name: string, value: unknown, more: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<WorkingRow>('working.set', { name, value, ...more }, scope),
    patch: (name: string, patch: unknown, more: Fields = {}) =>
      memory.call<WorkingRow>('working.patch', { name, patch, ...more }, ALICE),
    read: (name: string, scope: ScopePatch = ALICE) => memory.call<WorkingRow | null>('working.get', { name }, scope),
    acquire: (lease: string, more: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<LeaseResult>('working.acquire', { lease, ...more }, scope),
    renew: (lease: string, token: number, more: Fields = {}) =>
      memory.call<LeaseResult>('working.renew', { lease, token, ...more }, ALICE),
    release: (lease: string, token: number) => memory.call<LeaseResult>('working.release', { lease, token }, ALICE),
  }
}

describe('merge patches', () => {
  test.each<[JsonValue, JsonValue, JsonValue]>([
    // The examples of RFC 7396, appendix A.
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result)
  })

  test('patching twice with the same changes nothing more', () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatch(target, patch)
        expect(mergePatch(once, patch)).toEqual(once)
      }),
    )
  })
})

describe('working values', () => {
  test('are replaced, patched and kept in history', async () => {
    const { put, patch, read, history } = await openWork()
    const first = await put('plan', { step: 1, of: 4 })
    await patch('plan', { step: 2, note: 'halfway' })
    expect(await read('plan')).toMatchObject({ name: 'plan', value: { step: 2, of: 4, note: 'halfway' }, expiresAt: null })
    expect(await history(first.key)).toHaveLength(2)
    expect((await patch('fresh', { a: 1 })).value).toEqual({ a: 1 })
  })

  test('compare and set: one of two who read the same wins', async () => {
    const { put, read } = await openWork()
    const { contentSha256 } = await put('cursor', 1, { ifMatchSha256: null })
    const [one, other] = await Promise.allSettled([
      put('cursor', 2, { ifMatchSha256: contentSha256 }),
      put('cursor', 3, { ifMatchSha256: contentSha256 }),
    ])
    expect([one.status, other.status]).toEqual(['fulfilled', 'rejected'])
    expect((await read('cursor'))?.value).toBe(2)
    const { currentSha256 } = await refusal(put('cursor', 1, { ifMatchSha256: null }), 'PRECONDITION_FAILED')
    expect(currentSha256).toBe((await read('cursor'))?.contentSha256)
  })

  test('leave at their end, and count as gone from then', async () => {
    const { put, patch, read, system } = await openWork()
    await put('draft', { a: 1 }, { ttlSeconds: 60 })
    expect((await patch('draft', { b: 2 })).expiresAt).not.toBeNull()
    system.advance(61_000)
    expect(await read('draft')).toBeNull()
    expect((await put('draft', { c: 3 }, { ifMatchSha256: null })).value).toEqual({ c: 3 })
    expect((await put('draft', { c: 3 })).expiresAt).toBeNull()
  })

  test('keep to locks, to the blacklist and to their size, and a refusal leaves its trace', async () => {
    const { put, patch, read, lock, forbid, audited } = await openWork()
    const { key } = await put('plan', { step: 1 })
    await lock(key, { mode: 'read_only', reason: 'frozen' })
    await refusal(put('plan', { step: 2 }), 'LOCKED')
    await forbid({ pattern: 'falcon', patternType: 'substring' })
    await refusal(put('other', 'Falcon'), 'BLACKLISTED')
    expect(audited().map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['LOCKED', 'BLACKLISTED']))
    await put('large', { a: 'x'.repeat(150_000) })
    await refusal(patch('large', { b: 'x'.repeat(150_000) }), 'INVALID_ARGUMENT')
    expect(Object.keys((await read('large'))?.value as object)).toEqual(['a'])
  })

  test('go, and come back by their key', async () => {
    const { put, read, call, restore } = await openWork()
    const { key } = await put('plan', 1)
    expect(await call('working.delete', { name: 'plan' }, MALLORY)).toMatchObject({ found: false })
    expect(await call('working.delete', { name: 'plan' }, ALICE)).toMatchObject({ found: true })
    expect(await read('plan')).toBeNull()
    await restore(key)
    expect((await read('plan'))?.value).toBe(1)
  })

  test('are read by the nearest tier and listed by name, page by page', async () => {
    const { put, read, call } = await openWork()
    await put('b', 'for all', {}, {})
    await put('b', 'hers')
    await put('a', 1)
    expect((await read('b'))?.value).toBe('hers')
    expect((await read('b', MALLORY))?.value).toBe('for all')
    const first = await call<ProfileResult>('working.list', { limit: 2 }, ALICE)
    const rest = await call<ProfileResult>('working.list', { limit: 2, cursor: first.nextCursor }, ALICE)
    expect([...first.rows, ...rest.rows].map(({ value }) => value)).toEqual([1, 'for all', 'hers'])
    expect(rest.nextCursor).toBeNull()
  })
})

describe('leases', () => {
  test('are held by one, handed on when they are given back or end, under a token that rises', async () => {
    const { acquire, renew, release, system } = await openWork()
    const first = await acquire('job', { ttlSeconds: 10, holder: 'tab 1' })
    expect(first).toMatchObject({ held: true, token: 1, remainingMs: 10_000, holder: 'tab 1' })
    const other = await acquire('job', { holder: 'tab 2' })
    expect(other).toMatchObject({ held: false, token: null, holder: 'tab 1' })
    expect(other.remainingMs).toBeLessThan(10_000)
    expect(await renew('job', 1, { ttlSeconds: 20 })).toMatchObject({ held: true, token: 1, remainingMs: 20_000 })
    expect(await release('job', 1)).toMatchObject({ held: false, remainingMs: 0, holder: null })
    expect(await acquire('job')).toMatchObject({ held: true, token: 2 })
    system.advance(31_000)
    expect(await acquire('job')).toMatchObject({ held: true, token: 3 })
    expect(await renew('job', 2)).toMatchObject({ held: false })
    expect(await release('job', 2)).toMatchObject({ held: false })
    expect(await acquire('job')).toMatchObject({ held: false })
  })

  test('are given to their holder again, under a new token', async () => {
    const { acquire, renew } = await openWork()
    await acquire('job', { holder: 'tab 1' })
    expect(await acquire('job', { holder: 'tab 1' })).toMatchObject({ held: true, token: 2 })
    expect(await renew('job', 1)).toMatchObject({ held: false })
  })

  test('a clock that was set back neither ends one early nor keeps it for good', async () => {
    const { acquire, system } = await openWork()
    await acquire('job', { ttlSeconds: 60 })
    system.advance(-3_600_000)
    expect(await acquire('job')).toMatchObject({ held: false })
    system.advance(59_000)
    expect(await acquire('job')).toMatchObject({ held: false })
    system.advance(2_000)
    expect(await acquire('job')).toMatchObject({ held: true, token: 2 })
  })

  test('who has lost one can no longer write under it', async () => {
    const { acquire, put, release, read } = await openWork()
    const stale = { lease: 'job', token: 1 }
    await refusal(put('done', 0, { fence: stale }), 'PRECONDITION_FAILED')
    await acquire('job')
    await put('done', 1, { fence: stale })
    await release('job', 1)
    await refusal(put('done', 2, { fence: stale }), 'PRECONDITION_FAILED')
    await acquire('job')
    await refusal(put('done', 3, { fence: stale }), 'PRECONDITION_FAILED')
    expect((await read('done'))?.value).toBe(1)
  })

  test('are of a scope, and a repeated request is granted once', async () => {
    const { acquire, call } = await openWork()
    expect(await acquire('job')).toMatchObject({ held: true })
    expect(await acquire('job', {}, MALLORY)).toMatchObject({ held: true, token: 1 })
    const sent = () => call('working.acquire', { lease: 'sent' }, ALICE, { forwarded: 'x1' })
    expect(await sent()).toEqual(await sent())
  })

  test('no two hold one at a time, whatever the interleaving, also while the clock is set back', async () => {
    const actor = fc.nat(2)
    const move = fc.oneof(
      fc.record({ kind: fc.constant('acquire' as const), actor, ttl: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ kind: fc.constantFrom('renew' as const, 'release' as const), actor, ttl: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ kind: fc.constant('wait' as const), actor, ttl: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ kind: fc.constant('setBack' as const), actor, ttl: fc.integer({ min: 1, max: 40 }) }),
    )
    const { acquire, renew, release, system } = await openWork()
    let name = 0
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 14 }), async (moves) => {
        const lease = `lease ${++name}`
        // Each holder counts by a clock that is never set.
        let real = 0
        const believed = new Map<number, { token: number; until: number }>()
        let highest = 0
        for (const { kind, actor, ttl } of moves) {
          const own = believed.get(actor)
          if (kind === 'wait') {
            system.advance(ttl * 1_000)
            real += ttl * 1_000
          } else if (kind === 'setBack') system.advance(-ttl * 1_000)
          else if (kind === 'release') {
            if (own !== undefined) await release(lease, own.token)
            believed.delete(actor)
          } else {
            const answer =
              kind === 'acquire'
                ? await acquire(lease, { ttlSeconds: ttl, holder: `actor ${actor}` })
                : own && (await renew(lease, own.token, { ttlSeconds: ttl }))
            if (answer?.held === true) {
              if (kind === 'acquire') expect(answer.token).toBeGreaterThan(highest)
              highest = Math.max(highest, answer.token ?? 0)
              believed.set(actor, { token: answer.token ?? 0, until: real + answer.remainingMs })
            } else if (kind === 'renew') believed.delete(actor)
          }
          expect([...believed.values()].filter(({ until }) => until > real).length).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: process.env['LONG'] === '1' ? 2_000 : 150 },
    )
  })
})

describe('profile', () => {
  test('stands under its label, in no search and no list of memories', async () => {
    const { call, history, keys, found } = await openWork()
    const set = (value: unknown, more: Fields = {}) =>
      call<ProfileRow>('profile.set', { label: 'tone', value, ...more }, ALICE)
    const { key, contentSha256 } = await set('Short sentences.')
    expect(await set('Short sentences.')).toMatchObject({
      version: (await call<ProfileRow>('profile.get', { label: 'tone' }, ALICE)).version,
    })
    await set('Long sentences.', { ifMatchSha256: contentSha256 })
    await refusal(set('Verse.', { ifMatchSha256: contentSha256 }), 'PRECONDITION_FAILED')
    expect(await call('profile.get', { label: 'tone' }, ALICE)).toMatchObject({ label: 'tone', value: 'Long sentences.' })
    expect(await history(key)).toHaveLength(2)
    expect(await keys()).toEqual([])
    expect(await found('sentences')).toEqual([])
    expect(await call('profile.delete', { label: 'tone' }, ALICE)).toMatchObject({ found: true })
    expect(await call('profile.get', { label: 'tone' }, ALICE)).toBeNull()
  })
})
