import type { BrowserContext, Page } from 'playwright-core'
import type { ErrorCode, OpenOptions, StorageReport } from '../../src/index.js'
import { openPage, type PageOptions } from './memory-page.js'
import type { TestServer } from './server.js'

declare global {
  /** Of every page with the binding: tells the test what a tab's writer did. */
  var report: (write: WriteReport) => Promise<void>
  var stopWriting: () => Promise<void>
}

/** What became of one write. */
export interface WriteReport {
  readonly tab: string
  readonly key: string
  readonly code: ErrorCode | 'NOT_OURS' | 'HANGS' | null
  readonly message: string
}

/** What the writers of all tabs reported, outside of the browser: it survives whatever happens to the tabs. */
export interface Journal {
  readonly acknowledged: readonly string[]
  readonly failures: readonly WriteReport[]
  /** Resolves once a tab has that many more acknowledgements than now. */
  readonly more: (tab: string, count?: number) => Promise<void>
  /** The longest time a tab had to wait for one acknowledgement since it was last asked, in milliseconds. */
  readonly longestGap: (tab: string) => number
}

export const keepJournal = async (context: BrowserContext): Promise<Journal> => {
  const acknowledged: string[] = []
  const failures: WriteReport[] = []
  const counts = new Map<string, number>()
  const last = new Map<string, number>()
  const gaps = new Map<string, number>()
  const waiting = new Set<() => void>()
  await context.exposeBinding('report', (_source, write: WriteReport) => {
    const { tab } = write
    if (write.code !== null) failures.push(write)
    else {
      acknowledged.push(write.key)
      counts.set(tab, (counts.get(tab) ?? 0) + 1)
      const now = performance.now()
      gaps.set(tab, Math.max(gaps.get(tab) ?? 0, now - (last.get(tab) ?? now)))
      last.set(tab, now)
    }
    for (const look of [...waiting]) look()
  })
  return {
    acknowledged,
    failures,
    more: (tab, count = 1) =>
      new Promise((resolve) => {
        const wanted = (counts.get(tab) ?? 0) + count
        const look = (): void => {
          if ((counts.get(tab) ?? 0) < wanted) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
      }),
    longestGap: (tab) => {
      const gap = Math.round(gaps.get(tab) ?? 0)
      gaps.delete(tab)
      return gap
    },
  }
}

/** A tab with the store of that name open as `memory`. */
export const openTab = async (
  context: BrowserContext,
  server: TestServer,
  options: Omit<OpenOptions, 'embedder' | 'model' | 'judge'> & { readonly name: string },
  pageOptions: PageOptions = {},
): Promise<Page> => {
  const page = await openPage(context, server, pageOptions)
  await page.evaluate(async (given) => {
    globalThis.memory = await openMemory({ embedder: 'hash', ...given })
  }, options)
  return page
}

/** Writes as fast as it is acknowledged, each write under a key of its own, several at a time. */
export const startWriting = (page: Page, tab: string, atOnce = 2): Promise<void> =>
  page.evaluate(
    ([name, lanes]) => {
      let running = true
      const write = async (lane: number): Promise<void> => {
        for (let i = 0; running; i++) {
          const key = `${name}/${lane}/${i}`
          const { code, message } = await attempt(() => memory.set({ key, value: `written as ${key}` }))
          await report({ tab: name, key, code: code ?? null, message: message ?? '' })
          if (code !== undefined) return
        }
      }
      const lanesDone = Promise.all(Array.from({ length: lanes }, (_, lane) => write(lane)))
      globalThis.stopWriting = async () => {
        running = false
        await lanesDone
      }
    },
    [tab, atOnce] as const,
  )

export const stopWriting = (page: Page): Promise<void> => page.evaluate(() => globalThis.stopWriting())

export const isLeader = (page: Page): Promise<boolean> => page.evaluate(async () => (await memory.storage()).leader)

export const storageOf = (page: Page): Promise<StorageReport> => page.evaluate(() => memory.storage())

/** What is wrong with the keys: those that are not there as they were written, and those written more than once. */
export const misfits = (page: Page, keys: readonly string[]): Promise<readonly string[]> =>
  page.evaluate(async (wanted) => {
    const wrong: string[] = []
    for (const key of wanted) {
      const row = await memory.get(key)
      if (row?.value !== `written as ${key}`) wrong.push(`${key} holds ${JSON.stringify(row?.value)}`)
      const { length } = await memory.history(key)
      if (length !== 1) wrong.push(`${key} has ${length} versions`)
    }
    return wrong
  }, keys)

/** Every key of the store under a prefix, with how often it was written. */
export const versionCounts = (page: Page, keyPrefix: string): Promise<readonly (readonly [string, number])[]> =>
  page.evaluate(async (prefix) => {
    const counts: [string, number][] = []
    let cursor: string | undefined
    do {
      const { rows, nextCursor } = await memory.list({
        keyPrefix: prefix,
        limit: 1000,
        ...(cursor === undefined ? {} : { cursor }),
      })
      for (const { key } of rows) counts.push([key, (await memory.history(key)).length])
      cursor = nextCursor ?? undefined
    } while (cursor !== undefined)
    return counts
  }, keyPrefix)
