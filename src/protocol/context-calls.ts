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
