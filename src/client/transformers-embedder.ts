import { invalidArgument } from '../protocol/errors.js'
import type { TransformersOptions } from '../transformers/options.js'
import { isAddress } from './address.js'
import type { EmbedderHost } from './embedders.js'

/** A model of transformers.js, for the options `embedder` and `model` of `openMemory`. */
export type TransformersEmbedder = EmbedderHost

/**
 * An embedder that runs a model of transformers.js, under either of its names, `@huggingface/transformers` and `@xenova/transformers`.
 * The library is yours to install and to serve: nothing is imported, and nothing is fetched from another origin, unless you say so.
 *
 * Nothing is loaded before the first text. The model's files are checked (status, type, length, and hash where given) before they
 * are used and kept in the cache `palimpsest-models`, so that a web page served in place of a model is never kept as one. What goes
 * wrong rejects with EMBEDDING_FAILED, naming address and cause; the next call starts anew.
 *
 * Throws INVALID_ARGUMENT.
 *
 * ```ts no-run
 * const memory = await openMemory({
 *   name: 'chat',
 *   embedder: transformersEmbedder({ url: '/transformers/transformers.min.js', model: 'all-MiniLM-L6-v2' }),
 * })
 * ```
 */
export const transformersEmbedder = (options: TransformersOptions): TransformersEmbedder => {
  check(options)
  const { model, revision = 'main', dtype = 'q8', pooling = 'mean', dims } = options
  const id = `transformers:${model}@${revision}/${dtype}/${pooling}`
  return { id, ...(dims === undefined ? {} : { dims }), start: startLater(options) }
}

/** What starts it is loaded when it is wanted: the library's first script stays small. */
const startLater = (options: TransformersOptions): EmbedderHost['start'] => {
  let loading: Promise<EmbedderHost['start']> | null = null
  return (port, lost, startWorker) => {
    let stop = (): void => port.close()
    let stopped = false
    loading ??= import('../transformers/start.js').then(({ createStart }) => createStart(options))
    loading
      .then((start) => {
        if (!stopped) stop = start(port, lost, startWorker)
      })
      .catch((error: unknown) => {
        loading = null
        lost(`it could not be started: ${error instanceof Error ? error.message : error}`)
      })
    return () => {
      stopped = true
      stop()
    }
  }
}

type Check = readonly [fits: (value: unknown) => boolean, rule: string]

const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isPositive = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
const oneOf = (...values: readonly string[]): Check => [
  (value) => values.includes(value as string),
  `must be one of ${values.join(', ')}`,
]
const NAME: Check = [isName, 'must be a text']
const ADDRESS: Check = [isAddress, 'must be an address']
const FUNCTION: Check = [(value) => typeof value === 'function', 'must be a function']
const OBJECT: Check = [isObject, 'must be an object']
const NUMBER: Check = [isPositive, 'must be a whole number above 0']

const CHECKS: Readonly<Record<keyof TransformersOptions, Check>> = {
  url: ADDRESS,
  worker: FUNCTION,
  pipeline: FUNCTION,
  env: OBJECT,
  model: NAME,
  revision: NAME,
  dtype: NAME,
  device: oneOf('auto', 'webgpu', 'wasm'),
  pooling: oneOf('mean', 'cls', 'last_token'),
  dims: NUMBER,
  localModelPath: ADDRESS,
  remote: [(value) => typeof value === 'boolean', 'must be true or false'],
  wasmPaths: [(value) => isAddress(value) || isObject(value), 'must be an address, or an object with mjs and wasm'],
  batchSize: NUMBER,
  files: [(value) => isObject(value) && Object.values(value as object).every(isObject), 'must hold an object per path'],
  stallMs: NUMBER,
  onProgress: FUNCTION,
}

const check = (options: TransformersOptions): void => {
  if (!isObject(options)) throw invalidArgument('options', 'must be an object')
  for (const [option, value] of Object.entries(options)) {
    if (!Object.hasOwn(CHECKS, option)) throw invalidArgument(option, 'is not an option of transformersEmbedder')
    const [fits, rule] = CHECKS[option as keyof TransformersOptions]
    if (value !== undefined && !fits(value)) throw invalidArgument(option, rule)
  }
  if (options.model === undefined) throw invalidArgument('model', 'is missing')
  if ([options.url, options.worker, options.pipeline].filter((given) => given !== undefined).length !== 1)
    throw invalidArgument('url', 'or worker or pipeline must be given, and one of them only')
}
