import type { EmbedReply, EmbedRequest } from '../protocol/embedding.js'

/**
 * An embedder of your own, run on the page.
 *
 * `id` names model, revision and pooling; change it whenever the vectors change, since vectors of different ids are never
 * compared. `embed` answers one vector of `dims` finite numbers per text, in order; length does not matter, the library
 * scales to unit length. Without `dims`, the first answer tells them. What it throws reaches the caller as EMBEDDING_FAILED.
 * `signal` fires when nobody waits any longer.
 *
 * ```ts
 * const embedder: PageEmbedder = {
 *   id: 'letters@1',
 *   dims: 26,
 *   embed: async (texts) =>
 *     texts.map((text) => Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => text.toLowerCase().split(letter).length - 1)),
 * }
 * ```
 */
export interface PageEmbedder {
  readonly id: string
  readonly dims?: number
  readonly embed: EmbedFunction
}

/** Embeds texts: one vector of finite numbers per text, in order. */
export type EmbedFunction = (
  texts: readonly string[],
  options: { readonly signal: AbortSignal },
) => Promise<readonly ArrayLike<number>[]>

/**
 * Answers embedding requests on a port. Returns what ends it: requests under way are aborted and the port is closed.
 */
export const hostEmbedder = (embedder: Pick<PageEmbedder, 'embed'>, port: MessagePort): (() => void) => {
  const running = new Map<number, AbortController>()

  const answer = async (id: number, texts: readonly string[]): Promise<void> => {
    const controller = new AbortController()
    running.set(id, controller)
    const reply = await replyOf(embedder, id, texts, controller.signal)
    if (running.delete(id)) port.postMessage(reply, 'vectors' in reply ? reply.vectors.map((vector) => vector.buffer) : [])
  }

  const abort = (id: number): void => {
    running.get(id)?.abort()
    running.delete(id)
  }

  const abortAll = (): void => {
    for (const id of [...running.keys()]) abort(id)
  }

  port.addEventListener('message', ({ data: request }: MessageEvent<EmbedRequest>) => {
    if ('texts' in request) void answer(request.id, request.texts)
    else abort(request.id)
  })
  port.addEventListener('close', abortAll)
  port.start()

  return () => {
    abortAll()
    port.close()
  }
}

const replyOf = async (
  embedder: Pick<PageEmbedder, 'embed'>,
  id: number,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Exclude<EmbedReply, { readonly progress: unknown }>> => {
  try {
    const vectors = await embedder.embed(texts, { signal })
    // Copies, because what is transferred is lost to the sender: the embedder may keep its vectors.
    return { id, vectors: Array.from(vectors, (vector) => Float32Array.from(vector)) }
  } catch (error) {
    return { id, message: error instanceof Error ? error.message : String(error) }
  }
}
