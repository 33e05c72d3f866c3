import type { EmbedderHost } from '../client/embedders.js'
import type { ModelProgress } from '../protocol/embedding.js'
import type { ModelOptions, ServeMessage, ServerMessage } from './messages.js'

/**
 * Starts an embedder in a worker, one for all stores that use it. The worker ends with the last of them, or when it is lost; the next
 * start is then another worker.
 *
 * @param own starts the app's worker; null has the library's
 */
export const shareWorker = (
  optionsOf: () => ModelOptions,
  own: (() => Worker) | null,
  report: (progress: ModelProgress) => void,
): EmbedderHost['start'] => {
  let running: EmbedderWorker | null = null
  const name = own === null ? 'embedder-worker.js' : 'the worker'
  const ended = (): void => {
    running = null
  }
  return (port, lost, startWorker) => {
    running ??= launch((own ?? startWorker)(), name, optionsOf(), report, ended)
    return running.join(port, lost)
  }
}

interface EmbedderWorker {
  readonly join: (port: MessagePort, lost: (cause: string) => void) => () => void
}

const launch = (
  worker: Worker,
  name: string,
  options: ModelOptions,
  report: (progress: ModelProgress) => void,
  ended: () => void,
): EmbedderWorker => {
  const alive = `palimpsest:embedder:${Math.random()}`
  const users = new Set<(cause: string) => void>()
  let over = false

  const end = (): void => {
    over = true
    clearTimeout(late)
    worker.terminate()
    ended()
  }
  const fail = (cause: string): void => {
    if (over) return
    over = true
    // Before the worker ends, and with it the ports that it answers on: those who wait are to hear the reason first.
    for (const lost of [...users]) lost(cause)
    end()
  }
  const late = setTimeout(() => fail(`${name} did not answer`), HELLO_MS)

  worker.addEventListener('error', (event) => {
    event.preventDefault()
    fail(`${name} does not run: ${event.message || NOT_LOADED}`)
  })
  worker.addEventListener('messageerror', () => fail(`a message of ${name} could not be read`))
  worker.addEventListener('message', ({ data }: MessageEvent<ServerMessage>) => {
    if (data?.type === 'palimpsest:embedder') clearTimeout(late)
    // A worker that is ended raises no event here, but the lock it holds comes free.
    else if (data?.type === 'palimpsest:embedder-alive')
      void navigator.locks?.request(alive, () => fail(`${name} was ended`))
    else if (data?.type === 'palimpsest:embedder-progress') report(data.progress)
    else if (data?.type === 'palimpsest:embedder-lost') fail(data.cause)
  })

  return {
    join: (port, lost) => {
      users.add(lost)
      const message: ServeMessage = { type: 'palimpsest:serve', port, alive, options }
      worker.postMessage(message, [port])
      return () => {
        users.delete(lost)
        if (users.size === 0 && !over) end()
      }
    },
  }
}

/** How long a script may take to say its first word. A worker of the app's has loaded the library by then. */
const HELLO_MS = 30_000

/** A script that is missing or has the wrong type raises an error without a word. */
const NOT_LOADED = 'the script is not there, is not JavaScript, or is blocked by the page policy'
