import { jsonIn } from '../../../src/domain/asking/grounding.js'
import { FACTS_SCHEMA, factMessages, takeOver } from '../../../src/domain/extract/by-model.js'
import { spokenIn } from '../../../src/domain/extract/spoken.js'
import type { LlmQuestion } from '../../../src/schema/asking.js'
import { type Learned, readModelReply } from '../../../src/schema/learning.js'
import type { Engine } from '../context.js'
import { type ReadTurn, readByRules } from './read.js'
import type { TalkReader } from './talk-reader.js'
import { isPerson, type Turn } from './turns.js'

/** Messages and characters that a language model is shown at once. */
const MOST_SHOWN = { turns: 20, characters: 12_000 }
/** Times that it is asked about one part: an answer of another form has one more chance. */
const MOST_TRIES = 2

/** What a language model has read, or what it is to be asked next. */
export type ModelReading = { readonly read: readonly ReadTurn[]; readonly by: Learned['by'] } | LlmQuestion

/**
 * Reads a talk by what a language model has answered so far, part by part. Nothing is kept between two questions: the answers are given
 * again with each, in order. A part that it gives no usable answer to is read by the rules; so are requests to forget, always.
 */
export const readByModel = (
  { store }: Engine,
  reader: TalkReader,
  turns: readonly Turn[],
  external: boolean,
  texts: readonly (string | null)[],
): ModelReading => {
  const read: ReadTurn[] = []
  let at = 0
  const used = new Set<Learned['by']>()
  for (const part of partsOf(turns)) {
    const byRules = part.map((turn) => readByRules(reader, turn, external))
    const shown = part.map((turn) => ({
      speaker: turn.speaker,
      text: isPerson(turn) || external ? spokenIn(turn.text).text : '',
    }))
    if (shown.every(({ text }) => text.trim() === '')) {
      read.push(...byRules)
      continue
    }
    const answer = answerIn(texts.slice(at, at + MOST_TRIES))
    if (answer.isOpen) {
      const fence = [...store.system.randomBytes(12)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
      return {
        llmQuestion: {
          messages: factMessages(shown, fence, answer.unreadable),
          schema: FACTS_SCHEMA,
          said: { texts, sources: [] },
        },
      }
    }
    at += answer.tries
    if (answer.reply === null) {
      used.add('rules')
      read.push(...byRules)
      continue
    }
    used.add('llm')
    const taken = takeOver(answer.reply, shown, (text, i) => reader.date(text, part[i] as Turn, 'present'))
    read.push(
      ...part.map((turn, i): ReadTurn => {
        const { forget } = byRules[i] as ReadTurn
        const { facts, refused, moreRefused } = taken[i] ?? { facts: [], refused: [], moreRefused: 0 }
        return isPerson(turn) || external ? { turn, facts, forget, refused, moreRefused } : (byRules[i] as ReadTurn)
      }),
    )
  }
  return { read, by: used.size > 1 ? 'both' : ([...used][0] ?? 'rules') }
}

/** What the answers to one part say; open while one more is to be asked for. */
const answerIn = (texts: readonly (string | null)[]) => {
  let unreadable: string | null = null
  for (const [i, text] of texts.entries()) {
    // One that threw is not asked again.
    if (text === null) return { isOpen: false, tries: i + 1, reply: null, unreadable } as const
    const reply = readModelReply(jsonIn(text))
    if (reply !== null) return { isOpen: false, tries: i + 1, reply, unreadable } as const
    unreadable = text
  }
  return { isOpen: texts.length < MOST_TRIES, tries: texts.length, reply: null, unreadable } as const
}

const partsOf = (turns: readonly Turn[]): readonly (readonly Turn[])[] => {
  const parts: Turn[][] = []
  let characters = 0
  for (const turn of turns) {
    const last = parts.at(-1)
    if (last === undefined || last.length >= MOST_SHOWN.turns || characters + turn.text.length > MOST_SHOWN.characters) {
      parts.push([turn])
      characters = turn.text.length
    } else {
      last.push(turn)
      characters += turn.text.length
    }
  }
  return parts
}
