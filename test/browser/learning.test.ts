import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { openPage } from '../support/memory-page.js'
import { startServer, type TestServer } from '../support/server.js'

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
  name = `learning-${++stores}`
})
afterEach(async () => {
  server.setOverrides(() => undefined)
  await browser.close()
})

test('a talk is learned from, by rules and by a language model of the page, and the extractor is loaded with the first of it', async () => {
  const page = await openPage(browser.context, server)
  const asked: string[] = []
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
  const before = await page.evaluate(async (store) => {
    globalThis.memory = await openMemory({ name: store, embedder: 'hash' })
    await memory.set({ key: 'a', value: 'The roof leaks.' })
    return true
  }, name)
  expect(before && asked.includes('/dist/extract.js')).toBe(false)
  const seen = await page.evaluate(async () => {
    const at = '2026-05-13T12:00:00Z'
    const ruled = await memory.setFromMessages(
      [{ role: 'user', text: 'My sister Anna moved to Lisbon last week. Do you like tea?', at }],
      { timeZone: 'UTC' },
    )
    const read = await memory.setFromMessages([{ role: 'user', content: 'I live in Porto.', at }], {
      llm: async (messages, { schema }) =>
        'properties' in schema && messages.length === 2
          ? '{"facts":[{"message":1,"subject":"user","attribute":"home","statement":"I live in Porto."}]}'
          : '',
    })
    const [turn] = await memory.evidence('anna/home')
    return { ruled, read, turn }
  })
  expect(asked).toContain('/dist/extract.js')
  expect(seen.ruled).toMatchObject({
    written: [{ key: 'anna/home', date: { phrase: 'last week', date: '2026-05-06' } }],
    refused: [{ why: 'question' }],
  })
  expect(seen.read).toMatchObject({ by: 'llm', written: [{ key: 'user/home' }] })
  expect(seen.turn).toMatchObject({ type: '~turn' })
})

test('a long talk is learned from after the page was left in the middle, once', async () => {
  const first = await openPage(browser.context, server)
  const queueId = await first.evaluate(async (store) => {
    globalThis.memory = await openMemory({ name: store, embedder: 'hash' })
    const messages = Array.from({ length: 300 }, (_, i) => ({
      role: 'user' as const,
      text: `I own a telescope called Tele${i}.`,
    }))
    const answer = await memory.setFromMessages(messages)
    const { pendingExtraction } = await memory.search('telescope')
    // Until some of it is learned.
    while (answer.deferred && ((await memory.learning.get(answer.queueId))?.done ?? 0) === 0)
      await new Promise((resume) => setTimeout(resume, 20))
    return answer.deferred && pendingExtraction !== undefined ? answer.queueId : null
  }, name)
  expect(queueId).not.toBeNull()
  await first.close()
  const second = await openPage(browser.context, server)
  const seen = await second.evaluate(
    async ([store, queue]) => {
      globalThis.memory = await openMemory({ name: store, embedder: 'hash' })
      await memory.settled()
      const report = await memory.learning.get(queue)
      const { rows } = await memory.list({ keyPrefix: 'user/belongings/', limit: 1000 })
      const counts = rows.map(({ reinforcementCount }) => reinforcementCount)
      return { report, rows: rows.length, counts: [...new Set(counts)] }
    },
    [name, queueId ?? ''] as const,
  )
  expect(seen).toMatchObject({ report: { state: 'done', done: 300, written: 300 }, rows: 300, counts: [1] })
})

test('without the extractor a talk is refused with what is missing, and all else goes on', async () => {
  server.setOverrides((path) => (path === '/dist/extract.js' ? { status: 404, body: '' } : undefined))
  const page = await openPage(browser.context, server)
  const seen = await page.evaluate(async (store) => {
    globalThis.memory = await openMemory({ name: store, embedder: 'hash' })
    const refused = await attempt(() => memory.setFromMessages([{ text: 'I live in Porto.' }]))
    await memory.set({ key: 'a', value: 'The roof leaks.' })
    return refused
  }, name)
  expect(seen).toMatchObject({ code: 'WORKER_FAILED' })
  expect(seen.message).toContain('extract.js')
})
