import { describe, expect, test } from 'vitest'
import type { ConflictsResult, ResolveResult } from '../../src/schema/conflicts.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'

const LOVES = 'Priya loves grapefruit juice.'
const HATES = 'Priya hates grapefruit juice.'

const openConflicts = async () => {
  const memory = await open()
  const conflicts = (filter: Fields = {}, scope = ALICE) => memory.call<ConflictsResult>('conflicts.list', filter, scope)
  const resolve = (input: Fields, scope = ALICE) => memory.call<ResolveResult>('conflicts.resolve', input, scope)
  await memory.set({ key: 'a', value: LOVES })
  const { id } = await memory.set({ key: 'b', value: HATES })
  return {
    ...memory,
    conflicts,
    resolve,
    id,
    keysInConflict: async () => (await conflicts()).conflicts.map(({ row }) => row.key),
  }
}

describe('the list of conflicts', () => {
  test('has both sides, newest first, each with the other', async () => {
    const memory = await openConflicts()
    await memory.set({ key: 'c', value: 'The kettle is blue.' })
    const { conflicts, nextCursor } = await memory.conflicts()
    const pairs = conflicts.map((conflict) => [conflict.row.key, conflict.with.map(({ key }) => key)])
    expect(pairs).toEqual([
      ['b', ['a']],
      ['a', ['b']],
    ])
    expect(nextCursor).toBeNull()
  })

  test('comes page by page, and by the beginning of keys', async () => {
    const memory = await openConflicts()
    const { conflicts, nextCursor } = await memory.conflicts({ limit: 1 })
    expect(conflicts).toHaveLength(1)
    expect((await memory.conflicts({ limit: 1, cursor: nextCursor })).conflicts.map(({ row }) => row.key)).toEqual(['a'])
    expect((await memory.conflicts({ keyPrefix: 'b' })).conflicts.map(({ row }) => row.key)).toEqual(['b'])
  })

  test('is empty for another user', async () => {
    const memory = await openConflicts()
    expect((await memory.conflicts({}, MALLORY)).conflicts).toEqual([])
  })
})

describe('a decision', () => {
  test('that one side is right deletes the other, which can be restored', async () => {
    const memory = await openConflicts()
    const result = await memory.resolve({ id: memory.id, action: 'revise' })
    expect(result).toMatchObject({ key: 'b', status: 'active', tombstoned: ['a'], settled: ['b'] })
    expect(await memory.get('b')).toMatchObject({ value: HATES, status: 'active', conflictWith: [] })
    expect(await memory.get('a')).toBeNull()
    expect(await memory.keysInConflict()).toEqual([])
    expect(await memory.restore('a')).toMatchObject({ status: 'active' })
  })

  test('with another value is found by it', async () => {
    const memory = await openConflicts()
    await memory.resolve({ id: memory.id, action: 'revise', value: 'Priya drinks lemonade only.' })
    await memory.settled()
    expect(await memory.get('b')).toMatchObject({ value: 'Priya drinks lemonade only.', status: 'active' })
    expect(await memory.found('lemonade', { legs: ['vector'] })).toEqual(['b'])
    expect((await memory.history('b')).map(({ value }) => value)).toEqual(['Priya drinks lemonade only.', HATES])
  })

  test('that both may stand marks neither any more', async () => {
    const memory = await openConflicts()
    expect(await memory.resolve({ id: memory.id, action: 'allow' })).toMatchObject({ tombstoned: [], settled: ['a', 'b'] })
    for (const key of ['a', 'b']) expect(await memory.get(key)).toMatchObject({ status: 'active', conflictWith: [] })
  })

  test('that this one goes leaves the other by itself', async () => {
    const memory = await openConflicts()
    expect(await memory.resolve({ id: memory.id, action: 'contract' })).toMatchObject({
      status: 'tombstoned',
      tombstoned: ['b'],
      settled: ['a'],
    })
    expect(await memory.get('a')).toMatchObject({ status: 'active' })
    expect(await memory.get('b')).toBeNull()
  })

  test('of three leaves the other two as they are, when one is withdrawn', async () => {
    const memory = await open()
    const ids: string[] = []
    for (const [i, euros] of [500, 600, 700].entries())
      ids.push((await memory.set({ key: `d/${i}`, value: `The deposit is ${euros} euros.` })).id)
    await memory.call('conflicts.resolve', { id: ids[2], action: 'contract' }, ALICE)
    expect(await memory.get('d/0')).toMatchObject({ status: 'conflicted', conflictWith: [ids[1]] })
    expect(await memory.get('d/1')).toMatchObject({ status: 'conflicted', conflictWith: [ids[0]] })
  })

  test('is rehearsed without a trace, and repeated with its first answer', async () => {
    const memory = await openConflicts()
    const input = { id: memory.id, action: 'contract', idempotencyKey: 'once' }
    expect(await memory.resolve({ id: memory.id, action: 'contract', dryRun: true })).toMatchObject({ dryRun: true })
    expect(await memory.keysInConflict()).toEqual(['b', 'a'])
    const first = await memory.resolve(input)
    expect(await memory.resolve(input)).toEqual(first)
  })

  test('needs a conflict, one of its own, and a value for nothing but a revision', async () => {
    const memory = await openConflicts()
    await refusal(memory.resolve({ id: memory.id, action: 'allow' }, MALLORY), 'NOT_FOUND')
    await refusal(memory.resolve({ id: memory.id, action: 'allow', value: 'x' }), 'INVALID_ARGUMENT')
    const { id } = await memory.set({ key: 'c', value: 'The kettle is blue.' })
    await refusal(memory.resolve({ id, action: 'allow' }), 'NOT_FOUND')
    await memory.set({ key: 's', value: 'The heating works.' }, {})
    await memory.set({ key: 't', value: 'The heating does not work.' }, {})
    const shared = await memory.get('s')
    await refusal(memory.resolve({ id: shared?.id, action: 'contract' }), 'FORBIDDEN')
  })

  test('changes what live queries show, by its change event', async () => {
    const memory = await openConflicts()
    memory.events.length = 0
    await memory.resolve({ id: memory.id, action: 'allow' })
    expect(memory.events.map(({ key }) => key).toSorted()).toEqual(['a', 'b'])
  })
})
