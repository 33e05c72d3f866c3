import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Message {
  readonly id: number
  readonly text: string
  /** ISO 8601, of the last message before it that has one; null before the first. */
  readonly at: string | null
}

/** A question about something that was said twice, the second time otherwise. */
export interface Update {
  readonly question: string
  readonly older: readonly number[]
  readonly newer: readonly number[]
}

export interface Chat {
  readonly id: string
  readonly messages: readonly Message[]
  readonly updates: readonly Update[]
}

interface Raw {
  readonly chat: string
  readonly messages: readonly { readonly id: number; readonly time: string | null; readonly text: string }[]
  readonly questions: {
    readonly knowledge_update: readonly {
      readonly question: string
      readonly source_chat_ids: { readonly original_info?: readonly number[]; readonly updated_info?: readonly number[] }
    }[]
  }
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** "March-15-2024" as a date of ISO 8601. */
const isoDay = (text: string): string => {
  const [month = '', day = '', year = ''] = text.split('-')
  return `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** The messages of the user with the questions about what was updated, where both messages are named. */
export const readBeam = (folder: string): readonly Chat[] =>
  (JSON.parse(readFileSync(join(folder, 'beam-user-tune.json'), 'utf8')) as readonly Raw[]).map((raw) => {
    let at: string | null = null
    const messages = raw.messages.map(({ id, time, text }) => {
      at = time === null ? at : isoDay(time)
      return { id, text, at }
    })
    const known = new Set(messages.map(({ id }) => id))
    const ids = (given: readonly number[] = []): readonly number[] => given.filter((id) => known.has(id))
    const updates = raw.questions.knowledge_update
      .map(({ question, source_chat_ids: { original_info, updated_info } }) => ({
        question,
        older: ids(original_info),
        newer: ids(updated_info),
      }))
      .filter(({ older, newer }) => older.length > 0 && newer.length > 0 && !older.some((id) => newer.includes(id)))
    return { id: raw.chat, messages, updates }
  })
