import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ConsolidateResult } from '../../src/schema/consolidation.js'
import type { Provenance } from '../../src/schema/provenance.js'
import type { DeleteResult, MemoryRow } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { sql } from '../../worker/store/sql.js'
import { createTestSystem } from '../support/engine.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'

const KEY = 'consolidated/nora/semantic/process'

const openMerging = async (options: Parameters<typeof open>[0] = {}) => {
  const memory = await open(options)
  return {
    ...memory,
    merge: (more: Fields = {}, scope: ScopePatch = ALICE) =>
      memory.call<ConsolidateResult>('memory.consolidate', { subject: 'Nora', ...more }, scope),
    versions: () => memory.db.get<{ n: number }>(sql`select count(*) as n from versions`)?.n,
    newest: async (key: string) =>
      (await memory.call<readonly MemoryRow[]>('memory.history', { key }, ALICE))[0] as MemoryRow,
  }
}

const FACTS = {
  'nora/garden': 'Nora grows dahlias behind the chapel.',
  'nora/choir': 'Nora sings alto in the harbour choir.',
  'nora/boat': 'Nora repaired an old rowing boat last spring.',
}

const tell = async (memory: Awaited<ReturnType<typeof openMerging>>, scope: ScopePatch = ALICE) => {
  for (const [key, value] of Object.entries(FACTS)) await memory.set({ key, value }, scope)
}

describe('consolidating', () => {
  test('merges what is said of a subject, names the sources and leaves them as they are', async () => {
    const memory = await openMerging()
    await tell(memory)
    await memory.set({ key: 'nora/again', value: 'In the harbour choir Nora sings alto.', entities: ['Nora'] })
    await memory.set({ key: 'otto', value: 'Otto keeps bees on the roof.' })
    const before = memory.versions()
    const plan = await memory.merge({ dryRun: true })
    expect(plan).toMatchObject({
      subject: 'nora',
      dryRun: true,
      rows: [{ key: KEY, id: null, action: 'create', trust: 'process' }],
    })
    expect(memory.versions()).toBe(before)
    const done = await memory.merge()
    expect(done.rows).toMatchObject([{ key: KEY, action: 'create', value: plan.rows[0]?.value }])
    const row = (await memory.get(KEY)) as MemoryRow
    expect(row).toMatchObject({ type: 'summary', sourceClass: 'derived', status: 'active', entities: ['nora'] })
    for (const said of Object.values(FACTS)) expect(row.value).toContain(said)
    expect(row.value).not.toContain('Otto')
    expect(row.sourceResourceId?.split(' ')).toEqual(done.rows[0]?.sources.map(({ id }) => id))
    expect(await memory.keys({ keyPrefix: 'nora/' })).toContain('nora/garden')
    expect(await memory.call<Provenance>('memory.provenance', { key: KEY }, ALICE)).toMatchObject({
      trust: 'inferred',
      usable: true,
    })
    expect(await memory.found('dahlias behind the chapel')).toContain('nora/garden')
  })

  test('twice changes nothing', async () => {
    const memory = await openMerging()
    await tell(memory)
    await memory.merge()
    const before = memory.versions()
    expect((await memory.merge()).rows).toMatchObject([{ key: KEY, action: 'keep' }])
    await memory.settled()
    expect(memory.versions()).toBe(before)
  })

  test('leaves out what excludes another, what is external, and what says nothing by itself', async () => {
    const memory = await openMerging()
    await tell(memory)
    await memory.set({ key: 'nora/home', value: 'Nora lives in Bergen.', validAt: '2020-01-01T00:00:00Z' })
    await memory.set({ key: 'nora/flat', value: 'Nora lives in Tromsø.', validAt: '2019-01-01T00:00:00Z' })
    await memory.set({
      key: 'nora/web',
      value: 'Nora sells lottery tickets online.',
      sourceClass: 'external',
      origin: 'https://x.example',
    })
    const web = await memory.get('nora/web')
    await memory.set({
      key: 'nora/from-web',
      value: 'Nora earns well with lottery tickets.',
      sourceClass: 'derived',
      sourceResourceId: web?.id,
    })
    await memory.set({ key: 'nora/shoe', value: 39, entities: ['nora'] })
    await memory.set({ key: 'nora/pin', value: 'The PIN of Nora is 4711.', entities: ['Nora'] })
    const { rows, left } = await memory.merge()
    expect(Object.fromEntries(left.map(({ key, why }) => [key, why]))).toEqual({
      'nora/home': expect.stringMatching(/^conflicted|contradicted$/) as string,
      'nora/flat': expect.stringMatching(/^conflicted|contradicted$/) as string,
      'nora/web': 'external',
      'nora/from-web': 'external',
      'nora/shoe': 'no_statement',
    })
    expect(rows).toHaveLength(1)
    expect(rows[0]?.value?.split('\n')).toEqual(Object.values(FACTS))
  })

  test('never merges across users, trust or type', async () => {
    const memory = await openMerging()
    await tell(memory)
    await tell(memory, MALLORY)
    const person = { ...ALICE, actor: 'human:alice' }
    await memory.set({ key: 'nora/cat', value: 'Nora adopted a grey cat.' }, person)
    await memory.set({ key: 'nora/dog', value: 'Nora is afraid of large dogs.' }, person)
    await memory.set({ key: 'nora/tea', value: 'Nora drinks her tea without milk.', type: 'preference' })
    const { rows, left } = await memory.merge()
    expect(rows.map(({ key }) => key)).toEqual(['consolidated/nora/semantic/human', KEY])
    expect(left).toMatchObject([{ key: 'nora/tea', why: 'alone' }])
    expect(await memory.get(KEY, MALLORY)).toBeNull()
    const ids = new Set((await memory.call<{ rows: MemoryRow[] }>('memory.list', {}, ALICE)).rows.map(({ id }) => id))
    for (const { sources } of rows) for (const { id } of sources) expect(ids.has(id)).toBe(true)
  })

  test('leaves what somebody has taken, pinned or locked', async () => {
    const memory = await openMerging()
    await tell(memory)
    await memory.set({ key: KEY, value: 'My own words about Nora.' })
    expect((await memory.merge()).rows).toMatchObject([{ action: 'leave', why: 'taken' }])
    await memory.remove(KEY)
    await memory.merge()
    await memory.lock(KEY, { mode: 'no_delete', reason: 'shown to a visitor' })
    await memory.set({ key: 'nora/bike', value: 'Nora cycles to the harbour.' })
    expect((await memory.merge()).rows).toMatchObject([{ action: 'leave', why: 'locked' }])
    for (const key of Object.keys(FACTS)) await memory.remove(key)
    await memory.settled()
    expect(await memory.newest(KEY)).toMatchObject({ status: 'active' })
  })

  test('divides what one memory cannot name, and ends with the first source that ends', async () => {
    const memory = await openMerging()
    await memory.bulk(
      Array.from({ length: 19 }, (_, i) => ({
        key: `nora/n${i}`,
        value: `${'abcdefghijklmnopqrs'[i]}${'aeiou'[i % 5]}zem is what Nora calls boat number ${i + 1}.`,
        entities: ['Nora'],
        ...(i === 0 ? { ttlSeconds: 60 } : {}),
      })),
    )
    const { rows } = await memory.merge()
    const merged = rows.flatMap(({ sources }) => sources)
    expect(rows.map(({ action }) => action)).toEqual(rows.map(() => 'create'))
    for (const { sources } of rows) expect(sources.length).toBeGreaterThan(1)
    expect(new Set(merged.map(({ id }) => id)).size).toBe(merged.length)
    memory.system.advance(120_000)
    const [first] = rows
    if (merged.some(({ key }) => key === 'nora/n0')) expect(await memory.get(first?.key ?? '')).toBeNull()
  })

  test('refuses bad input and can be stopped', async () => {
    const memory = await openMerging()
    await tell(memory)
    for (const input of [{ subject: '' }, { subject: '!?' }, { subject: 7 }, { subject: 'a', more: 1 }])
      await refusal(memory.merge(input), 'INVALID_ARGUMENT')
    await refusal(memory.merge({}, { user: '*' }), 'FORBIDDEN')
    const aborting = new AbortController()
    aborting.abort()
    await expect(
      memory.call('memory.consolidate', { subject: 'Nora' }, ALICE, { signal: aborting.signal }),
    ).rejects.toBeDefined()
    expect(await memory.get(KEY)).toBeNull()
  })
})

describe('what was merged', () => {
  test('is in doubt without one source, gone without all, and heals', async () => {
    const memory = await openMerging()
    await tell(memory)
    await memory.merge()
    const row = await memory.get(KEY)
    const [garden = '', choir = '', boat = ''] = Object.keys(FACTS)
    const remove = (key: string) => memory.remove(key) as Promise<DeleteResult>
    expect(await remove(garden)).toMatchObject({ tombstoned: 1, dependentsTombstoned: 0, dependentsDowngraded: 1 })
    expect(await memory.get(KEY)).toMatchObject({ status: 'conflicted', conflictWith: [] })
    expect(await remove(choir)).toMatchObject({ dependentsTombstoned: 0, dependentsDowngraded: 0 })
    expect(await remove(boat)).toMatchObject({ dependentsTombstoned: 1, dependentsDowngraded: 0 })
    expect(await memory.get(KEY)).toBeNull()
    await memory.restore(choir)
    await memory.settled()
    expect(await memory.get(KEY)).toMatchObject({ id: row?.id, status: 'conflicted' })
    await memory.restore(garden)
    await memory.restore(boat)
    await memory.settled()
    expect(await memory.get(KEY)).toMatchObject({ id: row?.id, status: 'active', statusReason: null, value: row?.value })
    expect(await memory.found('harbour choir alto', { type: 'summary' })).toEqual([KEY])
  })

  test('is in doubt when a source says something else, and says it with the next run', async () => {
    const memory = await openMerging()
    await tell(memory)
    await memory.merge()
    await memory.set({ key: 'nora/garden', value: 'Nora gave up the dahlias and plants leeks.' })
    await memory.settled()
    expect(await memory.get(KEY)).toMatchObject({ status: 'conflicted' })
    expect((await memory.merge()).rows).toMatchObject([{ action: 'revise' }])
    expect(await memory.get(KEY)).toMatchObject({ status: 'active' })
    await memory.remove('nora/garden')
    await memory.remove('nora/choir')
    expect((await memory.merge()).rows).toMatchObject([{ key: KEY, action: 'retire', value: null }])
    expect(await memory.get(KEY)).toBeNull()
  })

  test('stays as somebody has changed it', async () => {
    const memory = await openMerging()
    await tell(memory)
    await memory.merge()
    await memory.update({ key: KEY, value: 'Nora is a gardener, singer and boat builder.' })
    for (const key of Object.keys(FACTS)) await memory.remove(key)
    await memory.settled()
    expect(await memory.get(KEY)).toMatchObject({ status: 'active' })
  })

  test('is scrubbed with the source it repeats', async () => {
    const memory = await openMerging()
    await tell(memory)
    await memory.merge()
    const source = await memory.get('nora/boat')
    await memory.call('memory.redact', { key: 'nora/boat', version: source?.version, reason: 'asked for' }, ALICE)
    await memory.settled()
    expect(memory.db.all(sql`select 1 from versions where instr(body, 'rowing boat') > 0`)).toEqual([])
    expect(await memory.get(KEY)).toBeNull()
    await memory.merge()
    expect((await memory.get(KEY))?.value).toBe([FACTS['nora/garden'], FACTS['nora/choir']].join('\n'))
  })
})

test('sources that go and come back in any order end in the same state, and merging is the same each time', async () => {
  const keys = Object.keys(FACTS)
  const act = fc.record({
    key: fc.constantFrom(...keys),
    do: fc.constantFrom('delete' as const, 'restore' as const, 'settle' as const),
  })
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(keys, { minLength: 3 }), fc.array(act, { maxLength: 10 }), async (order, acts) => {
      const memory = await openMerging()
      let at = 0
      for (const key of order) {
        const validAt = new Date(Date.UTC(2025, 0, 1 + keys.indexOf(key))).toISOString()
        await memory.set({ key, value: FACTS[key as keyof typeof FACTS], validAt })
        at++
      }
      expect(at).toBe(3)
      await memory.merge()
      expect((await memory.get(KEY))?.value).toBe(Object.values(FACTS).join('\n'))
      const live = new Set(keys)
      for (const one of acts) {
        if (one.do === 'settle') await memory.settled()
        else if (one.do === 'delete') {
          await memory.remove(one.key)
          live.delete(one.key)
        } else if (!live.has(one.key)) {
          await memory.restore(one.key)
          live.add(one.key)
        }
      }
      await memory.settled()
      const expected = live.size === 3 ? 'active' : live.size === 0 ? 'tombstoned' : 'conflicted'
      expect((await memory.newest(KEY)).status).toBe(expected)
      const versions = memory.versions()
      await memory.settled()
      expect(memory.versions()).toBe(versions)
    }),
    { numRuns: process.env['LONG'] === undefined ? 15 : 300 },
  )
})

test('a restored archive knows what its merged memories stand on', async () => {
  const memory = await openMerging()
  await tell(memory)
  await memory.merge()
  const archive = await memory.call<Blob>('memory.export', {}, {})
  const other = await openMerging({ system: createTestSystem(Date.UTC(2026, 0, 2), 99) })
  await other.call('memory.import', { archive }, {})
  expect((await other.merge()).rows).toMatchObject([{ action: 'keep' }])
  for (const key of Object.keys(FACTS)) await other.remove(key)
  expect(await other.newest(KEY)).toMatchObject({ status: 'tombstoned' })
})
