import { describe, expect, test } from 'vitest'
import type { ScopePatch } from '../../src/schema/scope.js'
import { ALICE, MALLORY, open, refusal } from '../support/engine-calls.js'

describe('a key that several hold', () => {
  test('is ambiguous, and the writers are named', async () => {
    const { set, get } = await open()
    for (const agent of ['a', 'b']) await set({ key: 'user/a', value: `said by ${agent}` }, { ...ALICE, agent })
    expect(await refusal(get('user/a'), 'AMBIGUOUS_KEY')).toEqual({
      key: 'user/a',
      writers: [
        { agent: 'a', user: 'alice' },
        { agent: 'b', user: 'alice' },
      ],
    })
    expect((await get('user/a', { ...ALICE, agent: 'a' }))?.value).toBe('said by a')
    const everyone = await refusal(get('user/a', { user: '*' }), 'AMBIGUOUS_KEY')
    expect(everyone.writers).toHaveLength(2)
  })

  test('is answered by the nearest tier, and there by the handle’s own agent', async () => {
    const { set, get } = await open()
    await set({ key: 'k', value: 'global' }, {})
    await set({ key: 'k', value: 'alice' })
    await set({ key: 'k', value: 'session' }, { ...ALICE, session: 's' })
    await set({ key: 'k', value: 'agent' }, { ...ALICE, agent: 'a' })
    expect((await get('k', { ...ALICE, session: 's' }))?.value).toBe('session')
    expect((await get('k', { ...ALICE, agent: 'a' }))?.value).toBe('agent')
    expect((await get('k', {}))?.value).toBe('global')
    expect((await get('k', MALLORY))?.value).toBe('global')
  })
})

describe('a handle', () => {
  const writes = (memory: Awaited<ReturnType<typeof open>>, scope: ScopePatch) => [
    memory.set({ key: 'a', value: 'x' }, scope),
    memory.update({ key: 'a', value: 'x' }, scope),
    memory.bulk([{ key: 'a', value: 'x' }], {}, scope),
    memory.remove('a', {}, scope),
    memory.restore('a', {}, scope),
  ]

  test('that reads across all never writes', async () => {
    const memory = await open()
    await memory.set({ key: 'a', value: 'hers' })
    for (const scope of [{ user: '*' }, { ...ALICE, session: '*' }])
      for (const write of writes(memory, scope))
        expect(await refusal(write, 'FORBIDDEN')).toEqual({ reason: 'reads_across' })
    expect((await memory.get('a', { user: '*' }))?.value).toBe('hers')
    expect(await memory.history('a')).toHaveLength(1)
  })

  test('with an empty id reads nothing and is refused every write', async () => {
    const memory = await open()
    await memory.set({ key: 'a', value: 'green tea' })
    await memory.set({ key: 'a', value: 'green tea' }, {})
    for (const [scope, path] of [
      [{ user: '' }, 'user'],
      [{ ...ALICE, session: '' }, 'session'],
    ] as const) {
      for (const write of writes(memory, scope))
        expect((await refusal(write, 'INVALID_ARGUMENT')).issues.map((issue) => issue.path)).toEqual([path])
      expect([await memory.get('a', scope), await memory.keys({}, scope), await memory.found('tea', {}, scope)]).toEqual([
        null,
        [],
        [],
      ])
      expect(await memory.history('a', scope)).toEqual([])
    }
  })

  test('stamps its actor and run on what it writes', async () => {
    const { set, get } = await open()
    await set({ key: 'a', value: 'x' }, { ...ALICE, actor: 'human:alice', run: 'r1' })
    expect(await get('a')).toMatchObject({
      actor: 'human:alice',
      run: 'r1',
      sourceClass: 'asserted',
      scope: { user: 'alice' },
      tier: 'user',
    })
    expect((await get('a'))?.scope).not.toHaveProperty('run')
  })
})
