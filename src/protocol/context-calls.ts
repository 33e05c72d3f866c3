import type { Fetched, FetchOptions, Offloaded, OffloadOptions } from '../schema/offloading.js'
import type { PackOptions, PackResult, ToldOptions, ToldResult } from '../schema/packing.js'
import type { Abortable } from './abortable.js'

/** What goes into a prompt. */
export interface ContextCalls {
  /**
   * One block for a prompt out of what is stored: working blocks, profile, what fits the query, recent turns, knowledge, decisions. A memory
   * that does not fit is left out whole and the next ones still get their turn; the last line counts what was left out. Each stands as quoted
   * data between fences that no memory can close, with its key, its day and its source. What comes from pages and tools is left out until
   * a person has attested it.
   *
   * Tokens are counted by `countTokens`, or as a quarter of the characters. Rejects with INVALID_ARGUMENT, and with ABORTED.
   *
   * ```ts
   * const { text, tokens } = await memory.context.pack({ query: 'Plan dinner for Alice', tokenBudget: 800 })
   * ```
   */
  readonly pack: (
    input: PackOptions & Abortable & { readonly countTokens?: (text: string) => number | PromiseLike<number> },
  ) => Promise<PackResult>
  /**
   * Put a text aside that would fill a prompt: a page, a log, the answer of a tool. It is no memory: it is not judged, not searched and not
   * exported, and gone when its time is over, after a day unless `ttlSeconds` says otherwise. Up to 16,000,000 characters; a Blob is read as UTF-8.
   *
   * Rejects with INVALID_ARGUMENT, FORBIDDEN, STORAGE_FULL.
   *
   * ```ts
   * const { handle, excerpt } = await memory.context.offload(log, { title: 'build log' })
   * ```
   */
  readonly offload: (content: string | Blob, options?: OffloadOptions & Abortable) => Promise<Offloaded>
  /**
   * What was put aside: from its beginning, a `range` of characters, or what fits a `query` best, up to `maxTokens`. Null when its time is over, or when
   * it was put aside in a scope that the handle does not read.
   *
   * ```ts
   * const found = await memory.context.fetch(handle, { query: 'Which test failed?', maxTokens: 300 })
   * ```
   */
  readonly fetch: (handle: string, options?: FetchOptions & Abortable) => Promise<Fetched | null>
  /**
   * Says that texts were put before a model by other means than `pack` and `ask`: for 30 days, hearing one of their sentences again is no
   * evidence for it, as long as a memory says so. With `stored: false` it is none at all: give that with texts that no memory holds, such
   * as instructions.
   *
   * Rejects with INVALID_ARGUMENT, and with FORBIDDEN for a handle that reads across users.
   *
   * ```ts
   * const { hits } = await memory.search('dinner')
   * await memory.context.told(hits.map(({ excerpt }) => excerpt))
   * ```
   */
  readonly told: (texts: readonly string[], options?: ToldOptions & Abortable) => Promise<ToldResult>
}
