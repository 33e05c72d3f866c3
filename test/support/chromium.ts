import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from './find-chromium.mjs'

// About one start in 150 fails when the browser before it was killed on the same profile.
const LAUNCH_ATTEMPTS = 3

export interface LaunchOptions {
  /** Profile to start on, kept afterwards. Default: a fresh one, removed on close. */
  readonly userDataDir?: string
  readonly args?: readonly string[]
  /** Arguments that Playwright would add and that are in the way. */
  readonly withoutArgs?: readonly string[]
}

export interface LaunchedBrowser {
  readonly context: BrowserContext
  /** The browser's main process. */
  readonly pid: number
  readonly userDataDir: string
  /** What its pages and their workers wrote to the console as errors or did not catch, in order. Tests may empty it. */
  readonly errors: string[]
  /** SIGKILL, as when the system runs out of memory: nothing is flushed. Resolves when the browser is gone. */
  readonly kill: () => Promise<void>
  /** Closes it in good order and removes the profile if it was a fresh one. Also after `kill`. */
  readonly close: () => Promise<void>
}

export const launchBrowser = async (options: LaunchOptions = {}): Promise<LaunchedBrowser> => {
  const userDataDir = options.userDataDir ?? (await mkdtemp(join(tmpdir(), 'palimpsest-profile-')))
  const context = await launch(userDataDir, options)
  const pid = await browserPid(context)
  const gone = new Promise<void>((resolve) => context.once('close', () => resolve()))
  return {
    context,
    pid,
    userDataDir,
    errors: collectErrors(context),
    kill: async () => {
      process.kill(pid, 'SIGKILL')
      await gone
      // The connection ends a moment before the process does.
      while (isAlive(pid)) await new Promise((resume) => setTimeout(resume, 10))
    },
    close: async () => {
      await context.close()
      // A killed browser's children may still be writing for a moment.
      if (options.userDataDir === undefined) await rm(userDataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const launch = async (userDataDir: string, options: LaunchOptions): Promise<BrowserContext> => {
  const executablePath = await findChromium()
  if (executablePath === null)
    throw new Error('No Chromium found: set CHROMIUM_BIN or run `npx playwright-core install chromium`.')
  for (let attempt = 1; ; attempt++) {
    try {
      return await chromium.launchPersistentContext(userDataDir, {
        executablePath,
        headless: true,
        args: ['--disable-gpu', ...(options.args ?? [])],
        ignoreDefaultArgs: [...(options.withoutArgs ?? [])],
      })
    } catch (error) {
      if (attempt === LAUNCH_ATTEMPTS) throw error
    }
  }
}

/** Asked of the browser itself: what was started may be a shell script. */
const browserPid = async (context: BrowserContext): Promise<number> => {
  const browser = context.browser()
  if (browser === null) throw new Error('This context has no browser of its own.')
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const main = processInfo.find(({ type }) => type === 'browser')
  if (main === undefined) throw new Error('The browser does not name its main process.')
  return main.id
}

const collectErrors = (context: BrowserContext): string[] => {
  const errors: string[] = []
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (event) => errors.push(`uncaught ${String(event.error())}`))
  return errors
}

/**
 * Imports a module in the page and hands it to scripts there as `globalThis[name]`. Passed as text: an `import()` written in
 * a function given to `page.evaluate` is rewritten by the test runner and fails in the page.
 */
export const importInPage = async (page: Page, url: string, name: string): Promise<void> => {
  await page.evaluate(`import(${JSON.stringify(url)}).then((module) => { globalThis[${JSON.stringify(name)}] = module })`)
}
