import { type CDPSession, chromium } from 'playwright-core'
import { findChromium } from './find-chromium.mjs'

/*
 * Tabs driven by the browser's own protocol alone. Playwright keeps every page of its own focused, and a page that counts as
 * visible is never frozen: these can be.
 */

export interface PlainTab {
  /** Runs a function in the page with plain arguments, and answers what it resolves to. */
  readonly evaluate: <Args extends readonly unknown[], T>(
    work: (...args: Args) => Promise<T> | T,
    ...args: Args
  ) => Promise<T>
  readonly setState: (state: 'frozen' | 'active') => Promise<void>
  readonly close: () => Promise<void>
}

export interface PlainBrowser {
  readonly openTab: (url: string) => Promise<PlainTab>
  readonly close: () => Promise<void>
}

interface Answer {
  readonly id?: number
  readonly result?: {
    readonly result?: { readonly value?: unknown }
    readonly exceptionDetails?: { readonly exception?: { readonly description?: string } }
  }
  readonly error?: { readonly message: string }
}

export const launchPlainBrowser = async (): Promise<PlainBrowser> => {
  const executablePath = await findChromium()
  if (executablePath === null) throw new Error('No Chromium found.')
  const browser = await chromium.launch({ executablePath, headless: true, args: ['--disable-gpu'] })
  const root = await browser.newBrowserCDPSession()
  // Playwright lets go of pages in a context that it has not made.
  const { browserContextId } = await root.send('Target.createBrowserContext')
  return {
    openTab: async (url) => {
      const { targetId } = await root.send('Target.createTarget', { url, browserContextId })
      return attach(root, targetId)
    },
    close: () => browser.close(),
  }
}

const attach = async (root: CDPSession, targetId: string): Promise<PlainTab> => {
  const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: false })
  const waiting = new Map<number, (answer: Answer) => void>()
  let last = 0
  root.on('Target.receivedMessageFromTarget', (event) => {
    if (event.sessionId !== sessionId) return
    const answer = JSON.parse(event.message) as Answer
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
  })
  const send = async (method: string, params: object): Promise<NonNullable<Answer['result']>> => {
    const id = ++last
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve))
    await root.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) })
    const { result, error } = await answered
    waiting.delete(id)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result ?? {}
  }
  return {
    evaluate: async <T>(work: (...args: never[]) => unknown, ...args: readonly unknown[]) => {
      const expression = `(${work.toString()})(...${JSON.stringify(args)})`
      const { result, exceptionDetails } = await send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      })
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? 'It threw in the page.')
      return result?.value as T
    },
    setState: async (state) => void (await send('Page.setWebLifecycleState', { state })),
    close: async () => void (await root.send('Target.closeTarget', { targetId })),
  }
}
