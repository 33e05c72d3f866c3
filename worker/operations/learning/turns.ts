import { sha256Hex } from '../../../src/domain/sha256.js'
import type { Message } from '../../../src/schema/learning.js'
import { offsetAt, ownTimeZone, readDate } from '../memory/dates.js'
import type { Fields } from '../memory/prepare.js'
import type { Moment } from './talk-reader.js'

/** A turn as it is learned from, and as the queue keeps it. */
export interface Turn extends Moment {
  /** Which message of the call it was. */
  readonly n: number
  /** Names it in the store: the same turn given again is the same evidence. */
  readonly name: string
  readonly role: string
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
  { observedAt, timeZone }: { readonly observedAt?: string | undefined; readonly timeZone?: string | undefined },
): readonly Turn[] =>
  messages.map((message, n) => {
    const zone = message.timeZone ?? timeZone ?? ownTimeZone()
    const said = message.at ?? observedAt ?? null
    const at = said === null ? null : middleOf(said, zone)
    const role = message.role ?? 'user'
    const speaker = message.speaker ?? null
    const text = textOf(message)
    const name = sha256Hex(JSON.stringify([message.id ?? null, role, speaker, said, text])).slice(0, 20)
    return {
      n,
      name,
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
const LONGEST_KEPT = 16_000

/** The key that a turn stands under. */
export const turnKey = ({ name }: Turn): string => `turns/${name}`

/** A turn as evidence: what was said, by whom and when. */
export const evidenceOf = (turn: Turn, said: readonly string[]): Fields => ({
  key: turnKey(turn),
  type: 'episodic',
  value: {
    role: turn.role,
    ...(turn.speaker === null ? {} : { speaker: turn.speaker }),
    text: turn.text.length > LONGEST_KEPT ? said.join('\n') : turn.text,
  },
  tags: ['learned-from'],
  onEmbedFailure: 'queue',
  ...(turn.said === null ? {} : { temporalAnchor: turn.said, timeZone: turn.timeZone }),
})
