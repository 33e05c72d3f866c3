import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { openPage } from '../support/memory-page.js'
import { startServer, type TestServer } from '../support/server.js'

interface Refusal {
  readonly opfs?: 'refused' | 'missing' | 'without handles' | 'handles refused'
  readonly idb?: 'refused' | 'missing'
}

let server: TestServer
let browser: LaunchedBrowser
let stores = 0
let name: string

beforeAll(async () => {
  server = await startServer()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})
beforeEach(() => {
  name = `fallback-${++stores}`
})
afterEach(async () => {
  for (const page of browser.context.pages().slice(1)) await page.close()
})

/** Opens the store in a fresh page whose worker refuses what is named, and reads a key; the page keeps it open. */
const open = async (refusal: Refusal, options: { readonly fallback?: boolean } = {}) => {
  const page = await openPage(browser.context, server)
  const workerUrl = `/pages/refusing-worker.js?${new URLSearchParams({ ...refusal })}`
  const opened = await page.evaluate(
    ([given]) =>
      attempt(async () => {
        globalThis.memory = await openMemory({ embedder: 'hash', ...given })
        const { backend, durable, risk, reason } = await memory.storage()
        return { backend, durable, risk, reason, kept: (await memory.get('kept'))?.value ?? null }
      }),
    [{ name, workerUrl, ...options }] as const,
  )
  return { page, opened }
}

const keep = (page: Page) => page.evaluate(() => memory.set({ key: 'kept', value: 'from before' }).then(({ key }) => key))
const close = (page: Page) => page.evaluate(() => memory.close()).then(() => page.close())

describe.each([
  ['refused', /refused in this window \(SecurityError\)/],
  ['missing', /missing in this browser/],
  ['without handles', /no synchronous access/],
  ['handles refused', /does not work in this window \(SecurityError\)/],
] as const)('where the private file system is %s', (opfs, reason) => {
  test('a store opens in IndexedDB, says why, and keeps its rows over a reload', async () => {
    const first = await open({ opfs })
    expect(first.opened.value).toMatchObject({
      backend: 'idb',
      durable: 'best-effort',
      reason: expect.stringMatching(reason),
      kept: null,
    })
    await keep(first.page)
    // Left without closing.
    await first.page.close()
    const second = await open({ opfs })
    expect(second.opened.value).toMatchObject({ backend: 'idb', kept: 'from before' })
    await close(second.page)
    // Chosen once: it does not split when the file system is there again.
    const third = await open({})
    expect(third.opened.value).toMatchObject({
      backend: 'idb',
      kept: 'from before',
      reason: expect.stringMatching(/made in IndexedDB/),
    })
  })

  test('a store rejects when no fallback is wanted', async () => {
    const { opened } = await open({ opfs }, { fallback: false })
    expect(opened).toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      details: { backend: 'opfs', cause: expect.stringMatching(reason) },
    })
  })

  test('a store made there before rejects, instead of opening empty, and is whole once it is allowed', async () => {
    const before = await open({})
    expect(before.opened.value).toMatchObject({ backend: 'opfs', durable: 'yes' })
    await keep(before.page)
    await close(before.page)
    for (let time = 0; time < 2; time++) {
      const refused = await open({ opfs })
      expect(refused.opened).toMatchObject({ code: 'STORAGE_UNAVAILABLE', details: { backend: 'opfs' } })
    }
    const after = await open({})
    expect(after.opened.value).toMatchObject({ backend: 'opfs', kept: 'from before' })
  })
})

describe.each(['refused', 'missing'] as const)('where IndexedDB is %s too', (idb) => {
  test('a store opens in memory and says so', async () => {
    const { page, opened } = await open({ opfs: 'refused', idb })
    expect(opened.value).toMatchObject({
      backend: 'memory',
      durable: 'no',
      risk: 'volatile',
      reason: expect.stringMatching(/private file system.*IndexedDB.*memory only/s),
    })
    await keep(page)
    expect(await page.evaluate(async () => (await memory.get('kept'))?.value)).toBe('from before')
    expect(await page.evaluate(async () => (await memory.search('before')).hits.map(({ key }) => key))).toEqual(['kept'])
    await page.close()
    expect((await open({ opfs: 'refused', idb })).opened.value).toMatchObject({ backend: 'memory', kept: null })
  })

  test('the private file system alone is enough', async () => {
    const first = await open({ idb })
    expect(first.opened.value).toMatchObject({ backend: 'opfs', durable: 'yes' })
    await keep(first.page)
    await close(first.page)
    const second = await open({ idb })
    expect(second.opened.value).toMatchObject({ backend: 'opfs', kept: 'from before' })
  })
})

test('a page without a secure context, and so without locks between its tabs, keeps memories in memory and says so', async () => {
  // Only loopback addresses and https are secure.
  const insecure = 'http://store.test'
  const page = await browser.context.newPage()
  await page.route(`${insecure}/**`, async (route) => {
    const response = await route.fetch({ url: route.request().url().replace(insecure, server.origin) })
    await route.fulfill({ response })
  })
  await page.goto(`${insecure}/pages/memory.html`)
  await page.waitForFunction(() => globalThis.loaded === true)
  const seen = await page.evaluate(async () => {
    const memory = await openMemory({ name: 'insecure', embedder: 'hash' })
    await memory.set({ key: 'a', value: 'b' })
    const { backend, durable, reason } = await memory.storage()
    return [isSecureContext, backend, durable, reason, (await memory.get('a'))?.value]
  })
  expect(seen).toEqual([false, 'memory', 'no', expect.stringMatching(/neither https nor localhost.*memory only/), 'b'])
})
