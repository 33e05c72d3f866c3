import type { Page } from 'playwright-core'
import type { LaunchedBrowser } from '../../support/chromium.js'
import { openPage } from '../../support/memory-page.js'
import type { TestServer } from '../../support/server.js'
import { readSentences } from './sentences.js'
import { textAt } from './texts.js'

export interface EndToEnd {
  readonly memories: number
  readonly p50: number
  readonly p95: number
  readonly setsPerSecond: number
  readonly bulkPerSecond: number
}

const BATCH = 2_000
const SETS = 200

const bulk = async (page: Page, from: number, texts: readonly string[]): Promise<number> =>
  page.evaluate(
    async ([first, values]) => {
      const entries = values.map((value, i) => ({ key: `bench/${first + i}`, value }))
      const start = performance.now()
      await memory.bulkSet(entries)
      return performance.now() - start
    },
    [from, texts] as const,
  )

/** Times of single calls, one after the other. */
const eachTime = (page: Page, kind: 'search' | 'set', texts: readonly string[], from = 0): Promise<number[]> =>
  page.evaluate(
    async ([what, values, first]) => {
      const times: number[] = []
      for (const [i, value] of values.entries()) {
        const start = performance.now()
        if (what === 'search') await memory.search(value)
        else await memory.set({ key: `bench/${first + i}`, value })
        times.push(performance.now() - start)
      }
      return times
    },
    [kind, texts, from] as const,
  )

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(share * times.length)] ?? 0

/** The whole library in a page: a store that grows, and what a search and a write take in it. */
export const measureEndToEnd = async (
  browser: LaunchedBrowser,
  server: TestServer,
  sizes: readonly number[],
): Promise<readonly EndToEnd[]> => {
  const sentences = readSentences()
  const page = await openPage(browser.context, server)
  page.setDefaultTimeout(0)
  await page.evaluate(async () => {
    globalThis.memory = await openMemory({ name: 'bench-search' })
  })
  const texts = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => textAt(sentences, from + i))
  const measured: EndToEnd[] = []
  let size = 0
  for (const target of sizes) {
    const [before, start] = [size, performance.now()]
    let spent = 0
    for (; size < target - SETS; size += Math.min(BATCH, target - SETS - size))
      spent += await bulk(page, size, texts(size, Math.min(BATCH, target - SETS - size)))
    const sets = await eachTime(page, 'set', texts(size, SETS), size)
    const bulkRows = size - before
    size += SETS
    await eachTime(page, 'search', sentences.asked.slice(0, 20))
    const searches = await eachTime(page, 'search', sentences.asked)
    measured.push({
      memories: size,
      p50: at(searches, 0.5),
      p95: at(searches, 0.95),
      setsPerSecond: (1_000 * SETS) / sets.reduce((sum, ms) => sum + ms, 0),
      bulkPerSecond: (1_000 * bulkRows) / spent,
    })
    process.stdout.write(`${size} memories: ${((performance.now() - start) / 1_000).toFixed(0)} s\n`)
  }
  await page.close()
  return measured
}
