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

const all = async (pages: readonly PlainTab[], count: number): Promise<void> => {
  await Promise.all(pages.map((page) => more(page, count)))
}

const leaders = async (pages: readonly PlainTab[]) => (await Promise.all(pages.map(leads))).filter(Boolean).length

/** Keys that were acknowledged and are not there exactly once, as seen by a tab. */
const misfits = (page: PlainTab, keys: readonly string[]) =>
  page.evaluate(async (wanted) => {
    const found: string[] = []
    for (const key of wanted) {
      const versions = await memory.history(key)
      if (versions.length !== 1 || versions[0]?.value !== `written as ${key}`) found.push(key)
    }
    return found
  }, keys)

const settle = async (pages: readonly PlainTab[]): Promise<readonly Writer[]> => {
  for (const page of pages) await stop(page)
  const writers = await Promise.all(pages.map(writerOf))
  expect(writers.flatMap(({ failures }) => failures)).toEqual([])
  const keys = writers.flatMap(({ acknowledged }) => acknowledged)
  expect(await misfits(pages[1] as PlainTab, keys)).toEqual([])
  return writers
}

test('a leader whose page is about to freeze hands over at once, and takes part again when it thaws', async ({
  annotate,
}) => {
  const leader = await openWriter('leader')
  const others = [await openWriter('one'), await openWriter('two')]
  const pages = [leader, ...others]
  await all(pages, 5)
  expect(await leads(leader)).toBe(true)

  // What a page hears with time to spare; by the protocol it would come in the same moment as the freezing itself.
  await leader.evaluate(() => void document.dispatchEvent(new Event('freeze')))
  await expect.poll(() => leaders(others), { timeout: PATIENCE_MS }).toBe(1)
  await leader.setState('frozen')
  await all(others, 20)
  await leader.setState('active')
  await all(pages, 10)
  expect(await leads(leader)).toBe(false)

  const writers = await settle(pages)
  expect(writers.map(({ frozen }) => frozen)).toEqual([2, 0, 0])
  const gap = Math.max(...writers.slice(1).map((writer) => Math.round(writer.gap)))
  await annotate(`stood still for ${gap} ms`)
  expect(gap).toBeLessThan(PATIENCE_MS)

  for (const page of others) await page.close()
  await expect.poll(() => leads(leader), { timeout: PATIENCE_MS }).toBe(true)
})

/*
 * Chromium does not freeze a page whose lock others wait for; the protocol does, and stops the page's worker in the same
 * moment, often before it hears of it. Then nobody can take its files away.
 */
test('calls to a leader that was frozen without warning wait, and are answered once when it thaws', async () => {
  const leader = await openWriter('leader')
  const others = [await openWriter('one'), await openWriter('two')]
  const pages = [leader, ...others]
  await all(pages, 5)
  await leader.setState('frozen')
  await leader.setState('active')
  await all(pages, 10)
  await leader.setState('frozen')
  const late = openWriter('late')
  await leader.setState('active')
  pages.push(await late)
  await all(pages, 10)
  await settle(pages)
  expect(await leaders(pages)).toBe(1)
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
