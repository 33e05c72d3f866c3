import type { CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { openPage } from '../support/memory-page.js'
import { startServer, type TestServer } from '../support/server.js'

let server: TestServer
let browser: LaunchedBrowser
let page: Page
let session: CDPSession

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  browser = await launchBrowser()
  page = await openPage(browser.context, server)
  session = await browser.context.newCDPSession(page)
})
afterEach(() => browser.close())

const limit = async (quotaSize?: number): Promise<void> => {
  await session.send('Storage.overrideQuotaForOrigin', {
    origin: server.origin,
    ...(quotaSize !== undefined && { quotaSize }),
  })
}

const openStore = (workerUrl?: string) =>
  page.evaluate(
    ([url]) =>
      attempt(async () => {
        globalThis.memory = await openMemory({
          name: 'full',
          embedder: 'hash',
          ...(url === undefined ? {} : { workerUrl: url }),
        })
        return (await memory.storage()).backend
      }),
    [workerUrl] as const,
  )

const reopen = async (workerUrl?: string): Promise<void> => {
  await page.evaluate(() => memory.close())
  expect(await openStore(workerUrl)).toMatchObject({ value: 'opfs' })
}

/** Writes until it is refused; answers what was acknowledged and what the refusal said. */
const writeUntilFull = (prefix: string, kilobytes: number) =>
  page.evaluate(
    async ([start, size]) => {
      const keys: string[] = []
      for (let i = 0; i < 2_000; i++) {
        const key = `${start}/${i}`
        const value = `${key.replaceAll('/', 'x')} ${`letters${i} `.repeat(size * 100)}`
        const { code, message } = await attempt(() => memory.set({ key, value, type: 'note' }))
        if (code !== undefined) return { keys, refused: key, code, message }
        keys.push(key)
      }
      throw new Error('It never became full.')
    },
    [prefix, kilobytes] as const,
  )

/** Which of the keys cannot be read, found by a word, or have not exactly one version. */
const missing = (keys: readonly string[]) =>
  page.evaluate(async (wanted) => {
    const wrong: string[] = []
    for (const key of wanted) {
      const word = key.replaceAll('/', 'x')
      const row = await memory.get(key)
      const { hits } = await memory.search(word, { legs: ['lexical'], limit: 3 })
      const found = hits.some((hit) => hit.key === key)
      if (!String(row?.value).startsWith(`${word} `) || !found || (await memory.history(key)).length !== 1) wrong.push(key)
    }
    return wrong
  }, keys)

const deleteAll = (keys: readonly string[]) =>
  page.evaluate(async (gone) => {
    const results: unknown[] = []
    for (const key of gone) {
      const { value, code } = await attempt(() => memory.delete(key))
      results.push(value?.found === true ? 'deleted' : (code ?? 'not found'))
    }
    return results
  }, keys)

const MEGABYTES = process.env.LONG === '1' ? [0, 1, 2, 5, 10, 20, 50] : [0, 1, 5]

describe.each(MEGABYTES)('with %i MB of room', (megabytes) => {
  test('a write beyond it is STORAGE_FULL and leaves nothing, all before it stays, and small ones can be deleted', async () => {
    expect(await openStore()).toMatchObject({ value: 'opfs' })
    await page.evaluate(async () => {
      for (let i = 0; i < 20; i++) await memory.set({ key: `early/${i}`, value: `earlyx${i} and some words` })
    })
    const early = Array.from({ length: 20 }, (_, i) => `early/${i}`)
    const usage = await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0)
    await limit(usage + megabytes * 1_000_000)

    const { keys, refused, code } = await writeUntilFull('late', 100)
    expect(code).toBe('STORAGE_FULL')
    expect(await missing([...early, ...keys])).toEqual([])
    expect(await page.evaluate((key) => memory.history(key), refused)).toEqual([])
    const { memories } = await page.evaluate(() => memory.storage())
    expect(memories).toBe(early.length + keys.length)

    // Still full, and opened anew.
    await reopen()
    expect(await missing([...early, ...keys])).toEqual([])
    const deleted = await deleteAll(early.slice(10))
    expect(deleted).toEqual(deleted.map(() => 'deleted'))
    expect(await missing([...early.slice(0, 10), ...keys])).toEqual([])

    await limit()
    expect(await page.evaluate(async () => (await memory.set({ key: 'after', value: 'there is room again' })).key)).toBe(
      'after',
    )
    await reopen()
    expect(await missing(early.slice(0, 10))).toEqual([])
    expect((await page.evaluate(() => memory.storage())).memories).toBe(11 + keys.length)
  })
})

test('large memories can be deleted while there is no room', async () => {
  expect(await openStore()).toMatchObject({ value: 'opfs' })
  const usage = await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0)
  await limit(usage + 5_000_000)
  const { keys, code } = await writeUntilFull('large', 100)
  expect([code, keys.length > 2]).toEqual(['STORAGE_FULL', true])
  const deleted = await deleteAll(keys)
  expect(deleted).toEqual(deleted.map(() => 'deleted'))
})

test('a bulk write beyond the room is reported, and each of its entries is there or not as it was told', async () => {
  await openStore()
  await page.evaluate(() => memory.set({ key: 'early', value: 'here before' }))
  const usage = await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0)
  await limit(usage + 4_000_000)
  const { outcome, stored } = await page.evaluate(async () => {
    const entries = Array.from({ length: 600 }, (_, i) => ({
      key: `bulk/${i}`,
      value: `${i} ${'filler '.repeat(5_000)}`,
      type: 'log',
    }))
    const { value, code } = await attempt(() => memory.bulkSet(entries), 50_000)
    const { rows } = await memory.list({ keyPrefix: 'bulk/', type: 'log', limit: 1000 })
    return {
      outcome: { code, written: value?.written, told: value?.results.filter(({ ok }) => ok).length },
      stored: rows.length,
    }
  })
  if (outcome.code === undefined) expect(outcome).toMatchObject({ written: stored, told: stored })
  else expect(outcome.code).toBe('STORAGE_FULL')
  expect(stored).toBeLessThan(600)
  await limit()
  await reopen()
  expect(
    await page.evaluate(async () => (await memory.list({ keyPrefix: 'bulk/', type: 'log', limit: 1000 })).rows.length),
  ).toBe(stored)
  expect(await page.evaluate(async () => (await memory.get('early'))?.value)).toBe('here before')
})

test.each([0, 1_000_000])(
  'a new store for which %i bytes are left says STORAGE_FULL, and opens when there is room',
  async (bytes) => {
    await limit(bytes)
    const { code, value } = await openStore()
    expect([code, value]).toEqual(['STORAGE_FULL', undefined])
    await limit()
    expect(await openStore()).toMatchObject({ value: 'opfs' })
    expect(await page.evaluate(async () => (await memory.set({ key: 'a', value: 'b' })).key)).toBe('a')
  },
)

const spoil = (order: { readonly kind: string; readonly after: number } | null) =>
  page.evaluate(async (given) => {
    const channel = new BroadcastChannel('test:spoil')
    const heard = new Promise((resolve) => {
      channel.onmessage = resolve
    })
    channel.postMessage(given)
    await heard
    channel.close()
  }, order)

describe.each(['short', 'absurd', 'quota'])('writes of the browser that end %s', (kind) => {
  test.each(process.env.LONG === '1' ? [0, 1, 2, 3, 5, 7, 12, 20] : [0, 7])(
    'after %i good ones make a write STORAGE_FULL, and nothing else',
    async (after) => {
      const url = '/pages/spoiling-worker.js'
      expect(await openStore(url)).toMatchObject({ value: 'opfs' })
      await page.evaluate(async () => {
        for (let i = 0; i < 10; i++) await memory.set({ key: `early/${i}`, value: `earlyx${i} and some words` })
      })
      const early = Array.from({ length: 10 }, (_, i) => `early/${i}`)

      await spoil({ kind, after })
      const big = () => attempt(() => memory.set({ key: 'big', value: `bigx ${'letters '.repeat(12_000)}`, type: 'note' }))
      const refused = await page.evaluate(big)
      expect(refused).toMatchObject({ code: 'STORAGE_FULL', message: expect.stringMatching(/no room/) })
      expect(await page.evaluate(() => attempt(() => memory.update({ key: 'early/1', value: 'changed' })))).toMatchObject({
        code: 'STORAGE_FULL',
      })
      expect(await missing(early)).toEqual([])

      await spoil(null)
      expect(await page.evaluate(() => memory.history('big'))).toEqual([])
      expect(await page.evaluate(big)).toMatchObject({ value: { key: 'big', noop: false } })
      expect(await page.evaluate(async () => (await memory.delete('early/0')).found)).toBe(true)
      await reopen(url)
      expect(await missing(early.slice(1))).toEqual([])
      expect((await page.evaluate(() => memory.storage())).memories).toBe(10)
      expect((await page.evaluate(() => memory.storage())).recovery).toBeNull()
    },
  )
})
