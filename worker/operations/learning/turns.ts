import { sha256Hex } from '../../../src/domain/sha256.js'
import type { Message } from '../../../src/schema/learning.js'
import type { CallContext } from '../context.js'
import { offsetAt, ownTimeZone, readDate } from '../memory/dates.js'
import type { Entry } from '../neighbours/put.js'
import { requireTurnKey, turnToEntry } from '../neighbours/turns.js'
import type { Moment } from './talk-reader.js'

/** A turn as it is learned from, and as the queue keeps it. */
export interface Turn extends Moment {
  /** Which message of the call it was. */
  readonly n: number
  /** Names it in its session: the same turn given again is the same evidence. */
  readonly id: string
  readonly session: string
  readonly role: NonNullable<Message['role']>
  readonly speaker: string | null
  readonly text: string
  /** As it was given, for the rows. */
  readonly said: string | null
  readonly timeZone: string
}

/** Only what people say is learned as such. */
export const isPerson = ({ role }: Pick<Turn, 'role'>): boolean => role === 'user'

export const turnsOf = (
  messages: readonly Message[],
  { scope }: CallContext,
  {
    observedAt,
    timeZone,
    session = scope.session ?? NO_SESSION,
  }: {
    readonly observedAt?: string | undefined
    readonly timeZone?: string | undefined
    readonly session?: string | undefined
  },
): readonly Turn[] =>
  messages.map((message, n) => {
    const zone = message.timeZone ?? timeZone ?? ownTimeZone()
    const said = message.at ?? observedAt ?? null
    const at = said === null ? null : middleOf(said, zone)
    const role = message.role ?? 'user'
    const speaker = message.speaker ?? null
    const text = textOf(message)
    const id = message.id ?? sha256Hex(JSON.stringify([role, speaker, said, text])).slice(0, 20)
    requireTurnKey(session, id, `messages.${n}.id`)
    return {
      n,
      id,
      session,
      role,
      speaker,
      text,
      said,
      timeZone: zone,
      at,
      offsetMinutes: Math.round(offsetAt(at ?? 0, zone) / 60_000),
    }
  })

/** Of a whole day its noon, so that it is that day wherever it is counted from. */
const middleOf = (said: string, zone: string): number => {
  const begin = readDate(said, zone, 'begin')
  return begin.precision === 'day' ? begin.instant + 12 * 3_600_000 : begin.instant
}

const textOf = ({ text, content }: Message): string => {
  const given = text ?? content ?? ''
  return typeof given === 'string' ? given : given.map((part) => part.text ?? '').join('\n')
}

/** Longest turn that is kept word by word; of a longer one only what was learned from. */
export const LONGEST_KEPT = 16_000

/** Talks of no session of their own are one. */
const NO_SESSION = 'learned'

/** The key that a turn stands under. */
export const turnKey = ({ session, id, n }: Turn): string => requireTurnKey(session, id, `messages.${n}.id`)

/** A turn as evidence: one of a conversation, which is known by its id, so that who keeps the conversation too has it once. */
export const evidenceOf = (turn: Turn, said: readonly string[]): Entry => {
  const { id, session, role, speaker, text, n } = turn
  return turnToEntry(
    {
      id,
      session,
      text: text.length > LONGEST_KEPT ? said.join('\n') : text,
      role,
      ...(speaker === null ? {} : { speaker }),
      ...(turn.said === null ? {} : { at: turn.said, timeZone: turn.timeZone }),
    },
    `messages.${n}.id`,
  )
}
