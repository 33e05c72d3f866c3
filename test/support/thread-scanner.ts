import { Worker as Thread } from 'node:worker_threads'
import { createWorkerScanner, type WorkerScannerOptions } from '../../worker/adapters/worker-scanner.js'
import type { PatternScanner } from '../../worker/ports.js'
import { bundle } from './bundle.js'

/** What a dedicated worker of a browser has, in a thread of Node. */
const PRELUDE = `
  const { parentPort } = require('node:worker_threads')
  globalThis.postMessage = (message) => parentPort.postMessage(message)
  globalThis.addEventListener = (type, receive) => parentPort.on(type, (data) => receive({ data }))
`

/** A thread of Node behind the part of a browser's worker that the scanner uses. */
const asWorker = (thread: Thread): Worker =>
  ({
    postMessage: (message: unknown) => thread.postMessage(message),
    terminate: () => void thread.terminate(),
    addEventListener: (type: string, receive: (event: unknown) => void) => {
      if (type === 'message') thread.on('message', (data) => receive({ data }))
      if (type === 'error') thread.on('error', ({ message }) => receive({ message, preventDefault: () => undefined }))
    },
  }) as unknown as Worker

/** The scanner of browsers, on the real script, in threads of Node. Counts the threads it started. */
export const createThreadScanner = async (
  limits?: WorkerScannerOptions['limits'],
): Promise<PatternScanner & { readonly started: () => number }> => {
  const code = await (script ??= bundle('../worker/patterns/main.ts'))
  let started = 0
  const start = (): Worker => {
    started++
    return asWorker(new Thread(PRELUDE + code, { eval: true }))
  }
  const scanner = createWorkerScanner({ start, url: 'pattern-worker.js', ...(limits === undefined ? {} : { limits }) })
  return { ...scanner, started: () => started }
}

let script: Promise<string> | null = null
