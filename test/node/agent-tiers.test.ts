import { describe, expect, test } from 'vitest'
import { withRun } from '../../src/agent/main.js'
import { openAgent } from '../support/agent.js'

const values = (rows: readonly { readonly value: unknown }[]) => rows.map(({ value }) => value).toSorted()

describe('facts by tier', () => {
  test('are written by hand, found where they belong, and nowhere else', async () => {
    const { agent, memory } = await openAgent()
    const id = await agent.persist('Ada likes green tea.', { tier: 'user', id: 'ada', tags: ['drink'] })
    await agent.persist('Bo likes black coffee.', { tier: 'user', id: 'bo' })
    await agent.persist('The canteen opens at noon.', { tier: 'global' })
    await agent.persist('We are looking for a gift.', { tier: 'session', id: 's1' })
    expect(await memory.scope({ user: 'ada' }).getById(id)).toMatchObject({
      value: 'Ada likes green tea.',
      confidence: 1,
      sourceClass: 'asserted',
      tags: ['drink'],
      tier: 'user',
    })
    expect(values(await agent.retrieve({ tier: 'user', id: 'ada' }))).toEqual(['Ada likes green tea.'])
    expect(values(await agent.retrieve({ tier: 'global' }))).toEqual(['The canteen opens at noon.'])
    expect(values(await agent.retrieve({ tier: 'session', id: 's1' }))).toEqual(['We are looking for a gift.'])
    expect(values(await agent.retrieve({ tier: 'session', id: 's2' }))).toEqual([])
    expect(values(await agent.retrieve({ tier: 'user', id: 'ada', query: 'green tea' }))).toEqual(['Ada likes green tea.'])
    expect(values(await agent.retrieve({ tier: 'user', id: 'ada', query: 'black coffee' }))).not.toContain(
      'Bo likes black coffee.',
    )
    expect(values(await agent.retrieve({ tier: 'user', id: '*' }))).toEqual([
      'Ada likes green tea.',
      'Bo likes black coffee.',
    ])
  })

  test('are updated by their id, their key or their words, and keep their history', async () => {
    const { agent, memory } = await openAgent()
    const id = await agent.persist('Ada lives in Berlin.', { tier: 'user', id: 'ada', key: 'ada/home' })
    for (const [old, text] of [
      [id, 'Ada lives in Lyon.'],
      ['ada/home', 'Ada lives in Porto.'],
      ['ada lives in porto', 'Ada lives in Rome.'],
    ] as const)
      expect(await agent.update(text, { old, tier: 'user', id: 'ada' })).toBe(id)
    const history = await memory.scope({ user: 'ada' }).history('ada/home')
    expect(history.map(({ value }) => value).toSorted()).toEqual(
      ['Berlin', 'Lyon', 'Porto', 'Rome'].map((city) => `Ada lives in ${city}.`),
    )
    for (const wrong of [
      { old: 'Ada lives in Berlin.', tier: 'user', id: 'ada' },
      { old: id, tier: 'user', id: 'bo' },
      { old: id, tier: 'global' },
    ] as const)
      await expect(agent.update('Ada lives in Oslo.', wrong)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(agent.update('x', { old: '', tier: 'user', id: 'ada' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  test.each(['user', 'session'] as const)('of tier %s want an id that is one', async (tier) => {
    const { agent } = await openAgent()
    await agent.persist('Ada likes tea.', { tier: 'user', id: 'ada' })
    for (const id of [undefined, null, '', '   ', 7, {}, 'a'.repeat(600)]) {
      const whose = { tier, id: id as string }
      for (const call of [
        () => agent.persist('x', whose),
        () => agent.retrieve(whose),
        () => agent.update('x', { old: 'Ada likes tea.', ...whose }),
        () => agent.forget(whose),
      ])
        await expect(call()).rejects.toMatchObject({
          code: 'INVALID_ARGUMENT',
          details: { issues: [{ path: 'id', message: expect.stringContaining(`Give the id of the ${tier}`) }] },
        })
    }
    for (const call of [
      () => agent.persist('x', { tier, id: '*' }),
      () => agent.update('x', { old: 'Ada likes tea.', tier, id: '*' }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(values(await agent.retrieve({ tier: 'user', id: 'ada' }))).toEqual(['Ada likes tea.'])
  })

  test('are refused with a tier that is none, or an id beside what is for everybody', async () => {
    const { agent } = await openAgent()
    for (const whose of [undefined, null, {}, { tier: 'team' }, { tier: 'global', id: 'ada' }])
      for (const call of [() => agent.retrieve(whose as never), () => agent.forget(whose as never)])
        await expect(call()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  test('take the user of the run, unless an id is given that is missing', async () => {
    const { agent } = await openAgent()
    await withRun({ user: 'ada', session: 's1' }, async () => {
      const done = agent.persist('Ada likes tea.', { tier: 'user' })
      const held = agent.persist('This is about tea.', { tier: 'session' })
      await expect(agent.forget({ tier: 'user', id: undefined as never })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
      await Promise.all([done, held])
    })
    expect(values(await agent.retrieve({ tier: 'user', id: 'ada' }))).toEqual(['Ada likes tea.'])
    expect((await agent.before({ userId: 'ada', session: 's1', text: 'Hi.' })).text).toContain('about tea')
    expect((await agent.before({ userId: 'bo', session: 's1', text: 'Hi.' })).text).not.toContain('about tea')
  })
})

describe('forgetting', () => {
  const filled = async () => {
    const opened = await openAgent()
    const { agent, talk } = opened
    await talk({ userId: 'ada', session: 'a1', text: 'I live in Porto.' })
    await talk({ userId: 'ada', session: 'a2', text: 'My dog is called Rex.' })
    await talk({ userId: 'bo', session: 'b1', text: 'I live in Rome.' })
    await agent.persist('The canteen opens at noon.', { tier: 'global' })
    await agent.persist('Ünsal is the porter.', { tier: 'global', key: 'überall/porter' })
    await agent.facts.add({ user: 'ada', subject: 'Ada', predicate: 'owns', object: 'a boat' })
    await agent.blocks.set('plan', 'Call back.', { user: 'ada' })
    return opened
  }

  test('a user takes all of it, history and talks included, and nothing of others', async () => {
    const { agent, known, memory } = await filled()
    const [receipt] = await agent.forget({ tier: 'user', id: 'ada' })
    expect(receipt).toMatchObject({ kind: 'user', state: 'done' })
    expect(await known('ada')).toEqual([])
    expect(await agent.episodes.recent({ user: 'ada' })).toEqual([])
    expect(await agent.facts.query({ user: 'ada' })).toEqual([])
    expect(await agent.blocks.get('plan', { user: 'ada' })).toBeNull()
    expect(await memory.scope({ user: 'ada' }).history('user/home')).toEqual([])
    expect(await known('bo')).toEqual(['I live in Rome.'])
    expect(await agent.retrieve({ tier: 'global' })).toHaveLength(2)
  })

  test('a session takes its talk, and leaves what was learned of the user', async () => {
    const { agent, known } = await filled()
    await agent.forget({ tier: 'session', id: 'a1' })
    expect((await agent.episodes.recent({ user: 'ada' })).map(({ session }) => session)).toEqual(['a2', 'a2'])
    expect(await known('ada')).toHaveLength(2)
  })

  test('what is for everybody leaves what is anybody’s', async () => {
    const { agent, known } = await filled()
    expect((await agent.forget({ tier: 'global' })).length).toBeGreaterThan(0)
    expect(await agent.retrieve({ tier: 'global' })).toEqual([])
    expect(await known('ada')).toHaveLength(2)
    expect(await known('bo')).toHaveLength(1)
  })

  test('everybody is said deliberately, and spares what is for everybody', async () => {
    const { agent, known } = await filled()
    await agent.forget({ tier: 'session', id: '*' })
    expect(await agent.episodes.recent({ user: 'ada' })).toEqual([])
    expect(await known('ada')).toHaveLength(2)
    expect(await agent.forget({ tier: 'user', id: '*' })).toHaveLength(2)
    expect([...(await known('ada')), ...(await known('bo'))]).toEqual([])
    expect(await agent.retrieve({ tier: 'global' })).toHaveLength(2)
  })

  test('reaches the users calls of the same project', async () => {
    const { agent } = await filled()
    expect((await agent.users.profile('ada')).memories).toBeGreaterThan(2)
    await agent.users.erase('ada')
    expect((await agent.users.profile('ada')).memories).toBe(0)
    expect(await agent.users.export('bo')).toBeInstanceOf(Blob)
  })
})
