import { describe, expect, test } from 'vitest'
import type { Inspection, PromoteResult, RelatedMemory } from '../../src/schema/bulk.js'
import type { Lineage, Provenance } from '../../src/schema/provenance.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { sql } from '../../worker/store/sql.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'

const SESSION: ScopePatch = { ...ALICE, session: 's1' }
const FROM_SESSION = { to: 'user', from: { session: 's1' } }
const FROM_ALICE = { to: 'global', from: { user: 'alice' } }

const openPromoting = async () => {
  const memory = await open()
  return {
    ...memory,
    promote: (key: string, more: Fields, scope: ScopePatch = ALICE) =>
      memory.call<PromoteResult>('memory.promote', { key, ...more }, scope),
    lineage: (key: string, scope: ScopePatch = ALICE) => memory.call<Lineage | null>('memory.lineage', { key }, scope),
    related: async (key: string, more: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<readonly RelatedMemory[]>('memory.related', { key, ...more }, scope),
    inspect: (key: string, scope: ScopePatch = ALICE) => memory.call<Inspection | null>('memory.inspect', { key }, scope),
    versions: () => memory.db.get<{ n: number }>(sql`select count(*) as n from versions`)?.n,
  }
}

describe('promoting', () => {
  test('from a session says it for the user, and leaves the answer to that', async () => {
    const memory = await openPromoting()
    const said = { key: 'user/name', value: 'Her name is Alice.', tags: ['intro'], validAt: '2025-03', timeZone: 'UTC' }
    const heard = await memory.set({ ...said, sourceTrace: 'chat/1' }, SESSION)
    expect(await memory.get('user/name')).toBeNull()
    const result = await memory.promote('user/name', FROM_SESSION)
    expect(result).toMatchObject({
      key: 'user/name',
      verdict: 'clear',
      status: 'active',
      scope: { user: 'alice' },
      from: { id: heard.id, key: 'user/name', status: 'duplicate', scope: { user: 'alice', session: 's1' } },
    })
    expect(result.id).not.toBe(heard.id)
    expect(await memory.get('user/name')).toMatchObject({
      id: result.id,
      value: said.value,
      tags: ['intro'],
      validAt: Date.UTC(2025, 2),
      validAtPrecision: 'month',
      sourceClass: 'asserted',
      sourceResourceId: heard.id,
      sourceTrace: null,
      tier: 'user',
    })
    expect(await memory.get('user/name', SESSION)).toMatchObject({ status: 'duplicate', duplicateOf: result.id })
    expect(await memory.keys({}, SESSION)).toEqual(['user/name'])
    expect(await memory.found('name', {}, { ...ALICE, session: 's2' })).toEqual(['user/name'])
    const line = await memory.lineage('user/name', SESSION)
    expect(line?.from).toMatchObject([{ id: result.id, why: 'duplicate_of' }])
    expect(memory.events.slice(-2).map(({ id }) => id)).toEqual([result.id, heard.id])
  })

  test('from an agent says it for all agents, and leaves the answer to that', async () => {
    const memory = await openPromoting()
    const agent = (name: string): ScopePatch => ({ ...ALICE, agent: name })
    const value = 'Alice is allergic to hazelnuts.'
    const heard = await memory.set({ key: 'user/allergy', value }, agent('cook'))
    const same = await memory.set({ key: 'diet/nuts', value }, agent('coach'))
    expect(await memory.get('user/allergy', agent('clerk'))).toBeNull()
    const result = await memory.promote('user/allergy', { to: 'user', from: { agent: 'cook' } })
    expect(result).toMatchObject({ verdict: 'clear', scope: { user: 'alice' }, from: { id: heard.id, status: 'duplicate' } })
    expect([heard.id, same.id]).not.toContain(result.id)
    expect(await memory.get('user/allergy', agent('clerk'))).toMatchObject({ id: result.id, value })
    for (const [key, name] of [
      ['user/allergy', 'cook'],
      ['diet/nuts', 'coach'],
    ] as const)
      expect(await memory.get(key, agent(name))).toMatchObject({ status: 'duplicate', duplicateOf: result.id })
    expect(await memory.keys()).toEqual(['user/allergy'])
    await memory.call('memory.delete', { key: 'user/allergy' }, ALICE)
    expect((await memory.get('user/allergy', agent('cook')))?.status).toBe('active')
  })

  test('from an agent keeps to the tier, and refuses what another agent has pinned', async () => {
    const memory = await openPromoting()
    const value = 'The session is about a lost parcel.'
    await memory.set({ key: 'topic', value }, { ...SESSION, agent: 'a' })
    expect(await memory.promote('topic', { to: 'session', from: { agent: 'a' } }, SESSION)).toMatchObject({
      scope: { user: 'alice', session: 's1' },
    })
    await refusal(memory.promote('topic', { to: 'session', from: { session: 's1' } }, SESSION), 'INVALID_ARGUMENT')
    await memory.set({ key: 'x', value: 'Parcels are kept for ten days.' }, { ...ALICE, agent: 'a' })
    await memory.pin({ key: 'y', value: 'Parcels are kept for ten days.' }, { ...ALICE, agent: 'b' })
    const before = memory.versions()
    await refusal(memory.promote('x', { to: 'user', from: { agent: 'a' } }), 'PINNED_CONFLICT')
    await refusal(memory.promote('x', { to: 'user', from: { agent: 'c' } }), 'NOT_FOUND')
    await refusal(memory.promote('x', { to: 'user', from: { agent: 'a' } }, { ...ALICE, agent: 'b' }), 'FORBIDDEN')
    expect(memory.versions()).toBe(before)
  })

  test('from a user says it for all, and tells them nothing else of that user', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'office/wifi', value: 'The guest network is called Heron.' })
    const result = await memory.promote('office/wifi', FROM_ALICE, {})
    expect(await memory.get('office/wifi', MALLORY)).toMatchObject({ id: result.id, tier: 'global' })
    const seen = await memory.lineage('office/wifi', MALLORY)
    expect(seen).toMatchObject({ from: [], into: [] })
    expect(await memory.get(result.from.id, MALLORY)).toBeNull()
    expect(await memory.get('office/wifi')).toMatchObject({ duplicateOf: result.id })
  })

  test('speaks for itself again once the wider memory says something else or goes', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'a', value: 'The kettle is blue.' }, SESSION)
    await memory.promote('a', FROM_SESSION)
    await memory.remove('a')
    expect(await memory.get('a', SESSION)).toMatchObject({ status: 'active', duplicateOf: null })
  })

  test('is judged there: a restatement is counted, another value revises, a contradiction is marked, a pin refuses', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'tea', value: 'Alice likes green tea in the morning.' }, SESSION)
    await memory.set({ key: 'tea/too', value: 'alice likes green tea in the morning!!' })
    const merged = await memory.promote('tea', FROM_SESSION)
    expect(merged).toMatchObject({ verdict: 'merge', mergedIntoKey: 'tea/too' })
    expect(await memory.get('tea', SESSION)).toMatchObject({ duplicateOf: merged.id })
    await refusal(memory.promote('tea', FROM_SESSION), 'PRECONDITION_FAILED')
    await memory.set({ key: 'juice', value: 'Priya hates grapefruit juice.' }, SESSION)
    await memory.set({ key: 'taste', value: 'Priya loves grapefruit juice.' })
    expect(await memory.promote('juice', FROM_SESSION)).toMatchObject({ verdict: 'conflict', status: 'conflicted' })
    await memory.set({ key: 'city', value: 'Alice lives in Oslo.' }, SESSION)
    await memory.pin({ key: 'city', value: 'Alice lives in Berlin.' })
    const before = memory.versions()
    await refusal(memory.promote('city', FROM_SESSION), 'PINNED_CONFLICT')
    expect(memory.versions()).toBe(before)
    expect(await memory.get('city', SESSION)).toMatchObject({ value: 'Alice lives in Oslo.', duplicateOf: null })
  })

  test('frees those that stood against it, and hands over what stood as its duplicate', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'a', value: 'Priya loves grapefruit juice.' }, SESSION)
    await memory.set({ key: 'b', value: 'Priya hates grapefruit juice.' }, SESSION)
    const result = await memory.promote('a', FROM_SESSION)
    expect(await memory.get('b', SESSION)).toMatchObject({ status: 'active', conflictWith: [] })
    await memory.set({ key: 'c', value: 'The office has a cat.' }, SESSION)
    const again = await memory.set({ key: 'd', value: 'the office has a cat' }, { ...SESSION, run: 'r' })
    expect(again.status).toBe('duplicate')
    const cat = await memory.promote('c', FROM_SESSION)
    expect(await memory.get('d', SESSION)).toMatchObject({ duplicateOf: cat.id })
    expect(result.from.status).toBe('duplicate')
  })

  test('trusts it no more than before', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'page', value: 'The kettle costs 30 euros.', sourceClass: 'external' }, SESSION)
    await memory.promote('page', FROM_SESSION, { ...ALICE, actor: 'human:ada' })
    const found = await memory.call<Provenance>('memory.provenance', { key: 'page' }, ALICE)
    expect(found).toMatchObject({ sourceClass: 'external', trust: 'external', usable: false, verification: 'none' })
  })

  test('is done by a handle of the wider tier only, from where it may narrow to', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'a', value: 'The kettle is blue.' }, SESSION)
    await memory.set({ key: 'm', value: 'Mallory likes plums.' }, MALLORY)
    await refusal(memory.promote('a', FROM_SESSION, SESSION), 'FORBIDDEN')
    await refusal(memory.promote('a', FROM_SESSION, {}), 'FORBIDDEN')
    await refusal(memory.promote('a', { to: 'global', from: { session: 's1' } }), 'FORBIDDEN')
    await refusal(memory.promote('m', { to: 'user', from: { user: 'mallory', session: 's1' } }), 'FORBIDDEN')
    await refusal(memory.promote('a', { to: 'user', from: { user: 'alice' } }), 'INVALID_ARGUMENT')
    await refusal(memory.promote('a', { to: 'user', from: { session: '*' } }), 'INVALID_ARGUMENT')
    await refusal(memory.promote('a', { to: 'user', from: {} }), 'INVALID_ARGUMENT')
    await refusal(memory.promote('nothing', FROM_SESSION), 'NOT_FOUND')
    await refusal(memory.promote('a', { to: 'user', from: { session: 's2' } }), 'NOT_FOUND')
    await refusal(memory.promote('m', FROM_SESSION), 'NOT_FOUND')
    expect(memory.audited().at(-1)).toMatchObject({ action: 'memory.promote', outcome: 'NOT_FOUND' })
    expect(await memory.keys()).toEqual([])
  })

  test('leaves alone what is locked, pinned, on trial, or too sensitive for all', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'a', value: 'The kettle is blue.' }, SESSION)
    await memory.lock('a', { mode: 'no_delete', reason: 'x' }, SESSION)
    await refusal(memory.promote('a', FROM_SESSION), 'LOCKED')
    await memory.pin({ key: 'b', value: 'Lunch is at noon.' }, SESSION)
    await refusal(memory.promote('b', FROM_SESSION), 'PINNED_CONFLICT')
    await memory.set({ key: 'b', value: 'Lunch is at one.', onPinned: 'propose' }, SESSION)
    await refusal(memory.promote('b~2', FROM_SESSION), 'PRECONDITION_FAILED')
    await memory.set({ key: 'safe', value: 'The safe opens with 4711.', sensitivity: 'high' })
    await refusal(memory.promote('safe', FROM_ALICE, {}), 'FORBIDDEN')
    expect(await memory.get('safe', {})).toBeNull()
  })

  test('holds what is promoted against the blacklist of the wider scope, which may have come later', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'a', value: 'The falcon project starts in May.' }, SESSION)
    await memory.forbid({ pattern: 'falcon', patternType: 'substring' })
    await refusal(memory.promote('a', FROM_SESSION), 'BLACKLISTED')
    expect(await memory.get('a', SESSION)).toMatchObject({ status: 'active' })
  })

  test('is rehearsed without a trace, and repeated with its first answer', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'a', value: 'The kettle is blue.' }, SESSION)
    const before = [memory.versions(), memory.audited().length]
    expect(await memory.promote('a', { ...FROM_SESSION, dryRun: true })).toMatchObject({ dryRun: true, verdict: 'clear' })
    expect([memory.versions(), memory.audited().length]).toEqual(before)
    expect(await memory.get('a')).toBeNull()
    const first = await memory.promote('a', { ...FROM_SESSION, idempotencyKey: 'once' })
    expect(await memory.promote('a', { ...FROM_SESSION, idempotencyKey: 'once' })).toEqual(first)
  })
})

describe('what is related', () => {
  test('is told with why: contradictions first, then repeats, sources, what is near and what names the same', async () => {
    const memory = await openPromoting()
    const plum = await memory.set({ key: 'plum', value: 'Priya loves plum juice.', entities: ['Priya'] })
    await memory.set({ key: 'against', value: 'Priya hates plum juice.' })
    await memory.set({ key: 'made', value: 'Order six bottles.', sourceResourceId: plum.id })
    await memory.set({ key: 'same', value: 'Her desk is by the window.', entities: ['PRIYA'] })
    await memory.set({ key: 'apart', value: 'The gate is locked at night.' })
    await memory.set({ key: 'near', value: 'Priya loves pear juice.' })
    const related = await memory.related('plum')
    const why = Object.fromEntries(related.map(({ row, why: reasons }) => [row.key, reasons]))
    expect(related[0]?.row.key).toBe('against')
    expect(why).toMatchObject({
      against: expect.arrayContaining(['conflict', 'vector']),
      made: ['lineage'],
      same: ['entities'],
      near: ['vector'],
    })
    expect(why).not.toHaveProperty('apart')
    expect(related.find(({ row }) => row.key === 'same')).toMatchObject({ shared: ['PRIYA'], similarity: null })
    expect(related.find(({ row }) => row.key === 'near')?.similarity).toBeGreaterThan(0.3)
    expect(await memory.related('plum', { limit: 2 })).toEqual(related.slice(0, 2))
  })

  test('is never another user’s, nor what is deleted, ended or highly sensitive', async () => {
    const memory = await openPromoting()
    const plum = await memory.set({ key: 'plum', value: 'Priya loves plum juice.', entities: ['Priya'] })
    const like = { value: 'Priya loves plum juice, too.', entities: ['Priya'], sourceResourceId: plum.id }
    await memory.set({ key: 'hers', ...like }, MALLORY)
    await memory.set({ key: 'gone', ...like })
    await memory.remove('gone')
    await memory.set({ key: 'ended', value: 'Priya likes plum jam.', entities: ['Priya'], ttlSeconds: 1 })
    await memory.set({ key: 'secret', value: 'Priya hides plum juice.', entities: ['Priya'], sensitivity: 'high' })
    memory.system.advance(2_000)
    expect(await memory.related('plum')).toEqual([])
    expect(await memory.related('nothing')).toEqual([])
    expect(await memory.related('plum', {}, MALLORY)).toEqual([])
    expect(await memory.related('secret')).toEqual([])
  })

  test('is found by vectors that were gathered into blocks as by single ones', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'plum', value: 'Priya loves plum juice.' })
    await memory.set({ key: 'near', value: 'Priya loves pear juice.' })
    const before = await memory.related('plum')
    for (let start = 0; start < 4_200; start += 2_100)
      await memory.bulk(
        Array.from({ length: 2_100 }, (_, i) => ({ key: `n/${start + i}`, value: start + i })),
        {},
        { ...ALICE, namespace: 'n' },
      )
    expect(memory.db.get(sql`select count(*) as n from vector_blocks`)).toEqual({ n: 1 })
    expect(await memory.related('plum')).toEqual(before)
    expect(before.map(({ row }) => row.key)).toEqual(['near'])
  }, 60_000)
})

describe('an inspection', () => {
  test('tells everything that is stored of a memory', async () => {
    const memory = await openPromoting()
    const { id } = await memory.set({ key: 'a', value: 'The kettle is blue.' })
    await memory.set({ key: 'a', value: 'The kettle is red.' })
    const again = await memory.set({ key: 'b', value: 'the kettle is red' }, { ...ALICE, run: 'r' })
    const made = await memory.set({ key: 'c', value: 'Buy a lid for it.', sourceResourceId: id })
    await memory.lock('a', { mode: 'no_delete', reason: 'kept' })
    await memory.call('memory.outcome', { key: 'a', outcome: 'helped' }, ALICE)
    await memory.found('kettle')
    await memory.settled()
    const found = await memory.inspect('a')
    expect(found).toMatchObject({
      row: { id, value: 'The kettle is red.', lockReason: 'kept' },
      versions: 3,
      passages: 1,
      vectors: [{ passages: 1 }],
      duplicates: [again.id],
      derived: [made.id],
      usage: { helped: expect.closeTo(1, 5), harmed: 0, uses: 1 },
      recalls: 1,
      locked: true,
      unjudged: false,
      audited: 4,
      scope: { user: 'alice' },
    })
    expect(found?.recalledAt).toBeGreaterThan(0)
  })

  test('of nothing, or of what another user has, is null; of what was deleted it has what is left', async () => {
    const memory = await openPromoting()
    expect(await memory.inspect('a')).toBeNull()
    await memory.set({ key: 'a', value: 'The kettle is blue.' })
    expect(await memory.inspect('a', MALLORY)).toBeNull()
    await memory.remove('a')
    expect(await memory.inspect('a')).toMatchObject({ row: { status: 'tombstoned' }, versions: 2, passages: 0 })
  })

  test('of what is highly sensitive leaves a trace', async () => {
    const memory = await openPromoting()
    await memory.set({ key: 'safe', value: 'The safe opens with 4711.', sensitivity: 'high' })
    expect(await memory.inspect('safe')).toMatchObject({ passages: 0, row: { sensitivity: 'high' } })
    expect(memory.audited().at(-1)).toMatchObject({ action: 'memory.inspect', outcome: 'ok' })
  })
})
