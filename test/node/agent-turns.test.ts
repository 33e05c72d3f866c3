import { describe, expect, test } from 'vitest'
import { type AgentTurn, agentMemory, withRun } from '../../src/agent/main.js'
import { MemoryError } from '../../src/protocol/errors.js'
import { openAgent } from '../support/agent.js'
import { openLinkedMemory } from '../support/linked-memory.js'

describe('a turn', () => {
  test('brings what everybody, the talk and the user know, then is kept and learned from', async () => {
    const { agent, known } = await openAgent({ window: 4 })
    await agent.persist('The shop closes at six on Fridays.', { tier: 'global' })
    await agent.persist('Ada is allergic to peanuts.', { tier: 'user', id: 'ada' })
    await agent.persist('Bo is allergic to shellfish.', { tier: 'user', id: 'bo' })
    await agent.persist('This talk is about the order 4711.', { tier: 'session', id: 's1' })
    await agent.blocks.set('plan', 'Ask for the delivery date.', { user: 'ada' })
    const turn = { userId: 'ada', session: 's1', text: 'I live in Porto. Which foods is Ada allergic to?' }
    const before = await agent.before(turn)
    expect(before).toMatchObject({ user: 'ada', nobody: null, session: 's1', messages: [], skipped: [] })
    expect(before.injected.map(({ name }) => name)).toEqual(['everyone', 'session', 'scratch', 'recall'])
    for (const text of ['closes at six', 'allergic to peanuts', 'order 4711', 'delivery date'])
      expect(before.text).toContain(text)
    expect(before.text).not.toContain('shellfish')
    expect(before.citations.map(({ n }) => n)).toEqual([1, 2, 3, 4])
    const after = await agent.after(turn, 'Peanuts.')
    expect(after).toMatchObject({ user: 'ada', appended: 2, refused: 0, notLearned: null })
    expect(await known('ada')).toContain('I live in Porto.')
    const [fact] = (await agent.retrieve({ tier: 'user', id: 'ada', query: 'Porto' })).filter(
      ({ key }) => key === 'user/home',
    )
    expect(fact).toMatchObject({ sourceClass: 'extracted', confidence: 0.6 })

    const next = await agent.before({ userId: 'ada', session: 's1', text: 'And now?' })
    expect(next.messages).toMatchObject([
      { role: 'user', content: turn.text },
      { role: 'assistant', content: 'Peanuts.' },
    ])
    const elsewhere = await agent.before({ userId: 'ada', session: 's2', text: 'Which foods?' })
    expect(elsewhere.messages).toEqual([])
    expect(elsewhere.text).not.toContain('4711')
  })

  test('that is told of twice is kept once', async () => {
    const { agent, known } = await openAgent()
    const turn = { id: 't1', userId: 'ada', text: 'I have two cats.' }
    await agent.before(turn)
    await agent.after(turn, 'Nice.')
    expect(await agent.after({ ...turn }, 'Nice.')).toMatchObject({ appended: 0 })
    expect(await agent.episodes.recent({ user: 'ada' })).toHaveLength(2)
    expect(await known('ada')).toHaveLength(1)
  })

  test.each([
    ['is missing', undefined],
    ['is null', null],
    ['is empty', ''],
    ['is blank', '  '],
    ['is a number', 7],
    ['is everybody', '*'],
    ['is an object', { id: 'ada' }],
    ['is too long', 'a'.repeat(600)],
  ])('whose user %s is nobody: nothing personal is read, nothing is learned', async (_, user) => {
    const { agent, talk, warnings, spans, known } = await openAgent({ user: (turn) => turn['userId'] })
    await agent.persist('The shop closes at six on Fridays.', { tier: 'global' })
    await talk({ userId: 'ada', text: 'I live in Porto and my name is Ada.' })
    for (const session of [undefined, undefined, 'main', 's1']) {
      const turn: AgentTurn = {
        userId: user,
        ...(session === undefined ? {} : { session }),
        text: 'Where do I live? I live in Rome.',
      }
      const before = await agent.before(turn)
      expect(before.user).toBeNull()
      expect(before.nobody).toContain('user')
      expect(before.messages).toEqual([])
      expect(before.text).toContain('closes at six')
      expect(before.text).not.toMatch(/Porto|Ada/)
      expect(await agent.after(turn, 'I do not know.')).toMatchObject({
        learned: null,
        notLearned: 'nobody',
        appended: session === undefined ? 0 : 2,
      })
    }
    expect(await known(null)).toEqual([])
    expect(await known('ada')).not.toContain('I live in Rome.')
    expect(warnings).toHaveLength(4)
    expect(spans.filter(({ name, attributes }) => name === 'agent.before' && attributes['nobody'] === true)).toHaveLength(4)
  })

  test('whose resolver fails is nobody, at once or later', async () => {
    for (const user of [
      () => {
        throw new Error('no session')
      },
      () => Promise.reject(new Error('no session')),
    ]) {
      const { agent, warnings } = await openAgent({ user })
      expect(await agent.before({ text: 'Who am I?' })).toMatchObject({
        user: null,
        nobody: expect.stringContaining('no session'),
      })
      expect(warnings).toHaveLength(1)
    }
  })

  test('of nobody has a window of its own, which no other agent of another page reads', async () => {
    const memory = await openLinkedMemory()
    const first = await openAgent({}, memory)
    await first.talk({ session: 's1', text: 'My secret word is heron.' })
    expect((await first.agent.before({ session: 's1', text: 'Go on.' })).messages).toHaveLength(2)
    const second = await openAgent({}, memory)
    expect((await second.agent.before({ session: 's1', text: 'Go on.' })).messages).toEqual([])
    expect((await second.agent.before({ userId: 'ada', session: 's1', text: 'Go on.' })).messages).toEqual([])
  })

  test('asks once whose it is: who comes in the middle of a turn changes nothing', async () => {
    let signedIn = 'ada'
    let asked = 0
    const { agent, known } = await openAgent({
      user: () => {
        asked++
        return signedIn
      },
    })
    const turn = { text: 'My dog is called Rex.' }
    await agent.before(turn)
    signedIn = 'bo'
    await agent.after(turn, 'Hello Rex.')
    expect(asked).toBe(1)
    expect(await known('ada')).toEqual(['My dog is called Rex.'])
    expect(await known('bo')).toEqual([])

    // Also when the app hands over a copy, or changes its object meanwhile.
    signedIn = 'ada'
    const named: { id: string; text: string } = { id: 't2', text: 'I play the violin.' }
    await agent.before(named)
    signedIn = 'bo'
    named.text = 'I play the drums.'
    await agent.after({ id: 't2' }, 'Nice.')
    expect(asked).toBe(2)
    expect((await known('ada')).join()).toContain('violin')
    expect(await known('bo')).toEqual([])
  })

  test('that cannot be told from another one belongs to nobody', async () => {
    const { agent, known, warnings } = await openAgent()
    const both = () =>
      Promise.all([
        agent.before({ id: '1', userId: 'ada', text: 'I live in Porto.' }),
        agent.before({ id: '1', userId: 'bo', text: 'I live in Rome.' }),
      ])
    await both()
    expect(await agent.after({ id: '1' }, 'Fine.')).toMatchObject({ user: null, notLearned: 'nobody' })
    expect([...(await known('ada')), ...(await known('bo'))]).toEqual([])
    expect(warnings).toHaveLength(1)
    // Its words tell it from the other.
    await both()
    expect(await agent.after({ id: '1', text: 'I live in Rome.' }, 'Fine.')).toMatchObject({ user: 'bo' })
    expect(await known('ada')).toEqual([])
  })

  test('that comes back as a copy under another user is nobody’s', async () => {
    const { agent, known } = await openAgent()
    await agent.before({ userId: 'ada', text: 'I live in Porto.' })
    expect(await agent.after({ userId: 'bo', text: 'I live in Porto.' }, 'Fine.')).toMatchObject({ user: null })
    await agent.before({ id: '7', userId: 'ada', text: 'I own a boat.' })
    expect(await agent.after({ id: '7', userId: 'bo', text: 'I own a kite.' }, 'Fine.')).toMatchObject({ user: null })
    expect([...(await known('ada')), ...(await known('bo'))]).toEqual([])
    expect(await agent.after({ userId: 'ada', text: 'I like tea.' }, 'Fine.')).toMatchObject({ user: 'ada' })
    // What is done with holds nobody up.
    expect(await agent.after({ userId: 'bo', text: 'I like tea.' }, 'Fine.')).toMatchObject({ user: 'bo' })
  })

  test('of one user never meets one of another, however they come in between', async () => {
    const { agent, known } = await openAgent({
      user: async (turn) => {
        await new Promise((resume) => setTimeout(resume, Number(turn['late'])))
        return turn['userId']
      },
    })
    const turns = Array.from({ length: 8 }, (_, i) => ({
      userId: i % 2 === 0 ? 'ada' : 'bo',
      session: 'main',
      late: (i * 7) % 5,
      text: i % 2 === 0 ? `I own a boat called Ada${i}.` : `I own a boat called Bo${i}.`,
    }))
    await Promise.all(
      turns.map(async (turn) => {
        const { text, messages } = await agent.before(turn)
        const other = turn.userId === 'ada' ? /Bo\d/ : /Ada\d/
        expect(text + JSON.stringify(messages)).not.toMatch(other)
        await agent.after(turn, `${turn.userId} has a boat.`)
      }),
    )
    expect((await known('ada')).join()).not.toMatch(/Bo\d/)
    expect((await known('bo')).join()).not.toMatch(/Ada\d/)
    expect(await known('ada')).toHaveLength(4)
    expect((await agent.episodes.recent({ user: 'bo' })).every(({ scope }) => scope.user === 'bo')).toBe(true)
  })

  test('of two people of one name keeps them apart', async () => {
    const { talk, known } = await openAgent()
    await talk({ userId: 'u1', speaker: 'Alex', text: 'My name is Alex and I live in Porto.' })
    await talk({ userId: 'u2', speaker: 'Alex', text: 'My name is Alex and I live in Rome.' })
    expect((await known('u1')).join()).toContain('Porto')
    expect((await known('u1')).join()).not.toContain('Rome')
    expect((await known('u2')).join()).not.toContain('Porto')
    // A friend of the same name is somebody else than the user.
    await talk({
      userId: 'u1',
      messages: [{ role: 'user', speaker: 'Alex', text: 'I live in Oslo.' }],
    })
    expect((await known('u1')).join()).toContain('I live in Porto')
    expect((await known('u1')).join()).toContain('Oslo')
  })

  test('may have 100,000 characters', async () => {
    const { agent, known } = await openAgent({ window: 5 })
    const text = `${'The weather was grey that day. '.repeat(3_300)}My dog is called Rex.`
    expect(text.length).toBeGreaterThan(100_000)
    const turn = { userId: 'ada', text }
    await agent.before(turn)
    expect(await agent.after(turn, 'Oh.')).toMatchObject({ appended: 3 })
    expect(await known('ada')).toContain('My dog is called Rex.')
    const { messages } = await agent.before({ userId: 'ada', text: 'Go on.' })
    expect(messages).toMatchObject([{ content: text }, { content: 'Oh.' }])
    await agent.before({ userId: 'ada', text: '\uD83D'.repeat(100_000) })
  })

  test('of a named session belongs to it where no user was ever asked for', async () => {
    const memory = await openLinkedMemory()
    const of = () => agentMemory(memory, { logger: { warn: () => undefined } })
    await of().after({ session: 'desk', text: 'Hello.' }, 'Hi.')
    expect((await of().before({ session: 'desk', text: 'Go on.' })).messages).toHaveLength(2)
    expect((await of().before({ text: 'Go on.' })).messages).toEqual([])
  })

  test('takes its user from the run it is part of, where none is asked for', async () => {
    const memory = await openLinkedMemory()
    const agent = agentMemory(memory, { learn: true })
    const turn = { text: 'I live in Porto.' }
    const begun = withRun({ user: 'ada', session: 's9', run: 'r1' }, () => agent.before(turn))
    expect(await begun).toMatchObject({ user: 'ada', session: 's9' })
    await agent.after(turn, 'Fine.')
    const row = await memory.scope({ user: 'ada' }).get('user/home')
    expect(row).toMatchObject({ value: 'I live in Porto.', run: 'r1' })
  })

  test('is refused where it is none, or its session is none', async () => {
    const { agent } = await openAgent()
    for (const turn of [null, 'hello', 7]) await expect(agent.before(turn as never)).rejects.toThrow(MemoryError)
    for (const session of ['', '*', 7, 'a'.repeat(300)])
      await expect(agent.before({ session: session as string, text: 'Hi.' })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    await expect(agent.before({ text: 7 as never })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(agent.before({ messages: [null] as never })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

test('a memory that reads across everybody is refused with the first turn', async () => {
  const memory = await openLinkedMemory()
  await memory.scope({ user: 'bo' }).set({ key: 'bo/tea', value: 'Bo likes tea.' })
  for (const scope of [{ user: '*' }, { session: '*' }]) {
    const { agent } = await openAgent({}, memory.scope(scope))
    await expect(agent.before({ text: 'tea' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(agent.after({ text: 'tea' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
})

describe('an agent', () => {
  test('of another project, or another one of its own, knows nothing of it', async () => {
    const memory = await openLinkedMemory()
    const support = await openAgent({ project: 'acme', agent: 'support' }, memory)
    await support.talk({ userId: 'ada', session: 's', text: 'I live in Porto.' })
    await support.agent.persist('Acme delivers on Mondays.', { tier: 'global' })
    for (const options of [{ project: 'other', agent: 'support' }, {}, { project: 'acme', agent: 'sales' }]) {
      const { agent } = await openAgent(options, memory)
      const { text, messages } = await agent.before({ userId: 'ada', session: 's', text: 'Where do I live?' })
      expect({ text, messages }).toEqual({ text: '', messages: [] })
    }
    const again = await openAgent({ project: 'acme', agent: 'support' }, memory)
    expect((await again.agent.before({ userId: 'ada', session: 's', text: 'Where do I live?' })).text).toContain('Porto')
  })

  test('wants a memory that is bound to nobody, and options that there are', async () => {
    const memory = await openLinkedMemory()
    for (const scope of [{ user: 'ada' }, { session: 's1' }, { user: null }, { user: '' }])
      expect(() => agentMemory(memory.scope(scope))).toThrow('is bound to a user or a session')
    for (const options of [
      { windows: 3 },
      { window: -1 },
      { window: 0.5 },
      { recall: 1_000 },
      { user: 7 },
      { user: '*' },
      { learn: 'yes' },
      { blocks: [{}] },
      { blocks: {} },
      { onTrace: 1 },
      { logger: {} },
      { score: 1 },
    ])
      expect(() => agentMemory(memory, options as never), JSON.stringify(options)).toThrow(MemoryError)
  })
})
