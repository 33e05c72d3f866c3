import type { EmbedderNews, EmbedderWish, EmbedReply, EmbedRequest, ModelProgress } from '../../src/protocol/embedding.js'
import { MemoryError } from '../../src/protocol/errors.js'
import { abortedEmbedding } from '../abort.js'
import type { Embedder } from '../ports.js'

export interface PortEmbedderOptions {
  readonly id: string
  /** Left out where only the first answer tells. */
  readonly dims?: number | undefined
  /** The line to the page, which starts the embedder when it is asked to. */
  readonly line: MessagePort
  readonly onProgress?: (progress: ModelProgress) => void
}

interface Waiting {
  readonly texts: readonly string[]
  readonly resolve: (vectors: readonly Float32Array[]) => void
  readonly reject: (error: MemoryError) => void
}

/** Numbers a vector may have: more than any model, little enough for one row. */
const MOST_DIMS = 4096

/**
 * An embedder that the page brings, on the page or in a worker of its own, reached over a port that the page hands over when the
 * first text comes. Its answers are not trusted: number of vectors, their dims and every value are checked, and each vector is
 * scaled to unit length. What does not fit, what the embedder throws, and an embedder that is lost reject with EMBEDDING_FAILED;
 * the next call starts it anew. There is no time limit, since models may be slow: callers that want one abort.
 */
export const createPortEmbedder = ({ id, dims: given, line, onProgress }: PortEmbedderOptions): Embedder => {
  const waiting = new Map<number, Waiting>()
  let lastRequest = 0
  let dims = given ?? null
  let port: MessagePort | null = null
  let asked = false
  let starts = 0
  let closed = false
  let loading: ModelProgress | null = null

  const take = (request: number): Waiting | undefined => {
    const found = waiting.get(request)
    waiting.delete(request)
    return found
  }

  const failed = (cause: string): MemoryError =>
    new MemoryError(
      'EMBEDDING_FAILED',
      `The app's embedder ${id} did not answer with usable vectors: ${cause}. The next call tries again.`,
      { embedder: id, cause },
    )

  const lose = (cause: string): void => {
    port?.close()
    port = null
    asked = false
    loading = null
    for (const request of [...waiting.keys()]) take(request)?.reject(failed(cause))
  }

  const tell = (wish: EmbedderWish): void => line.postMessage(wish)
  const send = (request: EmbedRequest): void => port?.postMessage(request)

  const receive = (reply: EmbedReply): void => {
    if ('progress' in reply) {
      loading = reply.progress
      return onProgress?.(reply.progress)
    }
    // Nobody waits for the answer to an aborted request.
    const call = take(reply.id)
    if (call === undefined) return
    const outcome: unknown = 'message' in reply ? String(reply.message) : unitVectors(reply.vectors, call.texts.length, dims)
    if (typeof outcome === 'string') return call.reject(failed(outcome))
    loading = null
    const vectors = outcome as readonly Float32Array[]
    dims ??= vectors[0]?.length ?? null
    call.resolve(vectors)
  }

  const join = (joined: MessagePort): void => {
    port = joined
    port.addEventListener('message', ({ data }: MessageEvent<EmbedReply>) => receive(data))
    port.addEventListener('messageerror', () => lose('an answer could not be read'))
    // Not every browser tells; where none does, the page finds out and says that the embedder is lost.
    port.addEventListener('close', () => port === joined && lose('it ended'))
    port.start()
    for (const [number, { texts }] of waiting) send({ id: number, texts })
  }

  line.addEventListener('message', ({ data }: MessageEvent<EmbedderNews>) => {
    const isCurrent = asked && data.start === starts
    if (data.type === 'port' && isCurrent && port === null) join(data.port)
    // One that comes after the wish to end it is of no use.
    else if (data.type === 'port') data.port.close()
    else if (isCurrent) lose(data.cause)
  })
  line.addEventListener('close', () => {
    closed = true
    lose('the page closed the connection')
  })
  line.start()

  const request = (texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly Float32Array[]> => {
    const number = ++lastRequest
    const stop = (): void => {
      const call = take(number)
      if (call === undefined) return
      send({ id: number, abort: true })
      call.reject(abortedEmbedding())
    }
    const answer = new Promise<readonly Float32Array[]>((resolve, reject) => {
      waiting.set(number, { texts, resolve, reject })
      signal?.addEventListener('abort', stop, { once: true })
      send({ id: number, texts })
      if (!asked) tell({ type: 'start', start: ++starts })
      asked = true
    })
    return answer.finally(() => signal?.removeEventListener('abort', stop))
  }

  return {
    id,
    get dims() {
      return dims
    },
    builtIn: false,
    embed: async (texts, { signal } = {}) => {
      if (signal?.aborted) throw abortedEmbedding()
      if (texts.length === 0) return []
      if (closed) throw failed('the page closed the connection')
      return request(texts, signal)
    },
    loading: () => loading,
    stop: () => {
      if (!asked) return
      tell({ type: 'stop' })
      lose('it was stopped')
    },
  }
}

/** The vectors at unit length, or what is wrong with them. Without dims, the first vector tells them. */
const unitVectors = (vectors: unknown, count: number, known: number | null): readonly Float32Array[] | string => {
  if (!Array.isArray(vectors)) return 'the answer is not a list'
  if (vectors.length !== count) return `${vectors.length} vectors came for ${count} texts`
  const dims = known ?? (vectors[0] instanceof Float32Array ? vectors[0].length : 0)
  if (known === null && (dims < 1 || dims > MOST_DIMS)) return `vector 0 has ${dims} numbers`
  for (const [index, vector] of vectors.entries()) {
    if (!(vector instanceof Float32Array)) return `vector ${index} is not a Float32Array`
    if (vector.length !== dims) return `vector ${index} has ${vector.length} numbers instead of ${dims}`
    if (!vector.every(Number.isFinite)) return `vector ${index} holds a value that is not a finite number`
    scaleToUnit(vector)
  }
  return vectors
}

/** In place: the buffer was transferred, so nobody else reads it. The zero vector stays as it is. */
const scaleToUnit = (vector: Float32Array): void => {
  const length = Math.sqrt(vector.reduce((square, value) => square + value * value, 0))
  if (length === 0) return
  for (let d = 0; d < vector.length; d++) vector[d] = (vector[d] as number) / length
}
