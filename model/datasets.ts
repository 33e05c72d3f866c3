import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Conversation, GradedPair } from './measures.js'

/** What embedders are measured on. Other people's data: it is read from a folder, never kept here, and nothing is trained on it. */
export interface Datasets {
  readonly stsb: readonly GradedPair[]
  readonly sick: readonly GradedPair[]
  readonly locomo: readonly Conversation[]
}

/** Reads `stsb-dev.jsonl`, `sick-tune.jsonl` and `locomo-tune.json` of a folder. */
export const readDatasets = (folder: string): Datasets => ({
  stsb: readLines(join(folder, 'stsb-dev.jsonl')).map((row) => pairOf(row, 'score')),
  sick: readLines(join(folder, 'sick-tune.jsonl')).map((row) => pairOf(row, 'relatedness')),
  locomo: readConversations(join(folder, 'locomo-tune.json')),
})

type Row = Readonly<Record<string, unknown>>

const readLines = (file: string): Row[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)

const pairOf = (row: Row, grade: string): GradedPair => ({
  a: row['a'] as string,
  b: row['b'] as string,
  grade: row[grade] as number,
})

interface Turn {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
}

interface Sample {
  readonly conversation: Readonly<Record<string, string | readonly Turn[]>>
  readonly qa: readonly { readonly question: string; readonly evidence?: readonly string[] }[]
}

/** Turns as "speaker: text"; a question without a turn that exists is left out. */
const readConversations = (file: string): Conversation[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as Sample[]).map(({ conversation, qa }) => {
    const sessions = Object.keys(conversation).filter((key) => /^session_\d+$/.test(key))
    const turns = sessions.flatMap((key) => conversation[key] as readonly Turn[])
    const places = new Map(turns.map(({ dia_id }, at) => [dia_id, at]))
    const questions = qa.map(({ question, evidence = [] }) => ({
      text: question,
      evidence: evidencePlaces(evidence, places),
    }))
    return {
      turns: turns.map(({ speaker, text }) => `${speaker}: ${text}`),
      questions: questions.filter((question) => question.evidence.length > 0),
    }
  })

/** The strings hold one id or several, some with zeros in front: "D8:6; D9:17", "D30:05". */
const evidencePlaces = (evidence: readonly string[], places: ReadonlyMap<string, number>): number[] => {
  const ids = evidence.flatMap((text) => [...text.matchAll(/D(\d+):(\d+)/g)].map(([, a, b]) => `D${Number(a)}:${Number(b)}`))
  return [...new Set(ids)].map((id) => places.get(id)).filter((place) => place !== undefined)
}
