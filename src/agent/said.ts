import { invalidArgument } from '../protocol/errors.js'
import type { Message } from '../schema/learning.js'
import type { Turn, TurnRow } from '../schema/neighbours/conversations.js'
import type { AgentTurn } from './options.js'

/** Characters of one turn of a conversation; a longer one is kept in parts. */
const LONGEST_PART = 60_000
/** Characters of one message that is learned from. */
const LONGEST_LEARNED = 150_000

/** What is said in a turn, beside the answer. */
export const saidIn = ({ text, messages }: AgentTurn): readonly Message[] => {
  if (text !== undefined && typeof text !== 'string') throw invalidArgument('text', 'must be a text')
  if (messages !== undefined && !Array.isArray(messages)) throw invalidArgument('messages', 'must be a list')
  const given = messages ?? []
  given.forEach((message: unknown, i) => {
    if (typeof message !== 'object' || message === null) throw invalidArgument(`messages.${i}`, 'must be a message')
  })
  const own: readonly Message[] = text === undefined || text.trim() === '' ? [] : [{ role: 'user', text }]
  return [...given.map((message: Message) => ({ ...message })), ...own]
}

/** What a message says, as text that can be stored. */
export const textIn = ({ text, content }: Message): string => {
  const given = text ?? content ?? ''
  const whole = typeof given === 'string' ? given : given.map((part) => part.text ?? '').join('\n')
  return whole.replace(/\p{Surrogate}/gu, '\uFFFD')
}

/** What the person says, which is what memories are looked for by. */
export const queryOf = (said: readonly Message[]): string =>
  said
    .filter(({ role = 'user' }) => role === 'user')
    .map(textIn)
    .join('\n')
    .slice(-LONGEST_QUERY)
    .replace(/^[\uDC00-\uDFFF]/, '')

/** Of a longer text the end is looked for: that is where people ask. */
const LONGEST_QUERY = 2_000

/** Parts of a text, cut where it is blank if it can be. */
export const partsOf = (text: string, most: number): readonly string[] => {
  const parts: string[] = []
  for (let from = 0; from < text.length; ) {
    if (text.length - from <= most) {
      parts.push(text.slice(from))
      break
    }
    const blank = text.slice(from, from + most).search(/\s\S*$/u)
    const end = from + (blank > most / 2 ? blank + 1 : most)
    // Never through a pair of surrogates.
    const to = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end
    parts.push(text.slice(from, to))
    from = to
  }
  return parts
}

/** Between the name of a turn and the number of its part. */
const PART = '~part'

/** Messages as the turns of a conversation, each under a name of its own: saying them again changes nothing. */
export const turnsOf = (
  messages: readonly Message[],
  session: string,
  name: string,
  { at, timeZone }: { readonly at: string | null; readonly timeZone: string | undefined },
): readonly Turn[] =>
  messages.flatMap((message, i) => {
    const text = textIn(message)
    if (text.trim() === '') return []
    const when = message.at === undefined ? at : message.at
    const zone = message.timeZone ?? timeZone
    const id = message.id ?? `${name}.${i}`
    return partsOf(text, LONGEST_PART)
      .filter((part) => part.trim() !== '')
      .map(
        (part, n): Turn => ({
          id: n === 0 ? id : `${id}${PART}${n}`,
          session,
          role: message.role ?? 'user',
          ...(message.speaker == null ? {} : { speaker: message.speaker }),
          text: part,
          ...(when === null ? {} : { at: when }),
          ...(zone === undefined ? {} : { timeZone: zone }),
        }),
      )
  })

/** Messages as they are learned from, under the names of the turns that say them. */
export const learnable = (
  messages: readonly Message[],
  name: string,
  { at, timeZone }: { readonly at: string | null; readonly timeZone: string | undefined },
): readonly Message[] =>
  messages.flatMap((message, i) =>
    partsOf(textIn(message), LONGEST_LEARNED).map(
      (text): Message => ({
        role: message.role ?? 'user',
        text,
        id: message.id ?? `${name}.${i}`,
        ...(message.speaker == null ? {} : { speaker: message.speaker }),
        ...((message.at === undefined ? at : message.at) === null ? {} : { at: message.at ?? at }),
        ...((message.timeZone ?? timeZone) === undefined ? {} : { timeZone: message.timeZone ?? timeZone }),
      }),
    ),
  )

/** A message of the window. */
export interface WindowMessage {
  readonly role: string
  readonly content: string
  readonly speaker: string | null
  readonly at: number | null
  readonly turnId: string
}

/** Turns as messages, the oldest first, those that were kept in parts as one. */
export const windowOf = (newestFirst: readonly TurnRow[], most: number): readonly WindowMessage[] => {
  const messages: WindowMessage[] = []
  for (const { turnId, role, speaker, text, at } of newestFirst.toReversed()) {
    const last = messages.at(-1)
    const [whole = turnId, part] = turnId.split(PART)
    if (part !== undefined && last?.turnId === whole)
      messages[messages.length - 1] = { ...last, content: last.content + text }
    else messages.push({ role: role ?? 'user', content: text, speaker, at, turnId: whole })
  }
  return most === 0 ? [] : messages.slice(-most)
}
