import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { bundle } from './bundle.js'
import type { Overrides } from './server.js'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

export const STORAGE_MOUNTS = {
  '/pages/': path('../browser/pages/'),
  '/sqlite/': path('../../node_modules/@sqlite.org/sqlite-wasm/dist/'),
}

/** The worker of `pages/storage-worker.ts` as one script, served under its name. */
export const bundleStorageWorker = async (): Promise<Overrides> => {
  const body = await bundle('browser/pages/storage-worker.ts')
  return (asked) => (asked === '/pages/storage-worker.js' ? { body } : undefined)
}

export interface Outcome {
  readonly value?: unknown
  readonly failure?: { readonly code: string | null; readonly message: string; readonly details: unknown }
}

/** One worker of a page. */
export interface StorageWorker {
  /** Answers the command's value, or throws its failure. */
  readonly call: <T = unknown>(command: string, ...args: readonly unknown[]) => Promise<T>
  readonly outcome: (command: string, ...args: readonly unknown[]) => Promise<Outcome>
  readonly terminate: () => Promise<void>
}

/** Starts a worker in a page of the test server. */
export const startStorageWorker = async (page: Page): Promise<StorageWorker> => {
  const handle = await page.evaluateHandle(() => {
    const worker = new Worker('/pages/storage-worker.js', { type: 'module' })
    const waiting = new Map<number, (outcome: Outcome) => void>()
    worker.addEventListener('message', ({ data: [id, outcome] }: MessageEvent<[number, Outcome]>) =>
      waiting.get(id)?.(outcome),
    )
    worker.addEventListener('error', (event) => {
      for (const answer of waiting.values()) answer({ failure: { code: null, message: event.message, details: null } })
    })
    let last = 0
    return {
      ask: (command: string, args: readonly unknown[]) =>
        new Promise<Outcome>((resolve) => {
          last++
          waiting.set(last, resolve)
          worker.postMessage([last, command, args])
        }),
      terminate: () => worker.terminate(),
    }
  })
  const outcome: StorageWorker['outcome'] = (command, ...args) =>
    handle.evaluate(({ ask }, [name, given]) => ask(name, given), [command, args] as const)
  return {
    outcome,
    call: async <T>(command: string, ...args: readonly unknown[]) => {
      const { value, failure } = await outcome(command, ...args)
      if (failure !== undefined)
        throw new Error(`${command}: ${failure.code ?? ''} ${failure.message} ${JSON.stringify(failure.details)}`)
      return value as T
    },
    terminate: () => handle.evaluate(({ terminate }) => terminate()),
  }
}
