import type { ModelProgress } from '../protocol/embedding.js'
import { createFairQueue } from './fair-queue.js'
import { configure, type Extractor, MODELS, makeExtractor, type TransformersLibrary } from './library.js'
import type { ModelOptions } from './messages.js'
import { createModelFetch } from './model-fetch.js'
import { createProgressMeter } from './model-progress.js'
import { meanOf, type Window, windowsOf } from './windows.js'

export interface ModelHost {
  /** Puts a `fetch` in place of the global one, for versions of the library that call it. Null where that is somebody else's. */
  readonly replaceFetch: ((guarded: typeof fetch) => void) | null
  readonly onProgress: (progress: ModelProgress) => void
  /** The model cannot be used any more, or never could: whoever waits is to be told. */
  readonly onLost: (cause: string) => void
}

/** A model that embeds. */
export interface Model {
  readonly embed: (texts: readonly string[], options: { readonly signal: AbortSignal }) => Promise<readonly Float32Array[]>
  /** Gives back what it holds, where it cannot be ended with its worker. */
  readonly free: () => void
}

/** Loads a model at once; texts may be given before it is there. */
export const startModel = (
  loadLibrary: () => Promise<TransformersLibrary>,
  options: ModelOptions,
  host: ModelHost,
): Model => {
  /** Those who wait hear it on the other way, once they can start anew: an answer from here would be too early for that. */
  const lost = (error: unknown): Promise<never> => {
    host.onLost(messageOf(error))
    return new Promise(() => undefined)
  }
  const loading = load(loadLibrary, options, host).catch(lost)

  const run = async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    const { extractor } = await loading
    try {
      return await embedAll(extractor, texts, options)
    } catch (error) {
      return isFatal(error) ? lost(new Error(`The model broke down: ${messageOf(error)}`)) : Promise.reject(error)
    }
  }
  let batchSize = options.batchSize ?? 1
  // Processors have one thread here, and batches pad: texts one by one are as fast, and free of their neighbours.
  void loading.then(({ device }) => {
    if (device === 'webgpu') batchSize = options.batchSize ?? GPU_BATCH
  })
  const queue = createFairQueue(run, () => batchSize)
  return {
    embed: (texts, { signal }) => queue(texts, signal),
    free: () => void loading.then(({ extractor }) => extractor.dispose?.()).catch(() => undefined),
  }
}

const GPU_BATCH = 16

const load = async (
  loadLibrary: () => Promise<TransformersLibrary>,
  options: ModelOptions,
  host: ModelHost,
): ReturnType<typeof makeExtractor> => {
  const meter = createProgressMeter(host.onProgress, () => performance.now())
  const original = globalThis.fetch.bind(globalThis)
  const guard = createModelFetch({
    fetch: original,
    openCache,
    addressOf: (asked) => addressOf(asked, options.localModelPath),
    files: options.files,
    stallMs: options.stallMs,
    pause: (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds)),
    onBytes: meter.moved,
  })
  host.replaceFetch?.(guard.fetch)
  try {
    const library = await loadLibrary()
    if (typeof library.pipeline !== 'function') throw new Error(`${options.url ?? 'The library'} has no function pipeline`)
    configure(library, options, { fetch: guard.fetch, everywhere: host.replaceFetch !== null })
    const made = await makeExtractor(library, options)
    // Some versions go on without a tokenizer whose files are not there, and fail with the first text.
    if (made.extractor.tokenizer == null) throw new Error(`${options.model} has no tokenizer`)
    meter.finish()
    return made
  } catch (error) {
    const trouble = guard.trouble()
    throw trouble === null || messageOf(error).includes(trouble) ? error : new Error(`${trouble} (${messageOf(error)})`)
  }
}

/** Whole and checked files, kept for the next start. */
const CACHE = 'palimpsest-models'

const openCache = async (): Promise<Cache | null> => {
  try {
    return await caches.open(CACHE)
  } catch {
    // Not there without https, and closed to some private windows.
    return null
  }
}

const addressOf = (asked: string, localModelPath: string): string =>
  asked.startsWith(MODELS) ? new URL(asked.slice(MODELS.length), localModelPath).href : new URL(asked, localModelPath).href

const embedAll = async (
  extractor: Extractor,
  texts: readonly string[],
  options: ModelOptions,
): Promise<readonly Float32Array[]> => {
  const size = windowSize(extractor)
  const windows = texts.map((text) => windowsOf(text, size, (part) => countTokens(extractor, part)))
  if (windows.every(({ length }) => length === 1)) return extract(extractor, texts, options)
  const vectors: Float32Array[] = []
  for (const ofText of windows) vectors.push(await embedWindows(extractor, ofText, options))
  return vectors
}

const embedWindows = async (
  extractor: Extractor,
  windows: readonly Window[],
  options: ModelOptions,
): Promise<Float32Array> => {
  const vectors: Float32Array[] = []
  for (const { text } of windows) vectors.push(...(await extract(extractor, [text], options)))
  return meanOf(
    vectors,
    windows.map(({ weight }) => weight),
  )
}

const extract = async (
  extractor: Extractor,
  texts: readonly string[],
  { pooling }: ModelOptions,
): Promise<readonly Float32Array[]> => {
  const { data, dims } = await extractor(texts, { pooling, normalize: true })
  const [count, width] = dims
  if (dims.length !== 2 || count !== texts.length || width === undefined)
    throw new Error(`The model gave ${dims.join(' × ')} numbers for ${texts.length} texts`)
  return texts.map((_, index) => Float32Array.from({ length: width }, (_value, d) => data[index * width + d] as number))
}

/** Tokens that models without a limit of their own are given. */
const USUAL_WINDOW = 512

const windowSize = ({ tokenizer, model }: Extractor): number =>
  Math.min(tokenizer?.model_max_length ?? USUAL_WINDOW, model?.config?.max_position_embeddings ?? USUAL_WINDOW, USUAL_WINDOW)

const countTokens = ({ tokenizer }: Extractor, text: string): number =>
  tokenizer?.(text, { truncation: false, padding: false }).input_ids.dims.at(-1) ?? 0

/** Whether what is left of a runtime can still be trusted: it is full, broke off, or lost its device. Some throw bare numbers. */
const isFatal = (error: unknown): boolean =>
  typeof error === 'number' ||
  error instanceof WebAssembly.RuntimeError ||
  error instanceof RangeError ||
  /out of memory|out of bounds|bad_alloc|allocation failed|failed to allocate|unreachable|aborted\(|device (is|was) lost/i.test(
    messageOf(error),
  )

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
