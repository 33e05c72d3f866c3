import { formHash } from '../domain/canonical.js'
import type { Llm } from '../protocol/asking-calls.js'
import type { Deferred, Learned, Message } from '../schema/learning.js'
import { learnable, turnsOf } from './said.js'
import type { KnownTurn } from './turn-book.js'
import { NO_SESSION } from './who.js'

/** What became of a turn. */
export interface After {
  readonly user: string | null
  readonly session: string
  /** Turns that were appended to the conversation; those that stood there already are not counted. */
  readonly appended: number
  /** Turns that the blacklist refused. */
  readonly refused: number
  /** What was learned, or that it is learned in the background; null when nothing was to be. */
  readonly learned: Learned | Deferred | null
  /** Why nothing was to be learned: `off`, `nobody`, or `nothing_said`; null otherwise. */
  readonly notLearned: 'off' | 'nobody' | 'nothing_said' | null
}

/** Keeps what was said, then learns from it. Repeating it, as after a failure, changes nothing that was done. */
export const after = async (known: KnownTurn, reply: string | undefined, learn: boolean | Llm): Promise<After> => {
  const { place, name, said } = known
  const { who, session, talk, person } = place
  const answer: readonly Message[] =
    reply === undefined || reply.trim() === '' ? [] : [{ id: `${name}.reply`, role: 'assistant', text: reply }]
  const turns = turnsOf([...said, ...answer], session, name, known)
  const { appended, refused } =
    turns.length === 0 || session === NO_SESSION ? { appended: 0, refused: 0 } : await talk.conversations.append(turns)
  const kept = { user: who.user, session, appended, refused }
  const notLearned = learn === false ? 'off' : person === null ? 'nobody' : said.length === 0 ? 'nothing_said' : null
  if (notLearned !== null || person === null) return { ...kept, learned: null, notLearned }
  const messages = learnable([...said, ...answer], name, known)
  const words = formHash(JSON.stringify([session, name, messages.map(({ text }) => text)]))
  const learned = await person.setFromMessages(messages, {
    idempotencyKey: `agent:${words}`,
    // The talk has them already.
    session,
    turns: 'named',
    ...(known.timeZone === undefined ? {} : { timeZone: known.timeZone }),
    ...(typeof learn === 'function' ? { llm: learn } : {}),
  })
  return { ...kept, learned, notLearned: null }
}
