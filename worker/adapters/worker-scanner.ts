import { PATTERN_LIMITS } from '../../src/domain/blacklist.js'
import { MemoryError } from '../../src/protocol/errors.js'
import type { PatternHello, PatternReply, PatternRequest } from '../patterns/messages.js'
import type { PatternScanner, Scan } from '../ports.js'

export interface WorkerScannerOptions {
  /** Starts the worker that runs `pattern-worker.js`. */
  readonly start: () => Worker
  /** Where that script is, for the message when it does not load. */
  readonly url: string
  readonly limits?: { readonly ruleMs: number; readonly writeMs: number }
}

/** How long the script may take to load. It is the time of no pattern. */
const HELLO_MS = 10_000
/** A timer that comes so late was held up by this thread, and so may the answer have been. */
const LATE_MS = 15

/** A running worker. It is asked one thing at a time. */
interface Line {
  readonly ask: (request: PatternRequest, receive: (reply: PatternReply) => void, fail: (error: MemoryError) => void) => void
  readonly end: () => void
}

/** Patterns in a worker of their own, which is ended when one of them runs out of its time: nothing else stops a match. */
export const createWorkerScanner = ({ start, url, limits = PATTERN_LIMITS }: WorkerScannerOptions): PatternScanner => {
  let running: Promise<Line> | null = null
  let last: Promise<unknown> = Promise.resolve()

  const open = (): Promise<Line> => {
    if (running !== null) return running
    const opening = openLine(start, url, () => {
      if (running === opening) running = null
    })
    running = opening
    opening.catch(() => undefined)
    return opening
  }

  /** Ends a worker that hangs; the next one is started at once, so that no write waits for its script. */
  const replace = (line: Line): void => {
    line.end()
    running = null
    void open()
  }

  const inTurn = <T>(work: (line: Line) => Promise<T>): Promise<T> => {
    const next = last.then(async () => work(await open()))
    last = next.catch(() => undefined)
    return next
  }

  return {
    check: (pattern) =>
      inTurn(
        (line) =>
          new Promise((resolve, reject) => {
            const box = timeBox(() => {
              replace(line)
              resolve('takes too long to be compiled')
            })
            box.arm(limits.writeMs)
            const receive = (reply: PatternReply): void => {
              box.stop()
              resolve('problem' in reply ? reply.problem : null)
            }
            line.ask({ task: 'check', pattern }, receive, (error) => {
              box.stop()
              reject(error)
            })
          }),
      ),
    scan: (patterns, texts) =>
      patterns.length === 0
        ? Promise.resolve({ kind: 'none' })
        : inTurn(
            (line) =>
              new Promise<Scan>((resolve, reject) => {
                const end = performance.now() + limits.writeMs
                let index = 0
                const box = timeBox(() => {
                  replace(line)
                  resolve({ kind: 'timeout', index })
                })
                const armNext = (): void => box.arm(Math.min(limits.ruleMs, Math.max(0, end - performance.now())))
                const receive = (reply: PatternReply): void => {
                  box.stop()
                  if ('found' in reply && reply.found) return resolve({ kind: 'match', index })
                  index++
                  if (index === patterns.length) return resolve({ kind: 'none' })
                  armNext()
                }
                armNext()
                line.ask({ task: 'scan', patterns, texts }, receive, (error) => {
                  box.stop()
                  reject(error)
                })
              }),
          ),
    stop: () => {
      void running?.then(
        (line) => line.end(),
        () => undefined,
      )
      running = null
    },
  }
}

/** Calls back when its time is over, with a short grace when this thread was too busy to hear of an answer. */
const timeBox = (over: () => void): { readonly arm: (ms: number) => void; readonly stop: () => void } => {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    arm: (ms) => {
      const due = performance.now() + ms
      timer = setTimeout(() => {
        if (performance.now() - due < LATE_MS) return over()
        timer = setTimeout(over, LATE_MS)
      }, ms)
    },
    stop: () => clearTimeout(timer),
  }
}

const openLine = (start: () => Worker, url: string, lost: () => void): Promise<Line> =>
  new Promise((resolve, reject) => {
    let receive: (reply: PatternReply) => void = () => undefined
    let fail: (error: MemoryError) => void = reject
    const lose = (cause: string): void => {
      clearTimeout(late)
      worker?.terminate()
      lost()
      fail(scannerFailed(url, cause))
    }
    const late = setTimeout(() => lose('it did not answer'), HELLO_MS)
    const worker = started(start, (cause) => queueMicrotask(() => lose(cause)))
    worker?.addEventListener('message', ({ data }: MessageEvent<PatternHello | PatternReply>) => {
      if (!('type' in data)) return receive(data)
      clearTimeout(late)
      resolve({
        ask: (request, hear, failed) => {
          receive = hear
          fail = failed
          worker.postMessage(request)
        },
        end: () => {
          receive = () => undefined
          fail = () => undefined
          worker.terminate()
        },
      })
    })
    worker?.addEventListener('error', (event) => {
      event.preventDefault()
      lose(event.message || 'the script is not there, is not JavaScript, or is blocked by the page policy')
    })
  })

const started = (start: () => Worker, failed: (cause: string) => void): Worker | null => {
  try {
    return start()
  } catch (error) {
    failed(error instanceof Error ? error.message : String(error))
    return null
  }
}

const scannerFailed = (url: string, cause: string): MemoryError =>
  new MemoryError(
    'WORKER_FAILED',
    `Patterns of the blacklist cannot be looked for: ${cause}. Serve pattern-worker.js beside the worker, or set assetBase.`,
    { url, cause },
  )

/** Starts the script from inside a worker. One of another origin cannot be a worker; one of this origin that imports it can. */
export const startPatternWorker = (url: string): Worker => {
  if (new URL(url, location.href).origin === location.origin || !url.startsWith('http'))
    return new Worker(url, { type: 'module' })
  const shim = URL.createObjectURL(new Blob([`import ${JSON.stringify(url)}`], { type: 'text/javascript' }))
  const worker = new Worker(shim, { type: 'module' })
  worker.addEventListener('message', () => URL.revokeObjectURL(shim), { once: true })
  return worker
}
