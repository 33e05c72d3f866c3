import type { BrowserContext, Page } from 'playwright-core'
import type * as palimpsest from '../../src/index.js'
import type { ErrorCode, Memory } from '../../src/index.js'
import type { TestServer } from './server.js'

/** What became of a call in a page: errors lose their code on the way to Node. */
export interface Attempt<T = unknown> {
  readonly value?: T
  /** NOT_OURS for anything but a MemoryError, HANGS for what did not settle in time. */
  readonly code?: ErrorCode | 'NOT_OURS' | 'HANGS'
  readonly message?: string
  readonly details?: unknown
  readonly ms: number
}

declare global {
  /** Of the library, put there by `pages/memory.html`. */
  var openMemory: typeof palimpsest.openMemory
  var transformersEmbedder: typeof palimpsest.transformersEmbedder
  var MemoryError: typeof palimpsest.MemoryError
  var loaded: boolean | undefined
  /** For the test: the store it works with. */
  var memory: Memory
  /** The workers this page started, in order. */
  var startedWorkers: Worker[]
  var attempt: <T>(work: () => PromiseLike<T> | T, within?: number) => Promise<Attempt<T>>
}

/** Runs in the page before its own scripts. */
const prepare = (): void => {
  globalThis.startedWorkers = []
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options)
      startedWorkers.push(this)
    }
  }
  globalThis.attempt = async (work, within = 30_000) => {
    const start = performance.now()
    const ms = () => Math.round(performance.now() - start)
    let late: ReturnType<typeof setTimeout> | undefined
    const hangs = new Promise<{ code: 'HANGS'; ms: number }>((resolve) => {
      late = setTimeout(() => resolve({ code: 'HANGS', ms: within }), within)
    })
    const done = (async () => {
      try {
        return { value: await work(), ms: ms() }
      } catch (error) {
        if (error instanceof MemoryError)
          return { code: error.code, message: error.message, details: error.details, ms: ms() }
        return { code: 'NOT_OURS' as const, message: String(error), ms: ms() }
      }
    })()
    const result = await Promise.race([done, hangs])
    clearTimeout(late)
    return result
  }
}

export interface PageOptions {
  readonly path?: string
  /** Runs in the page before its own scripts. */
  readonly before?: () => void
  /** Puts a clock into the page that the test can move. */
  readonly clock?: boolean
}

/** Opens a page that has the library, and `attempt`, on its global object. */
export const openPage = async (
  context: BrowserContext,
  server: TestServer,
  { path = '/pages/memory.html', before, clock = false }: PageOptions = {},
): Promise<Page> => {
  const page = await context.newPage()
  await page.addInitScript(prepare)
  if (before !== undefined) await page.addInitScript(before)
  if (clock) await page.clock.install()
  await page.goto(server.origin + path)
  await page.waitForFunction(() => globalThis.loaded === true)
  return page
}
