import { hostEmbedder } from '../client/embedder-host.js'
import type { ModelProgress } from '../protocol/embedding.js'
import type { TransformersLibrary } from './library.js'
import type { ModelOptions, ServeMessage, ServerMessage } from './messages.js'
import { type Model, startModel } from './model.js'

export type { TransformersLibrary } from './library.js'

/**
 * Makes a worker of your own the embedder of `transformersEmbedder({ worker })`. Call it once, at the top of a module worker that has
 * imported the library; your bundler then deals with the library as with any other package.
 *
 * ```ts no-run
 * // embedder-worker.ts
 * import { env, pipeline } from '@huggingface/transformers'
 * import { serveTransformers } from 'palimpsest/transformers'
 *
 * serveTransformers({ pipeline, env })
 * ```
 */
export const serveTransformers = (library: TransformersLibrary): void => serveFrom(async () => library)

/** What is used of a dedicated worker's global object. */
type WorkerScope = Pick<Worker, 'postMessage' | 'addEventListener'> & { fetch: typeof fetch }

/** Serves the page that started this worker, with a library that is loaded when the first port arrives. */
export const serveFrom = (loadLibrary: (url: string | null) => Promise<TransformersLibrary>): void => {
  const scope = globalThis as unknown as WorkerScope
  const say = (message: ServerMessage): void => scope.postMessage(message)
  let model: Model | null = null
  const ports = new Set<MessagePort>()

  const start = ({ options, alive }: ServeMessage): Model => {
    holdLock(alive, () => say({ type: 'palimpsest:embedder-alive' }))
    return startModel(() => loadLibrary(options.url), options, {
      replaceFetch: (guarded) => {
        scope.fetch = guarded
      },
      onProgress: (progress) => {
        for (const port of ports) port.postMessage({ progress })
        say({ type: 'palimpsest:embedder-progress', progress })
      },
      onLost: (cause) => say({ type: 'palimpsest:embedder-lost', cause }),
    })
  }

  scope.addEventListener('message', ({ data }: MessageEvent<ServeMessage>) => {
    if (data?.type !== 'palimpsest:serve') return
    model ??= start(data)
    ports.add(data.port)
    data.port.addEventListener('close', () => ports.delete(data.port))
    hostEmbedder(model, data.port)
  })
  say({ type: 'palimpsest:embedder' })
}

/** Runs a model where this is called, for one port. Returns what ends it. */
export const hostOnPage = (
  library: TransformersLibrary,
  options: ModelOptions,
  port: MessagePort,
  lost: (cause: string) => void,
  report: (progress: ModelProgress) => void,
): (() => void) => {
  const model = startModel(async () => library, options, {
    // The page's own is the app's.
    replaceFetch: null,
    onProgress: (progress) => {
      port.postMessage({ progress })
      report(progress)
    },
    onLost: lost,
  })
  const stop = hostEmbedder(model, port)
  return () => {
    stop()
    model.free()
  }
}

/** As long as this worker runs: a worker that is ended raises no event, but its locks come free. */
const holdLock = (name: string, held: () => void): void => {
  const { locks } = navigator
  if (locks === undefined) return held()
  void locks.request(name, () => {
    held()
    return new Promise(() => undefined)
  })
}
