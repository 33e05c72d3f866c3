import type { EmbedderHost } from '../client/embedders.js'
import type { ModelProgress } from '../protocol/embedding.js'
import type { TransformersLibrary } from './library.js'
import type { ModelOptions } from './messages.js'
import type { TransformersOptions } from './options.js'
import { shareWorker } from './share-worker.js'

/** Starts the embedder that the options describe: in a worker, or on the page. */
export const createStart = (options: TransformersOptions): EmbedderHost['start'] => {
  const { pipeline, env, worker = null, onProgress: report = () => undefined } = options
  if (pipeline === undefined) return shareWorker(() => dataOf(options), worker, report)
  const library = { pipeline, ...(env === undefined ? {} : { env }) }
  return (port, lost) => startOnPage(library, dataOf(options), port, lost, report)
}

/** Loads what the workers have inside, since few apps run a model on the page. */
const startOnPage = (
  library: TransformersLibrary,
  options: ModelOptions,
  port: MessagePort,
  lost: (cause: string) => void,
  report: (progress: ModelProgress) => void,
): (() => void) => {
  let stop: () => void = () => port.close()
  let stopped = false
  import('./serve.js').then(
    ({ hostOnPage }) => {
      if (!stopped) stop = hostOnPage(library, options, port, lost, report)
    },
    (error: unknown) => lost(`a part of palimpsest could not be loaded: ${error}`),
  )
  return () => {
    stopped = true
    stop()
  }
}

/** Read when the embedder starts: there may be no page when it is made. */
const dataOf = (options: TransformersOptions): ModelOptions => {
  const url = options.url === undefined ? null : absolute(options.url)
  const { wasmPaths = url === null ? null : folderOf(url) } = options
  return {
    url,
    model: options.model,
    revision: options.revision ?? 'main',
    dtype: options.dtype ?? 'q8',
    device: options.device ?? 'auto',
    pooling: options.pooling ?? 'mean',
    localModelPath: folder(options.localModelPath ?? '/models/'),
    remote: options.remote ?? false,
    wasmPaths: wasmPaths === null ? null : runtimeAt(wasmPaths),
    batchSize: options.batchSize ?? null,
    files: options.files ?? {},
    stallMs: options.stallMs ?? 30_000,
  }
}

const absolute = (url: string | URL): string => new URL(url, location.href).href

const folder = (url: string | URL): string => absolute(url).replace(/\/?$/, '/')

/** Null where an address has no folder: of a blob, or of data. */
const folderOf = (url: string): URL | null => (/^(blob|data):/.test(url) ? null : new URL('.', url))

const runtimeAt = (paths: NonNullable<TransformersOptions['wasmPaths']>): NonNullable<ModelOptions['wasmPaths']> => {
  if (typeof paths === 'string' || paths instanceof URL) return folder(paths)
  return Object.fromEntries(Object.entries(paths).map(([kind, url]) => [kind, absolute(url)]))
}
