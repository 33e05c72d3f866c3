import { MemoryError } from '../src/protocol/errors.js'

export const abortedEmbedding = (): MemoryError => new MemoryError('ABORTED', 'The embedding was aborted.', {})

/** Waits for work that others need as well: an abort ends the waiting, not the work. */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(abortedEmbedding())
    if (signal?.aborted) return stop()
    signal?.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', stop))
  })
