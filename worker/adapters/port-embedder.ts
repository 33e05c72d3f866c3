import { MemoryError } from '../../src/protocol/errors.js'
import type { Embedder } from '../ports.js'

export interface PortEmbedderOptions {
  readonly id: string
  readonly dims: number
  /** The far end is served by `hostEmbedder`. */
  readonly port: MessagePort
}

interface Waiting {
  readonly count: number
  readonly resolve: (vectors: readonly Float32Array[]) => void
  readonly reject: (error: MemoryError) => void
}

/**
 * An embedder that lives on the page, reached over a port. Its answers are not trusted: number of vectors, their dims and
 * every value are checked, and each vector is scaled to unit length. What does not fit, what the page's embedder throws, and
 * a port that closes reject with EMBEDDING_FAILED. There is no time limit, since models may be slow: callers that want one
 * abort.
 */
export const createPortEmbedder = ({ id, dims, port }: PortEmbedderOptions): Embedder => {
  const waiting = new Map<number, Waiting>()
  let lastRequest = 0
  let closed = false

  const take = (request: number): Waiting | undefined => {
    const found = waiting.get(request)
    waiting.delete(request)
    return found
  }

  const failed = (cause: string): MemoryError =>
    new MemoryError(
      'EMBEDDING_FAILED',
      `The page's embedder ${id} did not answer with usable vectors: ${cause}. Check its embed function and its dims.`,
      { embedder: id, cause },
    )

  const failAll = (cause: string): void => {
    for (const request of [...waiting.keys()]) take(request)?.reject(failed(cause))
  }

  port.addEventListener('message', ({ data: reply }: MessageEvent<Reply>) => {
    // Nobody waits for the answer to an aborted request.
    const call = take(reply.id)
    if (call === undefined) return
    const outcome = reply.vectors === undefined ? String(reply.message) : unitVectors(reply.vectors, call.count, dims)
    if (typeof outcome === 'string') call.reject(failed(outcome))
    else call.resolve(outcome)
  })
  port.addEventListener('messageerror', () => failAll('an answer could not be read'))
  // Not every browser tells; where none does, the page that held the other end took this worker with it.
  port.addEventListener('close', () => {
    closed = true
    failAll('the page closed the connection')
  })
  port.start()

  const request = (texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly Float32Array[]> => {
    const number = ++lastRequest
    const stop = (): void => {
      const call = take(number)
      if (call === undefined) return
      port.postMessage({ id: number, abort: true })
      call.reject(aborted())
    }
    const answer = new Promise<readonly Float32Array[]>((resolve, reject) => {
      waiting.set(number, { count: texts.length, resolve, reject })
      signal?.addEventListener('abort', stop, { once: true })
      port.postMessage({ id: number, texts })
    })
    return answer.finally(() => signal?.removeEventListener('abort', stop))
  }

  return {
    id,
    dims,
    embed: async (texts, { signal } = {}) => {
      if (signal?.aborted) throw aborted()
      if (texts.length === 0) return []
      if (closed) throw failed('the page closed the connection')
      return request(texts, signal)
    },
  }
}

/** An answer as it arrives: nothing about it is certain but its number. */
interface Reply {
  readonly id: number
  readonly vectors?: unknown
  readonly message?: unknown
}

const aborted = (): MemoryError => new MemoryError('ABORTED', 'The embedding was aborted.', {})

/** The vectors at unit length, or what is wrong with them. */
const unitVectors = (vectors: unknown, count: number, dims: number): readonly Float32Array[] | string => {
  if (!Array.isArray(vectors)) return 'the answer is not a list'
  if (vectors.length !== count) return `${vectors.length} vectors came for ${count} texts`
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
