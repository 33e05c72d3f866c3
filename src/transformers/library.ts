import type { ModelOptions } from './messages.js'

/**
 * The parts of transformers.js that are used, whichever version and name it comes under. Loosely typed: its own types differ
 * from version to version.
 */
export interface TransformersLibrary {
  readonly pipeline: (...args: never[]) => Promise<unknown>
  readonly env?: object
}

/** A feature extraction pipeline. */
export interface Extractor {
  (
    texts: readonly string[],
    options: object,
  ): Promise<{ readonly data: ArrayLike<number>; readonly dims: readonly number[] }>
  readonly tokenizer?: Tokenizer | null
  readonly model?: { readonly config?: { readonly max_position_embeddings?: number } }
  readonly dispose?: () => Promise<unknown>
}

type Tokenizer = ((text: string, options: object) => { readonly input_ids: { readonly dims: readonly number[] } }) & {
  readonly model_max_length?: number
}

interface Environment {
  allowLocalModels?: boolean
  allowRemoteModels?: boolean
  localModelPath?: string
  useBrowserCache?: boolean
  useCustomCache?: boolean
  useWasmCache?: boolean
  logLevel?: number
  fetch?: typeof fetch
  backends?: { onnx?: { wasm?: { wasmPaths?: unknown; proxy?: boolean } } }
}

/** The library takes no full address for a folder of models: it gets this one, which stands for the real one. */
export const MODELS = '/palimpsest-models/'

/** Its level for errors only. */
const ERRORS = 40

const CDN = /^https:\/\/cdn\.jsdelivr\.net\//

/** Sets the library up: models from where the options say, no cache but ours, no server that nobody named. */
export const configure = (
  { env }: TransformersLibrary,
  options: ModelOptions,
  guarded: { readonly fetch: typeof fetch; readonly everywhere: boolean },
): void => {
  if (env === undefined) return
  const settings: Environment = env
  const reached = guarded.everywhere || 'fetch' in settings
  settings.allowLocalModels = !options.remote
  settings.allowRemoteModels = options.remote
  settings.localModelPath = reached ? MODELS : options.localModelPath
  settings.useBrowserCache = false
  settings.useCustomCache = false
  settings.useWasmCache = false
  settings.logLevel = ERRORS
  if ('fetch' in settings) settings.fetch = guarded.fetch
  const wasm = settings.backends?.onnx?.wasm
  if (wasm === undefined) return
  wasm.proxy = false
  if (options.wasmPaths !== null) wasm.wasmPaths = options.wasmPaths
  else if (!options.remote && isOnCdn(wasm.wasmPaths))
    throw new Error('The runtime of the library would come from a CDN: set wasmPaths to the folder that has its .wasm file')
}

const isOnCdn = (paths: unknown): boolean => {
  const all = typeof paths === 'object' && paths !== null ? Object.values(paths) : [paths]
  return all.some((path) => CDN.test(String(path)))
}

/** Makes the pipeline, on the GPU where that is wanted and there is one. Answers which device it became, too. */
export const makeExtractor = async (
  library: TransformersLibrary,
  options: ModelOptions,
): Promise<{ readonly extractor: Extractor; readonly device: 'webgpu' | 'wasm' }> => {
  const make = library.pipeline as (...args: unknown[]) => Promise<unknown>
  const on = async (device: 'webgpu' | 'wasm') => {
    const { model, revision, dtype } = options
    // Old versions know `quantized` only, newer ones do not look at it.
    const made = await make('feature-extraction', model, { revision, dtype, device, quantized: dtype !== 'fp32' })
    return { extractor: made as Extractor, device }
  }
  if (!(await wantsGpu(options))) return on('wasm')
  return on('webgpu').catch(() => on('wasm'))
}

/**
 * By itself only for weights in floating point: with quantised ones, WebGPU has given wrong vectors without an error
 * (huggingface/transformers.js issues 1512 and 1728).
 */
const wantsGpu = async ({ device, dtype }: ModelOptions): Promise<boolean> => {
  if (device === 'wasm' || (device === 'auto' && !/^fp(16|32)$/.test(dtype))) return false
  const { gpu } = navigator as { gpu?: { requestAdapter: () => Promise<unknown> } }
  return gpu !== undefined && (await gpu.requestAdapter().catch(() => null)) !== null
}
