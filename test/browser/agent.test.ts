import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type * as agentEntry from '../../src/agent/main.js'
import type { Span } from '../../src/agent/main.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { openPage } from '../support/memory-page.js'
import { startServer, type TestServer } from '../support/server.js'

declare global {
  /** Of `palimpsest/agent`, put there by `pages/agent.html`. */
  var agents: typeof agentEntry
  var agent: agentEntry.AgentMemory
}

let server: TestServer
let browser: LaunchedBrowser
let stores = 0
let name: string

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  browser = await launchBrowser()
  name = `agent-${++stores}`
})
afterEach(() => browser.close())

const openAgentPage = () => openPage(browser.context, server, { path: '/pages/agent.html' })

test('an agent learns in one page and remembers in the next, for its user alone', async () => {
  const first = await openAgentPage()
  const learned = await first.evaluate(async (store) => {
    const mem = agents.agentMemory(await openMemory(store), { user: (turn) => turn['userId'], learn: true })
    const turn = { userId: 'ada', session: 's1', text: 'I am allergic to peanuts. My dog is called Rex.' }
    await mem.before(turn)
    const { learned } = await mem.after(turn, 'I will remember that.')
    await mem.persist('The shop closes at six on Fridays.', { tier: 'global' })
    await mem.facts.add({ user: 'ada', subject: 'Ada', predicate: 'livesIn', object: 'Porto', singleValued: true })
    return learned?.deferred === false ? learned.written.map(({ value }) => value) : []
  }, name)
  expect(learned).toEqual(['I am allergic to peanuts.', 'My dog is called Rex.'])
  await first.close()
  const second = await openAgentPage()
  const seen = await second.evaluate(async (store) => {
    const mem = agents.agentMemory(await openMemory(store), { user: (turn) => turn['userId'], learn: true })
    const about = async (userId: unknown) => {
      const { text, messages, user } = await mem.before({ userId, session: 's1', text: 'Which foods am I allergic to?' })
      return { text, messages: messages.map(({ content }) => content), user }
    }
    return {
      ada: await about('ada'),
      bo: await about('bo'),
      number: await about(7),
      facts: await mem.facts.query({ user: 'ada', predicate: 'lives_in' }),
      episode: (await mem.episodes.recall('What is the dog called?', { user: 'ada' }))[0]?.text,
    }
  }, name)
  expect(seen.ada.text).toContain('peanuts')
  expect(seen.ada.messages).toEqual(['I am allergic to peanuts. My dog is called Rex.', 'I will remember that.'])
  for (const { text, messages } of [seen.bo, seen.number]) {
    expect(text).toContain('closes at six')
    expect(text).not.toContain('peanuts')
    expect(messages).toEqual([])
  }
  expect(seen.number.user).toBeNull()
  expect(seen.facts).toMatchObject([{ object: 'Porto' }])
  expect(seen.episode).toContain('Rex')
})

test('what a prompt was given in one page is an echo in the next', async () => {
  const told = 'The customer has been a member of the club since May.'
  const first = await openAgentPage()
  const prompt = await first.evaluate(
    async ([store, text]) => {
      const blocks = [agents.staticBlock('My favourite season is the late and misty autumn.')]
      const mem = agents.agentMemory(await openMemory(store), { user: 'ada', learn: true, blocks })
      await mem.persist(text, { tier: 'global' })
      return (await mem.before({ text: 'Hello there.' })).text
    },
    [name, told] as const,
  )
  expect(prompt).toContain(told)
  await first.close()
  const second = await openAgentPage()
  const seen = await second.evaluate(
    async ([store, given]) => {
      const mem = agents.agentMemory(await openMemory(store), { user: 'ada', learn: true })
      const { learned } = await mem.after(
        {
          text: `${given}\n\nThe customer has been a member of the club since May. My favourite season is the late and misty autumn. I own a boat.`,
        },
        given,
      )
      const facts = await mem.retrieve({ tier: 'user', id: 'ada' })
      return { facts: facts.map(({ value }) => value), learned }
    },
    [name, prompt] as const,
  )
  expect(seen.facts).toEqual(['I own a boat.'])
  expect(seen.learned).toMatchObject({ refused: expect.arrayContaining([expect.objectContaining({ why: 'echo' })]) })
})

test('runs of two users, interleaved, with tools in tools that wait, never mix', async () => {
  const page = await openAgentPage()
  const seen = await page.evaluate(async (store) => {
    const mem = agents.agentMemory(await openMemory({ name: store, embedder: 'hash' }), { learn: true })
    const strangers: unknown[] = []
    const work = (user: string) =>
      agents.withRun({ user, session: 'main', run: `run-${user}` }, async (run) => {
        const look = () => {
          const found = agents.currentRun()
          if (found !== null && found.user !== user) strangers.push([user, found.user])
        }
        const note = run.tool(async (_, thing: string) => {
          look()
          const done = mem.persist(`${user} owns a ${thing}.`, { tier: 'user' })
          await new Promise((resume) => setTimeout(resume, thing.length))
          look()
          return done
        })
        const outer = run.tool(async (own, thing: string, other: string) => {
          look()
          await Promise.all([note(thing), own.bind(() => note(other))()])
          look()
        })
        for (const [thing, other] of [
          ['boat', 'harp'],
          ['bicycle', 'ladder'],
          ['kite', 'stove'],
        ] as const) {
          await outer(thing, other)
          look()
        }
      })
    await Promise.all(['ada', 'bo'].map(work))
    const of = async (id: string) => (await mem.retrieve({ tier: 'user', id })).map(({ value }) => String(value))
    return { strangers, ada: await of('ada'), bo: await of('bo'), after: agents.currentRun() }
  }, name)
  expect(seen.strangers).toEqual([])
  expect(seen.after).toBeNull()
  expect(seen.ada).toHaveLength(6)
  expect(seen.bo).toHaveLength(6)
  expect(seen.ada.every((value) => value.startsWith('ada'))).toBe(true)
  expect(seen.bo.every((value) => value.startsWith('bo'))).toBe(true)
})

test('a lazy store starts no worker until it is asked, also under an agent; a turn of 100,000 characters is no trouble', async () => {
  const page = await openAgentPage()
  const seen = await page.evaluate(async (store) => {
    const lazy = openMemory({ name: store, lazy: true, embedder: 'hash' })
    const mem = agents.agentMemory(lazy, { user: () => 'ada', learn: true })
    lazy.scope({ user: 'ada' })
    const before = startedWorkers.length
    const text = `${'The weather was grey that day. '.repeat(3_300)}My dog is called Rex.`
    const turn = { text }
    await mem.before(turn)
    const { appended, learned } = await mem.after(turn, 'Oh.')
    const { messages } = await mem.before({ text: 'Go on.' })
    return {
      before,
      after: startedWorkers.length,
      appended,
      whole: messages[0]?.content === text,
      written: learned?.deferred === false ? learned.written.map(({ value }) => value) : null,
    }
  }, name)
  expect(seen).toEqual({ before: 0, after: 1, appended: 3, whole: true, written: ['My dog is called Rex.'] })
})

test('traces tell of turns, of what they are made of, and of the background', async () => {
  const page = await openAgentPage()
  const spans = await page.evaluate(async (store) => {
    const told: Span[] = []
    const memory = await openMemory({ name: store, embedder: 'hash' })
    const mem = agents.agentMemory(memory, { user: () => 'ada', learn: true, onTrace: (span) => void told.push(span) })
    const turn = { text: 'I live in Porto. My key is sk_live_abcdefghijklmnop1234, keep it.' }
    await mem.before(turn)
    await mem.after(turn, 'Fine.')
    await memory.settled()
    return told
  }, name)
  const names = spans.map(({ name: of }) => of)
  expect(names).toEqual(expect.arrayContaining(['agent.before', 'agent.after', 'memory.setFromMessages', 'memory.search']))
  expect(spans.some(({ kind }) => kind === 'background')).toBe(true)
  expect(JSON.stringify(spans)).not.toContain('sk_live')
  const turn = spans.find(({ name: of }) => of === 'agent.after')
  expect(spans.filter(({ parentId }) => parentId === turn?.spanId).length).toBeGreaterThan(1)
})
