import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { launchPlainBrowser, type PlainBrowser, type PlainTab } from '../support/plain-tabs.js'
import { startServer, type TestServer } from '../support/server.js'
import '../support/memory-page.js'

/** Longest time a tab may stand still when the leader goes. */
const PATIENCE_MS = 10_000

let server: TestServer
let browser: PlainBrowser

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  browser = await launchPlainBrowser()
})
afterEach(() => browser.close())

/** A tab that writes as fast as it is acknowledged and notes what was. */
const openWriter = async (tab: string): Promise<PlainTab> => {
  const page = await browser.openTab(`${server.origin}/pages/memory.html`)
  await expect.poll(() => page.evaluate(() => globalThis.loaded === true)).toBe(true)
  await page.evaluate(async (name) => {
    globalThis.memory = await openMemory({ name: 'frozen', embedder: 'hash' })
    const writer = { acknowledged: [] as string[], failures: [] as string[], running: true, gap: 0, frozen: 0 }
    document.addEventListener('freeze', () => writer.frozen++)
    Object.assign(globalThis, { writer })
    const run = async () => {
      for (let i = 0, from = performance.now(); writer.running; i++, from = performance.now()) {
        const key = `${name}/${i}`
        await memory.set({ key, value: `written as ${key}` }).then(
          () => writer.acknowledged.push(key),
          (error) => writer.failures.push(String(error)),
        )
        writer.gap = Math.max(writer.gap, performance.now() - from)
      }
    }
    void run()
  }, tab)
  return page
}

interface Writer {
  readonly acknowledged: readonly string[]
  readonly failures: readonly string[]
  readonly gap: number
  readonly frozen: number
}
const writerOf = (page: PlainTab): Promise<Writer> =>
  page.evaluate(() => (globalThis as unknown as { writer: Writer }).writer)
const stop = (page: PlainTab) =>
  page.evaluate(() => {
    ;(globalThis as unknown as { writer: { running: boolean } }).writer.running = false
  })
const leads = (page: PlainTab) => page.evaluate(async () => (await memory.storage()).leader)

const more = async (page: PlainTab, count: number): Promise<void> => {
  const before = (await writerOf(page)).acknowledged.length
  await expect
    .poll(async () => (await writerOf(page)).acknowledged.length, { timeout: 30_000 })
    .toBeGreaterThanOrEqual(before + count)
}

test('when the page of the leader is frozen, another tab takes over, and nothing is lost or written twice', async ({
  annotate,
}) => {
  const leader = await openWriter('leader')
  const one = await openWriter('one')
  const two = await openWriter('two')
  for (const page of [leader, one, two]) await more(page, 5)
  expect(await leads(leader)).toBe(true)

  await leader.setState('frozen')
  for (const page of [one, two]) await more(page, 20)
  await expect
    .poll(async () => (await Promise.all([one, two].map(leads))).filter(Boolean).length, { timeout: PATIENCE_MS })
    .toBe(1)

  await leader.setState('active')
  for (const page of [leader, one, two]) await more(page, 10)
  expect(await leads(leader)).toBe(false)
  for (const page of [leader, one, two]) await stop(page)
  const writers = await Promise.all([leader, one, two].map(writerOf))
  expect(writers.map(({ frozen }) => frozen)).toEqual([1, 0, 0])
  expect(writers.flatMap(({ failures }) => failures)).toEqual([])
  const gap = Math.max(...writers.slice(1).map((writer) => Math.round(writer.gap)))
  await annotate(`stood still for ${gap} ms`)
  expect(gap).toBeLessThan(PATIENCE_MS)

  const keys = writers.flatMap(({ acknowledged }) => acknowledged)
  const wrong = await one.evaluate(async (wanted) => {
    const found: string[] = []
    for (const key of wanted) {
      const versions = await memory.history(key)
      if (versions.length !== 1 || versions[0]?.value !== `written as ${key}`) found.push(key)
    }
    return found
  }, keys)
  expect(wrong).toEqual([])

  // The one that was frozen leads again when it is the last.
  await one.close()
  await two.close()
  await expect.poll(() => leads(leader), { timeout: PATIENCE_MS }).toBe(true)
})

test('a page that is frozen with no other tab there keeps the lead', async () => {
  const only = await openWriter('only')
  await more(only, 5)
  await only.setState('frozen')
  await only.setState('active')
  await more(only, 5)
  expect(await leads(only)).toBe(true)
  expect(await writerOf(only)).toMatchObject({ failures: [], frozen: 1 })
})

test('a tab opened while the leader is frozen opens and writes', async () => {
  const leader = await openWriter('leader')
  await more(leader, 5)
  await leader.setState('frozen')
  const late = await openWriter('late')
  await more(late, 20)
  expect((await writerOf(late)).failures).toEqual([])
})
