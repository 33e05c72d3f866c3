import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { PairQuestion } from '../../src/protocol/judging.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'
import type { PairJudge } from '../../worker/ports.js'
import { createTestSystem, openTestDb } from '../support/engine.js'
import { ALICE, type Fields, moody, open, refusal } from '../support/engine-calls.js'

const TABLE = readFileSync(new URL('../../model/static-256.bin', import.meta.url))

const staticEmbedder = () => createStaticEmbedder({ url: '/table', fetch: async () => new Response(TABLE) })

const openStatic = async (options: Parameters<typeof open>[0] = {}) => {
  const memory = await open({ embedder: staticEmbedder(), ...options })
  return {
    ...memory,
    register: (input: Fields, scope: ScopePatch = {}) => memory.call('namespaces.register', input, scope),
    actions: () =>
      memory
        .audited()
        .map(({ action }) => String(action))
        .filter((action) => action.startsWith('resolver.')),
  }
}

/** Answers every question alike, and keeps what it was asked. */
const judgeThat = (...opinions: (Awaited<ReturnType<PairJudge['ask']>>['opinion'] | Error)[]) => {
  const asked: PairQuestion[] = []
  const ask: PairJudge['ask'] = async (question) => {
    const opinion = opinions[Math.min(asked.length, opinions.length - 1)] ?? 'unsure'
    asked.push(question)
    if (opinion instanceof Error) throw opinion
    return { opinion, reason: 'as I read it' }
  }
  return { ask, asked }
}

const REYL = 'The invoice contact is Tomas Reyl.'
const ROYLE = 'The invoice contact is Tomas Royle.'
const LOVES = 'Priya loves grapefruit juice.'
const HATES = 'Priya hates grapefruit juice.'

describe('an update of what there is one of', () => {
  test('O2: retires the older value once all is settled, with its reason, and can be taken back', async () => {
    const { set, get, getById, settled, found, history, call, actions, restore } = await openStatic()
    const first = await set({ key: 'a', value: REYL })
    const second = await set({ key: 'b', value: ROYLE })
    expect(second).toMatchObject({ verdict: 'refines', status: 'conflicted' })
    await settled()
    expect(await get('a')).toBeNull()
    expect(await get('b')).toMatchObject({ status: 'active', conflictWith: [] })
    expect(await getById(first.id)).toMatchObject({
      status: 'superseded',
      supersededBy: second.id,
      statusReason: expect.stringContaining('newer_value: invoice contact was tomas reyl, now tomas royle'),
      actor: 'process:resolver',
    })
    expect(await found('Who is the invoice contact?')).toEqual(['b'])
    expect((await history('a')).map(({ status }) => status)).toEqual(['superseded', 'conflicted', 'active'])
    expect(actions()).toEqual(['resolver.retire', 'resolver.retire'])
    await restore('a')
    expect(await get('a')).toMatchObject({ status: 'active', supersededBy: null })
    expect(await call('memory.settled')).toBeNull()
    expect(await get('a')).toMatchObject({ status: 'active' })
  })

  test('O8: told late, the older truth gives way to the one that holds later, in any order', async () => {
    const halden = { key: 'a', value: 'Idris works at Halden.', validAt: '2026-02-01T00:00:00Z' }
    const borrell = { key: 'b', value: 'Idris works at Borrell.', validAt: '2024-05-01T00:00:00Z' }
    for (const order of [
      [halden, borrell],
      [borrell, halden],
    ]) {
      const { set, get, settled, keys } = await openStatic()
      for (const one of order) await set(one)
      await settled()
      expect(await get('a')).toMatchObject({ status: 'active', conflictWith: [] })
      expect(await keys({ includeSuperseded: true })).toEqual(['a', 'b'])
      expect(await keys()).toEqual(['a'])
    }
  })

  test('said again later holds again: the other one is the older', async () => {
    const { set, settled, keys } = await openStatic()
    await set({ key: 'a', value: REYL })
    await set({ key: 'b', value: ROYLE })
    await set({ key: 'a', value: REYL })
    await settled()
    expect(await keys()).toEqual(['a'])
  })

  test('is left to people under manual review, and where the older is pinned or locked', async () => {
    for (const keep of ['manual', 'lock'] as const) {
      const { register, set, lock, settled, get, keys } = await openStatic()
      if (keep === 'manual') await register({ defaultConflictPolicy: 'manual_review' })
      await set({ key: 'a', value: REYL })
      if (keep === 'lock') await lock('a', { mode: 'no_delete', reason: 'checked' })
      await set({ key: 'b', value: ROYLE })
      await settled()
      expect(await keys()).toEqual(['a', 'b'])
      expect(await get('a')).toMatchObject({ status: 'conflicted' })
    }
  })

  test('of what others read leaves theirs as it is', async () => {
    const { set, settled, get } = await openStatic()
    await set({ key: 'a', value: REYL }, {})
    await set({ key: 'b', value: ROYLE })
    await settled()
    expect(await get('a', {})).toMatchObject({ value: REYL, status: 'active' })
    expect(await get('b')).toMatchObject({ value: ROYLE, status: 'conflicted' })
  })

  test('three values in a row leave the newest', async () => {
    const { set, settled, keys, get } = await openStatic()
    for (const [key, name] of [
      ['a', 'Reyl'],
      ['b', 'Royle'],
      ['c', 'Rudd'],
    ])
      await set({ key, value: `The invoice contact is Tomas ${name}.` })
    await settled()
    expect(await keys()).toEqual(['c'])
    expect(await get('c')).toMatchObject({ status: 'active', conflictWith: [] })
  })
})

describe('what no rule is sure of', () => {
  test('stays as it is where nobody can be asked', async () => {
    const { set, settled, get, actions } = await openStatic()
    await set({ key: 'a', value: LOVES })
    await set({ key: 'b', value: HATES })
    await settled()
    for (const key of ['a', 'b']) expect(await get(key)).toMatchObject({ status: 'conflicted' })
    expect(actions()).toEqual([])
  })

  test('is asked about once, and what is answered is a version with its reason', async () => {
    const pairJudge = judgeThat('replaces')
    const { set, settled, get, getById } = await openStatic({ pairJudge })
    const first = await set({ key: 'a', value: LOVES })
    await set({ key: 'b', value: HATES })
    await settled()
    expect(pairJudge.asked).toMatchObject([
      { earlier: { key: 'a', value: LOVES }, later: { key: 'b', value: HATES }, because: expect.any(String) },
    ])
    expect(await get('b')).toMatchObject({ status: 'active' })
    expect(await getById(first.id)).toMatchObject({
      status: 'superseded',
      statusReason: 'judged_replaces: as I read it',
    })
  })

  test('that is found compatible is marked no more', async () => {
    const { set, settled, get } = await openStatic({ pairJudge: judgeThat('compatible') })
    await set({ key: 'a', value: LOVES })
    await set({ key: 'b', value: HATES })
    await settled()
    for (const key of ['a', 'b'])
      expect(await get(key)).toMatchObject({
        status: 'active',
        conflictWith: [],
        statusReason: 'judged_compatible: as I read it',
      })
  })

  test('stays in conflict on another answer, and is not asked about again until one of them says something else', async () => {
    const db = await openTestDb()
    const first = judgeThat('contradicts')
    const memory = await openStatic({ db, pairJudge: first })
    await memory.set({ key: 'a', value: LOVES })
    await memory.set({ key: 'b', value: HATES })
    await memory.settled()
    expect(await memory.get('a')).toMatchObject({ status: 'conflicted' })
    await memory.settled()
    expect(first.asked).toHaveLength(1)
    const second = judgeThat('contradicts')
    const system = createTestSystem(Date.UTC(2026, 1, 1), 7)
    const again = await openStatic({ db, pairJudge: second, system })
    await again.set({ key: 'c', value: 'The sky was clear.' })
    await again.settled()
    expect(second.asked).toHaveLength(0)
    await again.set({ key: 'b', value: 'Priya detests grapefruit juice.' })
    await again.settled()
    expect(second.asked.length).toBeLessThanOrEqual(1)
  })

  test('is left when whoever was asked fails, and asked about by the next opening', async () => {
    const db = await openTestDb()
    const failing = judgeThat(new Error('down'))
    const memory = await openStatic({ db, pairJudge: failing })
    await memory.set({ key: 'a', value: LOVES })
    await memory.set({ key: 'b', value: HATES })
    await memory.settled()
    expect(await memory.get('a')).toMatchObject({ status: 'conflicted' })
    const back = judgeThat('compatible')
    const again = await openStatic({ db, pairJudge: back, system: createTestSystem(Date.UTC(2026, 1, 1), 7) })
    await again.set({ key: 'c', value: 'The sky was clear.' })
    await again.settled()
    expect(back.asked).toHaveLength(1)
    expect(await again.get('a')).toMatchObject({ status: 'active' })
  })

  test('is not decided by a word that comes too late', async () => {
    let update = async (): Promise<void> => undefined
    const pairJudge: PairJudge = {
      ask: async () => {
        await update()
        return { opinion: 'replaces', reason: 'slow' }
      },
    }
    const memory = await openStatic({ pairJudge })
    await memory.set({ key: 'a', value: LOVES })
    await memory.set({ key: 'b', value: HATES })
    update = async () => {
      update = async () => undefined
      await memory.update({ key: 'a', value: 'Priya has never tasted grapefruit juice.' })
    }
    await memory.settled()
    expect(await memory.get('a')).toMatchObject({ value: 'Priya has never tasted grapefruit juice.' })
  })
})

describe('a mark that nothing speaks for', () => {
  test('is taken off when what it stood against is gone for others', async () => {
    const { set, remove, settled, get } = await openStatic()
    await set({ key: 'a', value: LOVES }, {})
    await set({ key: 'b', value: HATES })
    expect(await get('b')).toMatchObject({ status: 'conflicted' })
    await remove('a', {}, {})
    await set({ key: 'c', value: 'Priya has a dog.' })
    await settled()
    expect(await get('b')).toMatchObject({ status: 'active', conflictWith: [] })
  })

  test('stays between two sessions that hold one key', async () => {
    const { set, settled, get } = await openStatic()
    const [one, two] = ['s1', 's2'].map((session) => ({ ...ALICE, session }))
    await set({ key: 'theme', value: 'dark' }, one)
    await set({ key: 'theme', value: 'light' }, two)
    await settled()
    for (const scope of [one, two]) expect(await get('theme', scope)).toMatchObject({ status: 'conflicted' })
  })
})

describe('what was stored while it could not be judged', () => {
  test('is judged when the embedder is back: a repeat is a duplicate, a contradiction is marked', async () => {
    const embedder = moody(0)
    const { set, settled, get, found, history } = await open({ embedder })
    await set({ key: 'a', value: 'Alice likes green tea.' })
    await set({ key: 'b', value: 'The office is closed on Monday.' })
    embedder.fail(2)
    expect(await set({ key: 'c', value: 'Alice likes green tea!', onEmbedFailure: 'queue' })).toMatchObject({
      verdict: 'merge',
    })
    embedder.fail(1)
    const queued = await set({ key: 'd', value: 'The office is open on Monday.', onEmbedFailure: 'queue' })
    expect(queued).toMatchObject({ status: 'active', degraded: ['unjudged', 'unembedded'] })
    await settled()
    expect(await get('d')).toMatchObject({ status: 'conflicted', actor: 'process:resolver' })
    expect(await get('b')).toMatchObject({ status: 'conflicted' })
    expect(await found('green tea')).toEqual(['a'])
    expect((await history('d')).length).toBe(2)
  })

  test('is judged once: another value under the key is judged by its own write', async () => {
    const embedder = moody(0)
    const { set, settled, get } = await open({ embedder })
    await set({ key: 'b', value: 'The office is closed on Monday.' })
    embedder.fail(1)
    await set({ key: 'd', value: 'The office is open on Monday.', onEmbedFailure: 'queue' })
    await set({ key: 'd', value: 'The canteen has soup.' })
    await settled()
    for (const key of ['b', 'd']) expect(await get(key)).toMatchObject({ status: 'active' })
  })

  test('and stands against what is pinned is a proposal from then on', async () => {
    const embedder = moody(0)
    const { set, pin, settled, get, call, getById } = await open({ embedder })
    const pinned = await pin({ key: 'b', value: 'The office is closed on Monday.' })
    embedder.fail(1)
    const queued = await set({ key: 'd', value: 'The office is open on Monday.', onEmbedFailure: 'queue' })
    await settled()
    expect(await get('b')).toMatchObject({ status: 'active', pinned: true })
    expect(await getById(queued.id)).toMatchObject({ status: 'proposed', conflictWith: [pinned.id] })
    await call('proposals.decide', { id: queued.id, action: 'reject' }, ALICE)
    await refusal(call('proposals.decide', { id: queued.id, action: 'reject' }, ALICE), 'NOT_FOUND')
  })
})
