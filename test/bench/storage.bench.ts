import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { bundle } from '../support/bundle.js'
import { type LaunchedBrowser, launchBrowser } from '../support/chromium.js'
import { startServer, type TestServer } from '../support/server.js'
import type { sentence } from './corpus.js'

/*
 * npm run bench:storage. Prints what a durable write, a bulk row, a point read and an opening cost at several sizes, with a bare insert
 * into the same file system beside it. Wall times of one machine: the ratios are what counts.
 */

const SIZES = process.env['SIZES']?.split(',').map(Number) ?? [1_000, 10_000, 100_000]
const SINGLES = 300
const READS = 500

interface Figures {
  readonly memories: number
  readonly singlesPerSecond: number
  readonly barePerSecond: number
  readonly bulkPerSecond: number
  readonly bareBulkPerSecond: number
  readonly readMs: number
  readonly openMs: number
  readonly firstSearchMs: number
  readonly joinMs: number
  readonly megabytes: number
}

interface OpenedMemory {
  bulkSet: (entries: object[]) => Promise<{ written: number }>
  set: (entry: object) => Promise<unknown>
  get: (key: string) => Promise<unknown>
  search: (query: string) => Promise<{ hits: unknown[] }>
  storage: () => Promise<{ usage: number }>
}
declare const globalThis: {
  openMemory: (name: string) => Promise<OpenedMemory>
  memory: OpenedMemory
  sentence: typeof sentence
}

const openPage = async (browser: LaunchedBrowser, server: TestServer, script: string): Promise<Page> => {
  const page = await browser.context.newPage()
  await page.goto(`${server.origin}/pages/memory.html`)
  await page.addScriptTag({ content: script, type: 'module' })
  await page.waitForFunction('globalThis.loaded && globalThis.sentence')
  return page
}

/** Opens the store in a page that has just been loaded; milliseconds to the open store and to the first answered search. */
const measureOpen = (page: Page): Promise<{ openMs: number; firstSearchMs: number }> =>
  page.evaluate(async () => {
    const start = performance.now()
    globalThis.memory = await globalThis.openMemory('bench')
    const openMs = performance.now() - start
    await globalThis.memory.search('who repaired a bicycle at the lake?')
    return { openMs, firstSearchMs: performance.now() - start }
  })

const startBare = async (page: Page): Promise<(command: string, count: number) => Promise<number>> => {
  const handle = await page.evaluateHandle(() => {
    const worker = new Worker('/bare-worker.js', { type: 'module' })
    let last = 0
    return (command: string, count: number): Promise<number> =>
      new Promise((resolve) => {
        const id = ++last
        worker.addEventListener('message', ({ data: [answered, ms] }) => {
          if (answered === id) resolve(ms)
        })
        worker.postMessage([id, command, count])
      })
  })
  return (command, count) => handle.evaluate((ask, given) => ask(given[0], given[1]), [command, count] as const)
}

const bulkTo = (page: Page, from: number, to: number): Promise<number> =>
  page.evaluate(
    async ([first, beyond]) => {
      let spent = 0
      for (let start = first; start < beyond; start += 2_000) {
        const entries = Array.from({ length: Math.min(2_000, beyond - start) }, (_, i) => ({
          key: `bench/${start + i + 1}`,
          value: globalThis.sentence(start + i + 1),
        }))
        const begun = performance.now()
        await globalThis.memory.bulkSet(entries)
        spent += performance.now() - begun
      }
      return spent
    },
    [from, to] as const,
  )

const singles = (page: Page, from: number): Promise<number> =>
  page.evaluate(
    async ([first, count]) => {
      const begun = performance.now()
      for (let i = 1; i <= count; i++)
        await globalThis.memory.set({ key: `bench/${first + i}`, value: globalThis.sentence(first + i) })
      return performance.now() - begun
    },
    [from, SINGLES] as const,
  )

const reads = (page: Page, size: number): Promise<number> =>
  page.evaluate(
    async ([count, held]) => {
      const times: number[] = []
      for (let i = 0; i < count; i++) {
        const start = performance.now()
        await globalThis.memory.get(`bench/${((i * 7919) % held) + 1}`)
        times.push(performance.now() - start)
      }
      return times.sort((a, b) => a - b)[Math.floor(count / 2)] ?? 0
    },
    [READS, size] as const,
  )

const row = (figures: Figures): string =>
  [
    figures.memories.toLocaleString('en'),
    `${figures.singlesPerSecond.toFixed(0)} / ${figures.barePerSecond.toFixed(0)} (${(figures.barePerSecond / figures.singlesPerSecond).toFixed(1)}x)`,
    `${figures.bulkPerSecond.toFixed(0)} / ${figures.bareBulkPerSecond.toFixed(0)}`,
    figures.readMs.toFixed(2),
    `${figures.openMs.toFixed(0)} / ${figures.firstSearchMs.toFixed(0)}`,
    figures.joinMs.toFixed(0),
    figures.megabytes.toFixed(0),
  ].join(' | ')

test('storage', async () => {
  const bareWorker = await bundle('bench/bare-worker.ts')
  const script = await bundle('bench/page.ts')
  const server = await startServer({
    overrides: (path) =>
      path === '/bare-worker.js' ? { body: bareWorker, headers: { 'content-type': 'text/javascript' } } : undefined,
  })
  const browser = await launchBrowser()
  // On an origin of its own, so that what it stores is not counted as ours.
  const elsewhere = { ...server, origin: server.origin.replace('127.0.0.1', 'localhost') }
  const barePage = await openPage(browser, elsewhere, script)
  const bare = await startBare(barePage)
  const table: string[] = []
  let page = await openPage(browser, server, script)
  await measureOpen(page)
  let size = 0
  let bareSize = 0
  for (const target of SIZES) {
    const bulkMs = await bulkTo(page, size, target - SINGLES)
    const bareBulk = Math.max(250, target - SINGLES - bareSize)
    const bareBulkMs = await bare('bulk', bareBulk)
    // Ours and the floor in turn, twice each; the better round of each counts.
    const ours = [await singles(page, target - SINGLES)]
    const floor = [await bare('single', SINGLES)]
    ours.push(await singles(page, target))
    floor.push(await bare('single', SINGLES))
    const bulkRows = target - SINGLES - size
    size = target + SINGLES
    bareSize += bareBulk + 2 * SINGLES
    const readMs = await reads(page, size)
    const megabytes = await page.evaluate(async () => (await globalThis.memory.storage()).usage / 1e6)
    const joining = await openPage(browser, server, script)
    const joinMs = (await measureOpen(joining)).openMs
    await joining.close()
    await page.close()
    page = await openPage(browser, server, script)
    const { openMs, firstSearchMs } = await measureOpen(page)
    table.push(
      row({
        memories: size,
        singlesPerSecond: (1000 * SINGLES) / Math.min(...ours),
        barePerSecond: (1000 * SINGLES) / Math.min(...floor),
        bulkPerSecond: (1000 * bulkRows) / bulkMs,
        bareBulkPerSecond: (1000 * bareBulk) / bareBulkMs,
        readMs,
        openMs,
        firstSearchMs,
        joinMs,
        megabytes,
      }),
    )
  }
  await browser.close()
  await server.close()
  process.stdout.write(
    `\nmemories | durable writes/s, ours / bare insert with FTS | bulk rows/s, ours / bare | point read p50 ms | open / to first search ms | join a leader ms | MB used\n--- | --- | --- | --- | --- | --- | ---\n${table.join('\n')}\n`,
  )
})
