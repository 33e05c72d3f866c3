import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { startServer, type TestServer } from '../support/server.js'
import { openTab } from '../support/tabs.js'

let server: TestServer
let browser: LaunchedBrowser
let context: BrowserContext
let tabs: readonly [Page, Page]

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  browser = await launchBrowser()
  context = browser.context
  tabs = [await openTab(context, server, { name: 'shared' }), await openTab(context, server, { name: 'shared' })]
})
afterEach(() => browser.close())

describe('two tabs', () => {
  test('take turns by a lease, and who has lost it can no longer write under it', async () => {
    const counts = await Promise.all(
      tabs.map((tab) =>
        tab.evaluate(async () => {
          let done = 0
          while (done < 5) {
            const { held, token, remainingMs } = await memory.working.acquire('counter', { ttlSeconds: 5 })
            if (!held || token === null) {
              await new Promise((resume) => setTimeout(resume, Math.min(remainingMs, 10)))
              continue
            }
            // Read, wait, write: what two at a time would lose.
            const before = (await memory.working.get('count'))?.value ?? 0
            await new Promise((resume) => setTimeout(resume, 5))
            await memory.working.set('count', Number(before) + 1, { fence: { lease: 'counter', token } })
            await memory.working.release('counter', token)
            done++
          }
          return done
        }),
      ),
    )
    expect(counts).toEqual([5, 5])
    const [first, second] = tabs
    expect(await second.evaluate(async () => (await memory.working.get('count'))?.value)).toBe(10)

    const stale = await first.evaluate(async () => (await memory.working.acquire('counter', { ttlSeconds: 0.1 })).token)
    await second.evaluate(async () => {
      while (!(await memory.working.acquire('counter')).held) await new Promise((resume) => setTimeout(resume, 20))
    })
    const code = await first.evaluate(
      (token) =>
        memory.working.set('count', 0, { fence: { lease: 'counter', token: token ?? 0 } }).then(
          () => 'written',
          (error: { code: string }) => error.code,
        ),
      stale,
    )
    expect(code).toBe('PRECONDITION_FAILED')
  })

  test('a lease and a working value outlive the tab that leads', async () => {
    const [first, second] = tabs
    const token = await first.evaluate(async () => {
      await memory.working.set('plan', { step: 1 })
      return (await memory.working.acquire('job', { ttlSeconds: 60, holder: 'first' })).token
    })
    await first.close()
    const seen = await second.evaluate(async () => ({
      plan: (await memory.working.patch('plan', { of: 4 })).value,
      lease: await memory.working.acquire('job', { holder: 'second' }),
    }))
    expect(seen.plan).toEqual({ step: 1, of: 4 })
    expect(seen.lease).toMatchObject({ held: false, holder: 'first' })
    const renewed = await second.evaluate((given) => memory.working.renew('job', given ?? 0), token)
    expect(renewed).toMatchObject({ held: true, token })
  })

  test('one appends, adds and writes, and the other recalls, cites and lists', async () => {
    const [first, second] = tabs
    await first.evaluate(async () => {
      await memory.conversations.append([{ id: '1', session: 'monday', speaker: 'Ana', text: 'The ferry leaves at nine.' }])
      await memory.knowledge.upsert('ferry', '<h1>Ferry</h1><h2>Fares</h2><p>A ticket costs nine euros.</p>', {
        format: 'html',
      })
      await memory.records.define('boats', { name: { type: 'text' } })
      await memory.records.put('boats', '1', { name: 'Gunhild' })
      await memory.sessions.digest('monday')
    })
    const seen = await second.evaluate(async () => ({
      turn: (await memory.conversations.recall('when does the ferry leave?')).hits[0]?.turnId,
      section: (await memory.knowledge.get('ferry#fares'))?.kind,
      boats: (await memory.records.list('boats')).rows.map(({ fields }) => fields),
      digest: (await memory.sessions.digests()).rows[0]?.text,
    }))
    expect(seen).toEqual({
      turn: '1',
      section: 'section',
      boats: [{ name: 'Gunhild' }],
      digest: 'Ana: The ferry leaves at nine.',
    })
  })
})
