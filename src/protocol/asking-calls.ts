import type { AskOptions, AskResult, LlmMessage } from '../schema/asking.js'
import type { Abortable } from './abortable.js'

/**
 * A language model of the app's own: gets messages and the JSON Schema that its answer has to follow, and answers with the JSON as text. What
 * it throws counts as no answer.
 */
export type Llm = (
  messages: readonly LlmMessage[],
  options: { readonly schema: object; readonly signal: AbortSignal },
) => string | PromiseLike<string>

/** Calls that answer questions. */
export interface AskingCalls {
  /**
   * Answers a question from what is stored, each statement with the memory that it rests on, or says that nothing answers. Without `llm` the
   * sentences that answer are told as they are stored; with it a language model puts them into words, and what it says without citing
   * a memory, or with figures that no cited memory has, is refused. Where that leaves nothing the stored sentences are told.
   * Of memories that contradict each other both are told, the newer first. What comes from pages and tools is left out until
   * a person has attested it.
   *
   * Rejects with INVALID_ARGUMENT, and with ABORTED when the signal says so.
   *
   * ```ts
   * const { answer, citations } = await memory.ask('Where does Alice live?')
   * // 'Alice lives in Berlin. [1]'
   * ```
   */
  readonly ask: (question: string, options?: AskOptions & Abortable & { readonly llm?: Llm }) => Promise<AskResult>
}

/** With a function that puts the best hits in order. */
export interface Reranking {
  readonly rerank?: Rerank
}

/** Says how well each text fits a query, one number for each, the higher the better. */
export type Rerank = (
  query: string,
  texts: readonly string[],
  options: { readonly signal: AbortSignal },
) => readonly number[] | PromiseLike<readonly number[]>
