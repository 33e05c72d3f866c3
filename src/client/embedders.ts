import { invalidArgument } from '../protocol/errors.js'
import { type EmbedFunction, hostEmbedder, type PageEmbedder } from './embedder-host.js'

/** An embedder that the page can start, wherever it runs. */
export interface EmbedderHost {
  readonly id: string
  readonly dims?: number
  /**
   * Starts it, and has it answer on the port. Calls `lost` with the reason when it ends by itself; returns what ends it.
   * `startWorker` starts the library's own embedder worker.
   */
  readonly start: (port: MessagePort, lost: (cause: string) => void, startWorker: () => Worker) => () => void
}

/**
 * An embedding model of the AI SDK, versions 5 to 7, such as `openai.embedding('text-embedding-3-small')`. Texts leave the device for
 * wherever it sends them.
 */
export interface EmbeddingModel {
  readonly provider: string
  readonly modelId: string
  readonly maxEmbeddingsPerCall?: number | undefined | PromiseLike<number | undefined>
  readonly supportsParallelCalls?: boolean | PromiseLike<boolean>
  doEmbed(options: {
    values: string[]
    abortSignal?: AbortSignal
  }): PromiseLike<{ readonly embeddings: readonly ArrayLike<number>[] }>
}

/**
 * What an app can bring as embedder: an object with `id` and `embed`; a model of the AI SDK, whose id is its provider and model;
 * what `transformersEmbedder` gives; or a plain function, whose id is its name. When the function changes and its name does not,
 * a stored probe notices at the next start, and everything is embedded anew. Minifiers rename functions: give a built app an id.
 */
export type AppEmbedder = PageEmbedder | EmbeddingModel | EmbedFunction | EmbedderHost

/** What the app gave under a name of an option, as something to start. */
export const readEmbedder = (given: unknown, option: string): EmbedderHost => {
  const host = hostOf(given, option)
  if (host === null)
    throw invalidArgument(
      option,
      typeof given === 'string'
        ? "must be 'auto', 'static', 'hash' or an embedder: instead of a model's name, pass the model itself, such as openai.embedding(name), or transformersEmbedder({ model: name, … })"
        : 'must be an object with id and embed, a model of the AI SDK, a function that embeds texts, or a transformersEmbedder',
    )
  const { id, dims } = host
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID)
    throw invalidArgument(`${option}.id`, `must be a text of 1 to ${LONGEST_ID} characters`)
  if (dims !== undefined && !(Number.isInteger(dims) && dims >= 1 && dims <= MOST_DIMS))
    throw invalidArgument(`${option}.dims`, `must be a whole number from 1 to ${MOST_DIMS}`)
  return host
}

const LONGEST_ID = 200
const MOST_DIMS = 4096

const hostOf = (given: unknown, option: string): EmbedderHost | null => {
  const { start, doEmbed, embed } = (given ?? {}) as Partial<EmbedderHost & EmbeddingModel & PageEmbedder>
  if (typeof start === 'function') return given as EmbedderHost
  if (typeof doEmbed === 'function') return onPage(fromModel(given as EmbeddingModel, option))
  if (typeof embed === 'function') return onPage(given as PageEmbedder)
  if (typeof given !== 'function') return null
  return onPage({ id: `function:${given.name || 'anonymous'}`, embed: given as EmbedFunction })
}

const onPage = (embedder: PageEmbedder): EmbedderHost => ({
  id: embedder.id,
  ...(embedder.dims === undefined ? {} : { dims: embedder.dims }),
  start: (port) => hostEmbedder(embedder, port),
})

const fromModel = (model: EmbeddingModel, option: string): PageEmbedder => {
  if (typeof model.provider !== 'string' || typeof model.modelId !== 'string')
    throw invalidArgument(option, 'must say its provider and modelId, as models of the AI SDK do')
  return {
    id: `${model.provider}:${model.modelId}`,
    embed: async (texts, { signal }) => {
      const most = (await model.maxEmbeddingsPerCall) ?? Number.POSITIVE_INFINITY
      const calls = most >= texts.length ? [texts] : slices(texts, Math.max(1, most))
      const call = async (values: readonly string[]) => {
        const { embeddings } = await model.doEmbed({ values: [...values], abortSignal: signal })
        // One vector too few would give all later texts of the whole the vector of another.
        if (embeddings.length === values.length) return embeddings
        throw new Error(`${embeddings.length} vectors came for ${values.length} texts`)
      }
      if (await model.supportsParallelCalls) return (await Promise.all(calls.map(call))).flat()
      const vectors: ArrayLike<number>[] = []
      for (const values of calls) {
        signal.throwIfAborted()
        vectors.push(...(await call(values)))
      }
      return vectors
    },
  }
}

const slices = (texts: readonly string[], size: number): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(texts.length / size) }, (_, i) => texts.slice(i * size, (i + 1) * size))
