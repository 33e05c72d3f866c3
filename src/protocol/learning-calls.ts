import type { Deferred, Learned, LearningReport, LearnOptions, Message } from '../schema/learning.js'
import type { Abortable } from './abortable.js'
import type { Llm } from './asking-calls.js'

/** Transcripts that are learned from in the background. */
export interface BackgroundLearningCalls {
  /**
   * Transcripts that the handle may read, the newest first, each with how far it is: `{ queueId, state, done, total, written, refused,
   * forgotten }`. Those that are done with are told of for a while.
   */
  readonly list: (options?: Abortable) => Promise<readonly LearningReport[]>
  /**
   * How far one transcript is, or null when the handle knows of none.
   *
   * ```ts
   * const report = await memory.learning.get(queueId)   // { state: 'waiting', done: 75, total: 500, … }
   * ```
   */
  readonly get: (queueId: string, options?: Abortable) => Promise<LearningReport | null>
  /**
   * Gives up what of a transcript was not learned from yet; what was learned stays.
   *
   * Rejects with NOT_FOUND when none of that id is of this scope, and with FORBIDDEN for a handle that reads across users.
   */
  readonly cancel: (queueId: string, options?: Abortable) => Promise<LearningReport>
}

/** Calls that learn from talks. */
export interface LearningCalls {
  /**
   * Learns what people say in a talk: one short memory per statement, under a key made of whom it is about and what it tells, through the
   * same judging as `set`. Without `llm` by rules: what people tell of themselves and of others they name, corrections, and what they ask
   * to have remembered or forgotten. Questions, what would be, jokes, quotations, stories, code, and what assistants and tools say are
   * not learned, and are listed under `refused` with why. What is learned has `sourceClass: 'extracted'`, confidence 0.6, and the turn
   * that says it as its `evidence`. Dates are counted from when a message was said (`at`, else `observedAt`).
   *
   * With `llm` a language model reads, and what it finds is held against the messages; where it gives no usable answer twice, the rules read.
   * A long talk is kept and learned from in the background, also after a reload: the answer is `{ deferred: true, queueId }`, searches
   * tell of it as `pendingExtraction`, and `settled` waits for it.
   *
   * Rejects with INVALID_ARGUMENT, FORBIDDEN for a handle that reads across users, ABORTED (`details.written` says how much stays
   * written), WORKER_FAILED when the extractor cannot be loaded, STORAGE_FULL.
   *
   * ```ts
   * const { written } = await memory.setFromMessages(
   *   [{ role: 'user', text: 'I moved to Porto in March.', at: '2026-05-04' }],
   *   { defer: false },
   * )
   * // written[0]: { key: 'user/home', value: 'I moved to Porto in March.', kind: 'home', verdict: 'clear', … }
   * ```
   */
  readonly setFromMessages: {
    (
      messages: readonly Message[],
      options: LearnOptions & Abortable & { readonly llm?: Llm; readonly defer: false },
    ): Promise<Learned>
    (messages: readonly Message[], options?: LearnOptions & Abortable & { readonly llm?: Llm }): Promise<Learned | Deferred>
  }
  readonly learning: BackgroundLearningCalls
}
