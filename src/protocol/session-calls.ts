import type {
  BriefOptions,
  BriefRow,
  BriefsResult,
  DigestOptions,
  DigestRow,
  DigestsResult,
  FindSessionsOptions,
  FoundSessions,
  SessionsFilter,
} from '../schema/neighbours/sessions.js'
import type { JsonValue } from '../schema/scalars.js'
import type { Abortable } from './abortable.js'

/** Lines of work: where each stands, and what was said in it. */
export interface SessionCalls {
  /**
   * Keep where a session stands, to be restored by choice; the brief before stays in history. Never embedded and in no search.
   *
   * Rejects with INVALID_ARGUMENT, FORBIDDEN, LOCKED, PINNED_CONFLICT, BLACKLISTED, PRECONDITION_FAILED, STORAGE_FULL.
   *
   * ```ts
   * await memory.sessions.setBrief('monday', { goal: 'Book the flight', next: 'Ask for the date' })
   * ```
   */
  readonly setBrief: (session: string, brief: JsonValue, options?: BriefOptions & Abortable) => Promise<BriefRow>
  /** Where a session stands, or null; of several tiers the nearest answers. */
  readonly brief: (session: string, options?: Abortable) => Promise<BriefRow | null>
  /** Briefs that the handle may read, by session, a page at a time. */
  readonly briefs: (filter?: SessionsFilter & Abortable) => Promise<BriefsResult>
  /**
   * Make a digest of the turns that `conversations` holds of a session, and keep it: the sentences that tell most of it, word for word and in their
   * order. No language model is asked, and the same turns give the same digest. Of a long session the newest 2,000 turns count.
   *
   * Rejects with NOT_FOUND when nothing was stated there, and as `setBrief`.
   *
   * ```ts
   * await memory.conversations.append([{ id: '1', session: 'monday', text: 'We fly to Oslo in May.' }])
   * const { text } = await memory.sessions.digest('monday')
   * ```
   */
  readonly digest: (session: string, options?: DigestOptions & Abortable) => Promise<DigestRow>
  /** Digests that the handle may read, by session, a page at a time. */
  readonly digests: (filter?: SessionsFilter & Abortable) => Promise<DigestsResult>
  /**
   * Sessions whose digest fits a question, best first.
   *
   * ```ts
   * const { hits } = await memory.sessions.find('when did we speak about Oslo?')
   * ```
   */
  readonly find: (query: string, options?: FindSessionsOptions & Abortable) => Promise<FoundSessions>
}
