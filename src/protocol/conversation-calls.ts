import type {
  AppendOptions,
  AppendResult,
  RecallOptions,
  RecallResult,
  Turn,
  TurnsFilter,
  TurnsResult,
} from '../schema/neighbours/conversations.js'
import type { Abortable } from './abortable.js'

/** What was said, word for word. Turns are evidence: nothing is judged, and only `recall` and `list` answer with them. */
export interface ConversationCalls {
  /**
   * Append turns to conversations. A turn is known by its id within its session, so that sending one again changes nothing; another text
   * under its id becomes a new version. Does not wait for the embedder: words find a turn at once, its meaning a moment later.
   *
   * Rejects with INVALID_ARGUMENT (nothing is written then), FORBIDDEN, LOCKED, STORAGE_FULL, and ABORTED between two batches (details: how many
   * turns were written). A turn that the blacklist forbids is reported as refused, and the others are written.
   *
   * ```ts
   * await memory.conversations.append([{ id: '1', session: 'monday', speaker: 'Ana', text: 'My flight leaves at nine.' }])
   * ```
   */
  readonly append: (turns: readonly Turn[], options?: AppendOptions & Abortable) => Promise<AppendResult>
  /**
   * Turns in the order in which they were appended, a page at a time, of one session or of all.
   *
   * ```ts
   * const { turns } = await memory.conversations.list({ session: 'monday', order: 'oldest' })
   * ```
   */
  readonly list: (filter?: TurnsFilter & Abortable) => Promise<TurnsResult>
  /**
   * Turns that fit a question, best first, each with the one before and the one after it. A turn that stands beside one that fits is found
   * too, further down: an answer seldom repeats the words of its question.
   *
   * ```ts
   * const { hits } = await memory.conversations.recall('when does she fly?')
   * ```
   */
  readonly recall: (query: string, options?: RecallOptions & Abortable) => Promise<RecallResult>
}
