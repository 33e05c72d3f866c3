import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { openPage } from '../support/memory-page.js'
import { PACKAGE_MOUNTS, startServer, type TestServer } from '../support/server.js'
import { bundleStorageWorker, STORAGE_MOUNTS, startStorageWorker } from '../support/storage-page.js'
import { createWriteJournal, startLanes } from '../support/write-journal.js'

const CYCLES = process.env.LONG === '1' ? 200 : 10
/** A cycle takes 3 to 5 s; the machine may be busy. */
const CYCLE_MS = 30_000

let server: TestServer

beforeAll(async () => {
  server = await startServer({ mounts: { ...STORAGE_MOUNTS, ...PACKAGE_MOUNTS }, overrides: await bundleStorageWorker() })
})
afterAll(() => server.close())

const running = new Set<LaunchedBrowser>()
afterEach(async () => {
  for (const browser of running) await browser.close()
  running.clear()
})

const launch = async (userDataDir?: string): Promise<LaunchedBrowser> => {
  const browser = await launchBrowser(userDataDir === undefined ? {} : { userDataDir })
  running.add(browser)
  return browser
}

const openStore = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    globalThis.memory = await openMemory({ name: 'crash', embedder: 'hash' })
  })

/** What SQLite itself says of the file, once the library has let go of it. */
const inspect = async (page: Page): Promise<readonly unknown[]> => {
  const worker = await startStorageWorker(page)
  await worker.call('open', 'opfs', 'crash')
  const found = await worker.call<readonly unknown[]>('all', 'pragma integrity_check')
  await worker.call('run', "insert into lexicon (lexicon) values ('integrity-check')")
  await worker.call('close')
  await worker.terminate()
  return found
}

const SOUND = [{ integrity_check: 'ok' }]

/** Any moment from the first acknowledgements on. */
const randomMoment = () => new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 700))

const launchCounted = async (userDataDir: string, failed: () => void): Promise<LaunchedBrowser> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await launch(userDataDir)
    } catch (error) {
      failed()
      if (attempt === 5) throw error
    }
}

test(
  `nothing acknowledged is lost and nothing is damaged when the browser is killed ${CYCLES} times while a page writes`,
  async ({ annotate }) => {
    const userDataDir = await mkdtemp(join(tmpdir(), 'palimpsest-profile-'))
    const journal = createWriteJournal()
    let launchFailures = 0
    let kills = 0
    for (let cycle = 0; cycle <= CYCLES; cycle++) {
      const browser = await launchCounted(userDataDir, () => launchFailures++)
      await journal.listen(browser.context)
      const page = await openPage(browser.context, server)
      await openStore(page)
      expect(await journal.check(page, cycle === CYCLES ? 'everything' : 'recent')).toEqual([])
      expect(await page.evaluate(async () => (await memory.storage()).recovery)).toBeNull()
      await page.evaluate(() => memory.close())
      if (cycle > 0) expect(await inspect(page)).toEqual(SOUND)
      if (cycle === CYCLES) {
        await browser.close()
        break
      }
      await openStore(page)
      await startLanes(page, `k${cycle}`)
      await journal.next()
      await randomMoment()
      await browser.kill()
      kills++
    }
    await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 })
    await annotate(`${kills} kills, ${journal.acknowledged()} writes acknowledged, ${launchFailures} launches failed`)
    expect(journal.failures).toEqual([])
    expect(journal.acknowledged()).toBeGreaterThan(CYCLES)
  },
  CYCLES * CYCLE_MS,
)

test(
  `nothing acknowledged is lost and nothing is damaged when the worker is ended ${CYCLES} times while it writes`,
  async ({ annotate }) => {
    const browser = await launch()
    const journal = createWriteJournal()
    await journal.listen(browser.context)
    const page = await openPage(browser.context, server)
    const reopened: number[] = []
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      await openStore(page)
      await startLanes(page, `t${cycle}`)
      await journal.next()
      await randomMoment()
      await page.evaluate(() => startedWorkers.at(-1)?.terminate())
      // Every lane ends with an error of ours: none hangs.
      await expect.poll(() => journal.failures.length, { timeout: 20_000 }).toBe(3)
      for (const failure of journal.failures.splice(0)) expect(failure).toMatch(/^MemoryError: .*it was ended/)
      const start = performance.now()
      await openStore(page)
      reopened.push(Math.round(performance.now() - start))
      expect(await journal.check(page, cycle === CYCLES - 1 ? 'everything' : 'recent')).toEqual([])
      await page.evaluate(() => memory.close())
      expect(await inspect(page)).toEqual(SOUND)
    }
    await annotate(
      `${CYCLES} ends, ${journal.acknowledged()} writes acknowledged, reopened in ${reopened.sort((a, b) => a - b).join(', ')} ms`,
    )
    await browser.close()
  },
  CYCLES * CYCLE_MS,
)

test(
  'nothing acknowledged is lost when the page is closed, left or reloaded in the middle of a write',
  async () => {
    const browser = await launch()
    const journal = createWriteJournal()
    await journal.listen(browser.context)
    const ways = {
      close: (page: Page) => page.close(),
      leave: async (page: Page) => void (await page.goto(`${server.origin}/pages/blank.html`)),
      reload: async (page: Page) => void (await page.reload()),
      'close asking the page': (page: Page) => page.close({ runBeforeUnload: true }),
    }
    for (const [way, go] of Object.entries(ways)) {
      const page = await openPage(browser.context, server)
      await openStore(page)
      await startLanes(page, way.replaceAll(' ', '-'))
      for (let i = 0; i < 8; i++) await journal.next()
      await go(page)
      const next = await openPage(browser.context, server)
      await openStore(next)
      expect(await journal.check(next, 'everything'), way).toEqual([])
      await next.evaluate(() => memory.close())
      expect(await inspect(next)).toEqual(SOUND)
      await next.close()
    }
  },
  4 * CYCLE_MS,
)
