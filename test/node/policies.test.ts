import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { CalibrationReport } from '../../src/schema/embedder.js'
import type { NamespaceReport } from '../../src/schema/namespaces.js'
import type { MemoryRow } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'
import { dump } from '../support/store.js'

const TABLE = readFileSync(new URL('../../model/static-256.bin', import.meta.url))

/** Memories judged with the embedder that ships, in namespaces that can be registered. */
const openStatic = async () => {
  const memory = await open({ embedder: createStaticEmbedder({ url: '/table', fetch: async () => new Response(TABLE) }) })
  return {
    ...memory,
    register: (input: Fields, scope: ScopePatch = {}) => memory.call<NamespaceReport>('namespaces.register', input, scope),
    settings: (scope: ScopePatch = {}, input: Fields = {}) => memory.call<NamespaceReport>('namespaces.get', input, scope),
    thresholds: (input: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<CalibrationReport>('calibration.get', input, scope),
  }
}

const REYL = 'The invoice contact is Tomas Reyl.'
const ROYLE = 'The invoice contact is Tomas Royle.'
const LOVES = 'Priya loves grapefruit juice.'
const HATES = 'Priya hates grapefruit juice.'

describe('a namespace', () => {
  test('is as the product decides until something is registered', async () => {
    const { settings, set } = await openStatic()
    await set({ key: 'a', value: REYL })
    await set({ key: 'x', value: REYL }, MALLORY)
    expect(await settings()).toEqual({
      org: 'local',
      namespace: 'default',
      defaultConflictPolicy: 'auto_reinforce',
      memories: {},
      registeredAt: null,
      registeredBy: null,
      dryRun: false,
    })
    expect((await settings(ALICE)).memories).toEqual({ active: 1 })
    expect((await settings({ user: '' })).memories).toEqual({})
  })

  test('keeps what is registered, setting by setting, until null takes it away', async () => {
    const { register, settings } = await openStatic()
    await register({ defaultConflictPolicy: 'manual_review', thresholds: { conflict: 0.5 } })
    const after = await register({ thresholds: null, attributes: [{ attribute: 'mascot', cardinality: 'one' }] })
    expect(after).toMatchObject({
      defaultConflictPolicy: 'manual_review',
      attributes: [{ attribute: 'mascot', cardinality: 'one' }],
      registeredBy: 'process:local',
      registeredAt: expect.any(Number),
    })
    expect(after).not.toHaveProperty('thresholds')
    expect(await settings(MALLORY)).toMatchObject({ defaultConflictPolicy: 'manual_review', memories: {} })
    expect(await settings({ namespace: 'other' })).toMatchObject({ defaultConflictPolicy: 'auto_reinforce' })
    expect(await settings({ org: 'other' })).toMatchObject({ defaultConflictPolicy: 'auto_reinforce' })
    expect(await settings({}, { namespace: 'other' })).toMatchObject({ namespace: 'other', registeredAt: null })
  })

  test('is registered by a handle that stands for all of it only', async () => {
    const { register, settings, audited } = await openStatic()
    for (const scope of [ALICE, { user: null }, { session: 's1' }, { user: 'alice', session: 's1' }] as const)
      expect(await refusal(register({ defaultConflictPolicy: 'newest_wins' }, scope), 'FORBIDDEN')).toEqual({
        reason: 'narrow_scope',
      })
    await refusal(register({}, { user: '*' }), 'FORBIDDEN')
    await refusal(register({}, { user: '' }), 'INVALID_ARGUMENT')
    await refusal(register({ namespace: 'b' }, { namespace: 'a' }), 'FORBIDDEN')
    expect(await settings()).toMatchObject({ defaultConflictPolicy: 'auto_reinforce' })
    expect(audited().filter(({ outcome }) => outcome === 'ok')).toEqual([])
    await register({ namespace: 'b', defaultConflictPolicy: 'newest_wins' })
    expect(audited()).toContainEqual(expect.objectContaining({ action: 'namespaces.register', outcome: 'ok' }))
  })

  test('a rehearsal answers as the call would and settles nothing; a repeat answers with the first result', async () => {
    const { register, settings, db } = await openStatic()
    await settings()
    const before = dump(db)
    expect(await register({ defaultConflictPolicy: 'newest_wins', dryRun: true })).toMatchObject({
      defaultConflictPolicy: 'newest_wins',
      dryRun: true,
    })
    expect(dump(db)).toEqual(before)
    const first = await register({ defaultConflictPolicy: 'newest_wins', idempotencyKey: 'k' })
    await register({ defaultConflictPolicy: null })
    expect(await register({ defaultConflictPolicy: 'newest_wins', idempotencyKey: 'k' })).toEqual(first)
    expect(await settings()).toMatchObject({ defaultConflictPolicy: 'auto_reinforce' })
  })

  test('refuses settings that are none', async () => {
    const { register } = await openStatic()
    for (const bad of [
      { defaultConflictPolicy: 'oldest_wins' },
      { thresholds: { conflict: 2 } },
      { thresholds: { conflict: 0.9, duplicate: 0.5 } },
      { types: { semantic: { policy: 'newest_wins' } } },
      { attributes: [{ attribute: 'mascot', cardinality: 'some' }] },
      { retention: 1 },
    ])
      await refusal(register(bad), 'INVALID_ARGUMENT')
  })
})

describe('thresholds', () => {
  test('of a type go before those of the namespace, and those before what was measured', async () => {
    const { register, thresholds, set } = await openStatic()
    const measured = await thresholds()
    expect(measured.source).toBe('measured')
    await register({ thresholds: { conflict: 0.6 }, types: { note: { thresholds: { conflict: 0.2, duplicate: 0.3 } } } })
    expect(await thresholds()).toMatchObject({
      source: 'namespace',
      thresholds: { ...measured.thresholds, conflict: 0.6 },
    })
    expect(await thresholds({ type: 'note' })).toMatchObject({
      source: 'type',
      thresholds: { conflict: 0.2, duplicate: 0.3 },
    })
    expect(await thresholds({}, { namespace: 'other' })).toMatchObject({ source: 'measured' })
    const { explanation } = await set({ key: 'a', value: REYL, type: 'note' })
    expect(explanation.thresholds).toEqual({ conflict: 0.2, duplicate: 0.3 })
  })

  test('decide from when on two statements are about the same thing', async () => {
    const verdictWith = async (conflict: number) => {
      const { register, set } = await openStatic()
      await register({ thresholds: { conflict, duplicate: 1 } })
      await set({ key: 'a', value: LOVES })
      return (await set({ key: 'b', value: HATES })).verdict
    }
    expect(await verdictWith(0.3)).toBe('conflict')
    expect(await verdictWith(1)).toBe('clear')
  })
})

describe('where the newest wins', () => {
  const openNewest = async () => {
    const memory = await openStatic()
    await memory.register({ defaultConflictPolicy: 'newest_wins' })
    return memory
  }

  test('O1: the opposite is current and the first is in history, linked', async () => {
    const { set, get, found } = await openNewest()
    await set({ key: 'taste', value: LOVES })
    const second = await set({ key: 'taste', value: HATES })
    expect(second).toMatchObject({ status: 'active' })
    expect(await get('taste')).toMatchObject({ value: HATES })
    expect(await found('grapefruit')).toEqual(['taste'])
  })

  test('O2: another value of what there is one of retires the one before, and points to it', async () => {
    const { set, keys, call, found } = await openNewest()
    const first = await set({ key: 'a', value: REYL })
    const second = await set({ key: 'b', value: ROYLE })
    expect(second).toMatchObject({
      verdict: 'refines',
      status: 'active',
      peers: [{ key: 'a' }],
      explanation: { rule: 'another_value_newest', policy: 'newest_wins' },
      next: 'a was retired.',
    })
    expect(await call<MemoryRow>('memory.getById', { id: first.id }, ALICE)).toMatchObject({
      status: 'superseded',
      supersededBy: second.id,
      invalidAt: expect.any(Number),
    })
    expect(await keys()).toEqual(['b'])
    expect(await found('Who is the invoice contact?')).toEqual(['b'])
  })

  test('an older truth that is told late does not take the place of a newer one', async () => {
    const { set, get } = await openNewest()
    await set({ key: 'a', value: 'Idris works at Halden.', validAt: '2026-02-01T00:00:00Z' })
    const late = await set({ key: 'b', value: 'Idris works at Borrell.', validAt: '2024-05-01T00:00:00Z' })
    expect(late).toMatchObject({ verdict: 'conflict', explanation: { rule: 'older_value' } })
    expect(await get('a')).toMatchObject({ status: 'conflicted', conflictWith: [late.id] })
  })

  test('what is pinned, locked or shared by others stays', async () => {
    const { set, get, pin, lock } = await openNewest()
    await pin({ key: 'pinned', value: 'The wedding is in Lyon.' })
    await refusal(set({ key: 'other', value: 'The wedding is in Turin.' }), 'PINNED_CONFLICT')
    await set({ key: 'locked', value: REYL })
    await lock('locked', { mode: 'read_only', reason: 'checked' })
    expect(await set({ key: 'b', value: ROYLE })).toMatchObject({ verdict: 'refines', status: 'conflicted' })
    expect(await get('locked')).toMatchObject({ value: REYL, status: 'conflicted' })
    await set({ key: 'shared', value: 'The deadline is on 3 May.' }, {})
    expect(await set({ key: 'mine', value: 'The deadline is on 9 May.' })).toMatchObject({ verdict: 'refines' })
    expect(await get('shared', {})).toMatchObject({ status: 'active' })
  })

  test('the newest of a key retires what other sessions of the user hold under it, and nobody else', async () => {
    const { set, get } = await openNewest()
    const [one, two] = ['s1', 's2'].map((session) => ({ user: 'alice', session }))
    await set({ key: 'theme', value: 'dark' }, one)
    await set({ key: 'theme', value: 'sepia' }, { user: 'mallory', session: 's1' })
    expect(await set({ key: 'theme', value: 'light' }, two)).toMatchObject({
      verdict: 'refines',
      status: 'active',
      explanation: { rule: 'newest_of_key' },
    })
    expect(await get('theme', one)).toBeNull()
    expect(await get('theme', two)).toMatchObject({ value: 'light' })
    expect(await get('theme', { user: 'mallory', session: 's1' })).toMatchObject({ value: 'sepia' })
  })
})

test('where a namespace appends only, nothing is judged and nothing is marked', async () => {
  const { register, set, get, keys } = await openStatic()
  await register({ defaultConflictPolicy: 'append_only' })
  for (const [key, value] of [
    ['a', LOVES],
    ['b', HATES],
    ['c', LOVES],
    ['d', REYL],
    ['e', ROYLE],
  ])
    expect(await set({ key, value })).toMatchObject({
      verdict: 'clear',
      status: 'active',
      peers: [],
      explanation: { rule: 'append_only', policy: 'append_only' },
    })
  expect(await keys()).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(await get('a')).toMatchObject({ reinforcementCount: 1, conflictWith: [] })
})

test('a type may be judged otherwise than its namespace', async () => {
  const { register, set } = await openStatic()
  await register({ types: { log: { conflictPolicy: 'append_only' }, constructor: { conflictPolicy: 'newest_wins' } } })
  await set({ key: 'a', value: LOVES, type: 'log' })
  expect(await set({ key: 'b', value: HATES, type: 'log' })).toMatchObject({ verdict: 'clear' })
  await set({ key: 'c', value: LOVES })
  expect(await set({ key: 'd', value: HATES })).toMatchObject({ verdict: 'conflict' })
  expect((await set({ key: 'e', value: 'x', type: 'toString' })).explanation.policy).toBe('auto_reinforce')
})

describe('an attribute', () => {
  const [HERON, OTTER] = ["The team's mascots are herons.", "The team's mascots are otters."]

  test('that is declared to be one is refined by another value', async () => {
    const { register, set } = await openStatic()
    await register({ attributes: [{ attribute: 'mascot', cardinality: 'one' }] })
    await set({ key: 'a', value: HERON })
    expect(await set({ key: 'b', value: OTTER })).toMatchObject({ verdict: 'refines' })
  })

  test('that is declared to be many is not', async () => {
    const { register, set } = await openStatic()
    await register({ attributes: [{ attribute: 'invoice contact', cardinality: 'many' }] })
    await set({ key: 'a', value: REYL })
    expect((await set({ key: 'b', value: ROYLE })).verdict).not.toBe('refines')
  })

  test('declared in one namespace means nothing in another', async () => {
    const { register, set } = await openStatic()
    await register({ namespace: 'other', attributes: [{ attribute: 'mascot', cardinality: 'one' }] })
    await set({ key: 'a', value: HERON })
    expect((await set({ key: 'b', value: OTTER })).verdict).not.toBe('refines')
  })
})

describe('the same key in two sessions', () => {
  const one = { user: 'alice', session: 's1' }
  const two = { user: 'alice', session: 's2' }

  test('of a named user is a close pair: another value is in conflict, on both sides, and each session reads its own', async () => {
    const { set, get } = await openStatic()
    const first = await set({ key: 'theme', value: 'dark' }, one)
    const second = await set({ key: 'theme', value: 'light' }, two)
    expect(second).toMatchObject({
      verdict: 'conflict',
      status: 'conflicted',
      peers: [{ key: 'theme', id: first.id }],
      explanation: { rule: 'same_key_other_session' },
    })
    expect(await get('theme', one)).toMatchObject({ value: 'dark', status: 'conflicted', conflictWith: [second.id] })
    expect(await get('theme', two)).toMatchObject({ value: 'light', conflictWith: [first.id] })
  })

  test('is freed when one of them says something else that fits, or goes', async () => {
    const { set, get, remove, update } = await openStatic()
    await set({ key: 'theme', value: 'dark' }, one)
    await set({ key: 'theme', value: 'light' }, two)
    await remove('theme', {}, two)
    expect(await get('theme', one)).toMatchObject({ status: 'active', conflictWith: [] })
    await set({ key: 'theme', value: 'light' }, two)
    await update({ key: 'theme', value: 'dark' }, two)
    for (const scope of [one, two]) expect(await get('theme', scope)).toMatchObject({ status: 'active', conflictWith: [] })
  })

  test('with the same value is no conflict, and neither hides the other', async () => {
    const { set, found, get } = await openStatic()
    for (const scope of [one, two])
      expect(await set({ key: 'contact', value: REYL }, scope)).toMatchObject({ verdict: 'clear', status: 'active' })
    for (const scope of [one, two]) {
      expect(await found('invoice contact', {}, scope)).toEqual(['contact'])
      expect(await get('contact', scope)).toMatchObject({ status: 'active' })
    }
  })

  test('of the anonymous user, or of two users, are separate', async () => {
    const { set } = await openStatic()
    for (const [a, b] of [
      [
        { user: null, session: 's1' },
        { user: null, session: 's2' },
      ],
      [
        { user: 'mallory', session: 's1' },
        { user: 'alice', session: 's2' },
      ],
      [{ session: 's1' }, { session: 's2' }],
    ]) {
      await set({ key: 'theme', value: 'dark' }, a)
      expect(await set({ key: 'theme', value: 'light' }, b)).toMatchObject({ verdict: 'clear', status: 'active', peers: [] })
    }
  })
})
