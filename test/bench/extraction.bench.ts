import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import type { TurnReading } from '../../src/domain/extract/extract.js'
import type { FoundFact } from '../../src/domain/extract/found.js'
import { createTalkReader } from '../../worker/extract/main.js'
import type { TalkReading } from '../../worker/operations/learning/talk-reader.js'
import { constant, datesIn, held, saysTheSame } from './extraction.js'

/*
 * npm run bench:extraction. What the built-in extractor finds in labelled turns, and what it makes of a talk of two people. PALIMPSEST_DATA
 * names the folder with the sets, which belong to others. A statement that no label says counts as invented, whether the turn says it or not.
 */

const DATA = process.env['PALIMPSEST_DATA'] ?? ''

interface Label {
  readonly id: string
  readonly memories: readonly { readonly type: string; readonly content: string }[]
}

const lines = <T>(file: string): readonly T[] =>
  readFileSync(join(DATA, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

const NOON = Date.UTC(2024, 1, 14, 12)
const readAlone = (text: string, speaker: string | null = null, at = NOON): TurnReading =>
  createTalkReader('').read({ speaker, text }, { at, offsetMinutes: 0 })

const share = (part: number, whole: number): string => (whole === 0 ? '–' : (part / whole).toFixed(3))

interface Mistake {
  readonly id: string
  readonly how: string
  readonly kind: string
  readonly text: string
}

const evaluate = (language: 'en' | 'de' | 'zh', show: boolean) => {
  const suffix = language === 'en' ? '' : `.${language}`
  const turns = lines<{ id: string; text: string }>(`memory-extraction.dataset${suffix}.jsonl`)
  const labels = new Map(lines<Label>('memory-extraction.labels.jsonl').map((label) => [label.id, label.memories]))
  const view = language === 'en' ? held : constant
  const least = language === 'en' ? 2 : 1
  const mistakes: Mistake[] = []
  const count = { found: 0, right: 0, labels: 0, covered: 0, subjects: 0, wrongSubject: 0, dates: 0, wrongDate: 0 }
  for (const { id, text } of turns) {
    const { facts } = readAlone(text)
    const wanted = labels.get(id) ?? []
    const covered = new Set<number>()
    count.found += facts.length
    count.labels += wanted.length
    for (const fact of facts) {
      const fits = wanted.flatMap(({ content }, i) => (saysTheSame(view(fact.statement), view(content), least) ? [i] : []))
      for (const i of fits) covered.add(i)
      if (fits.length > 0) count.right++
      else mistakes.push({ id, how: 'invented', kind: fact.kind, text: fact.statement })
      const label = wanted[fits[0] ?? -1]
      if (label !== undefined && language === 'en') {
        count.subjects++
        if (!isRightSubject(fact, label)) {
          count.wrongSubject++
          mistakes.push({ id, how: `subject ${fact.subject}`, kind: fact.kind, text: label.content })
        }
        for (const date of datesIn(label.content).filter((date) => fact.statement.toLowerCase().includes(date))) {
          count.dates++
          if (!isDated(fact, date)) {
            count.wrongDate++
            mistakes.push({
              id,
              how: `date ${date}: ${fact.date?.phrase} ${fact.date?.date}`,
              kind: fact.kind,
              text: fact.statement,
            })
          }
        }
      }
    }
    count.covered += covered.size
    wanted.forEach((label, i) => {
      if (!covered.has(i)) mistakes.push({ id, how: 'missed', kind: label.type, text: label.content })
    })
  }
  console.log(
    `${language}: ${count.found} found, ${count.labels} labels; precision ${share(count.right, count.found)}, recall ${share(count.covered, count.labels)}; wrong subject ${share(count.wrongSubject, count.subjects)} of ${count.subjects}; wrong date ${count.wrongDate} of ${count.dates}`,
  )
  const table = new Map<string, number>()
  for (const { how, kind } of mistakes) {
    const row = `${how.split(' ')[0]} ${kind}`
    table.set(row, (table.get(row) ?? 0) + 1)
  }
  console.table(Object.fromEntries([...table].sort()))
  if (show) for (const { id, how, kind, text } of mistakes) console.log(`  ${id} ${how} (${kind}) ${text}`)
}

/** A label begins with a name where it is about somebody else; what somebody decides, promises or thinks is about the one who says it. */
const isRightSubject = (fact: FoundFact, { type, content }: Label['memories'][number]): boolean => {
  const [first = ''] = content.split(/[\s']/u)
  const isAnothers = type === 'preference' || /^\p{Lu}\p{Ll}+ (?:decided|committed|wants|prefers|asked)/u.test(content)
  if (/^(?:Will|Switch|Using|No|Chose|Adopt|Build|Adjust|Confirmed)/u.test(content)) return fact.subject === 'user'
  if (isAnothers && fact.name !== null) return fact.subject.startsWith(first.toLowerCase())
  return type !== 'fact' || fact.subject !== 'user' || /\bI\b|we\b/iu.test(fact.statement)
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

const isDated = ({ date }: FoundFact, wanted: string): boolean => {
  const day = date?.date == null ? null : new Date(`${date.date.slice(0, 10)}T00:00:00Z`)
  if (day === null) return false
  const [month = '', number] = wanted.split(' ')
  return number === undefined
    ? WEEKDAYS[day.getUTCDay()] === wanted
    : MONTHS[day.getUTCMonth()] === month && day.getUTCDate() === Number(number)
}

test('labelled turns', () => {
  for (const language of ['en', 'de', 'zh'] as const) evaluate(language, process.env['SHOW'] === language)
})

interface Locomo {
  readonly conversation: Readonly<Record<string, unknown>>
  readonly observation: Readonly<
    Record<string, Readonly<Record<string, readonly (readonly [string, string | readonly string[]])[]>>>
  >
}

test('talks of two people', () => {
  const talks = JSON.parse(readFileSync(join(DATA, 'locomo-tune.json'), 'utf8')) as readonly Locomo[]
  const count = { observed: 0, withFact: 0, rightSpeaker: 0, sameWords: 0, turns: 0, facts: 0, wrong: 0 }
  const shown: string[] = []
  for (const { conversation, observation } of talks) {
    const reader = createTalkReader('')
    const found = new Map<string, readonly FoundFact[]>()
    const spoke = new Map<string, string>()
    for (let session = 1; ; session++) {
      const turns = conversation[`session_${session}`] as
        | readonly { speaker: string; dia_id: string; text: string }[]
        | undefined
      if (turns === undefined) break
      const at = Date.parse(
        String(conversation[`session_${session}_date_time`])
          .replace(/^.* on /u, '')
          .concat(' UTC'),
      )
      for (const { speaker, dia_id: id, text } of turns) {
        const { facts } = reader.read({ speaker, text }, { at: Number.isNaN(at) ? null : at, offsetMinutes: 0 })
        found.set(id, facts)
        spoke.set(id, speaker)
        count.turns++
        count.facts += facts.length
        if (process.env['SHOW'] === 'locomo' && facts.length > 0)
          shown.push(
            `${speaker}: ${text}`,
            ...facts.map((fact) => `    ${fact.kind} ${fact.key} | ${fact.statement} ${fact.date?.date ?? ''}`),
          )
      }
    }
    for (const people of Object.values(observation))
      for (const [person, observed] of Object.entries(people))
        for (const [text, ids] of observed) {
          const turn = [ids].flat().flatMap((id) => found.get(id) ?? [])
          const isOwn = [ids].flat().some((id) => spoke.get(id) === person)
          if (!isOwn) continue
          count.observed++
          if (turn.length === 0) continue
          count.withFact++
          const own = turn.filter(
            ({ subject, statement }) => subject.startsWith(person.toLowerCase()) || statement.includes(person),
          )
          if (own.length > 0) count.rightSpeaker++
          if (own.some(({ statement }) => saysTheSame(held(statement), held(text)))) count.sameWords++
        }
  }
  console.log(
    `${count.turns} turns, ${count.facts} facts; of ${count.observed} observed facts the turn gives a fact ${share(count.withFact, count.observed)}, one about the right speaker ${share(count.rightSpeaker, count.observed)}, in the same words ${share(count.sameWords, count.observed)}`,
  )
  for (const line of shown.slice(0, 400)) console.log(line)
})

test('speed', () => {
  const talks = JSON.parse(readFileSync(join(DATA, 'locomo-tune.json'), 'utf8')) as readonly Locomo[]
  const turns = talks.flatMap(({ conversation }) =>
    Object.values(conversation).flatMap((session) => (Array.isArray(session) ? (session as { text: string }[]) : [])),
  )
  const reader = createTalkReader('')
  const begun = performance.now()
  for (const { text } of turns) reader.read({ speaker: null, text }, { at: NOON, offsetMinutes: 0 })
  const ms = performance.now() - begun
  console.log(`${turns.length} messages in ${ms.toFixed(0)} ms: ${((turns.length / ms) * 1000).toFixed(0)} messages/s`)
})

test('the first message after loading', async () => {
  const file = new URL('../../dist/extract.js', import.meta.url)
  if (!existsSync(file)) return console.log('npm run build makes dist/extract.js, which this measures')
  const begun = performance.now()
  const { createTalkReader: create } = (await import(/* @vite-ignore */ file.href)) as TalkReading
  const loaded = performance.now()
  create('').read(
    { speaker: null, text: 'Ivo prefers tea. My sister Anna moved to Rome last week. I live in Porto.' },
    { at: NOON, offsetMinutes: 0 },
  )
  console.log(`loaded in ${(loaded - begun).toFixed(0)} ms, first message ${(performance.now() - loaded).toFixed(0)} ms`)
})
