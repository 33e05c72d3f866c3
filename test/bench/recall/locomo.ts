import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Kinds of questions by their number in the file. */
export const CATEGORIES = {
  4: 'single-hop',
  1: 'multi-hop',
  2: 'temporal',
  3: 'open-domain',
  5: 'adversarial',
} as const satisfies Readonly<Record<number, string>>

export type Category = (typeof CATEGORIES)[keyof typeof CATEGORIES]

export interface Turn {
  readonly id: string
  readonly session: number
  readonly speaker: string
  /** What was said, with what a picture that came with it shows. */
  readonly text: string
  /** When the session took place, without a zone. */
  readonly at: string
}

export interface Question {
  readonly question: string
  readonly category: Category
  /** Ids of the turns that answer it. */
  readonly evidence: readonly string[]
}

export interface Conversation {
  readonly id: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
}

interface RawTurn {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
  readonly blip_caption?: string
}

interface Raw {
  readonly sample_id: string
  readonly conversation: Readonly<Record<string, string | readonly RawTurn[]>>
  readonly qa: readonly {
    readonly question: string
    readonly category: keyof typeof CATEGORIES
    readonly evidence: readonly string[]
  }[]
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ')

/** "1:56 pm on 8 May, 2023" as a date of ISO 8601 without a zone. */
export const isoDate = (text: string): string => {
  const [, hour = '', minute = '', half = '', day = '', month = '', year = ''] =
    /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/.exec(text.trim()) ?? []
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${year}-${two(MONTHS.indexOf(month.toLowerCase()) + 1)}-${two(Number(day))}T${two(hours)}:${minute}`
}

const turnsOf = (conversation: Raw['conversation']): readonly Turn[] =>
  Object.entries(conversation).flatMap(([name, turns]) => {
    const session = /^session_(\d+)$/.exec(name)?.[1]
    if (session === undefined || typeof turns === 'string') return []
    const at = isoDate(String(conversation[`${name}_date_time`]))
    return turns.map(({ speaker, dia_id: id, text, blip_caption: caption }) => ({
      id,
      session: Number(session),
      speaker,
      text: caption === undefined ? text : `${text} [shows ${caption}]`,
      at,
    }))
  })

/** The questions with cleaned evidence: each "D number:number" in it, without leading zeros, that names a turn. */
export const readLocomo = (folder: string): readonly Conversation[] =>
  (JSON.parse(readFileSync(join(folder, 'locomo-tune.json'), 'utf8')) as readonly Raw[]).map((raw) => {
    const turns = turnsOf(raw.conversation)
    const known = new Set(turns.map(({ id }) => id))
    const questions = raw.qa.flatMap(({ question, category, evidence }) => {
      const ids = evidence
        .flatMap((text) => [...text.matchAll(/D:?(\d+):(\d+)/g)])
        .map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`)
        .filter((id) => known.has(id))
      const unique = [...new Set(ids)]
      return unique.length === 0 ? [] : [{ question, category: CATEGORIES[category], evidence: unique }]
    })
    return { id: raw.sample_id, turns, questions }
  })
