import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeTableProblem, parseStaticTable } from '../worker/adapters/static-table.js'
import { nearPairs } from './near-words.js'
import { PARTS, type Part, readIndex, readSenses, type Sense } from './wordnet-relations.js'

/*
 * tsx model/lexicon.ts <file>: writes the words that judging looks up, from Princeton WordNet, as text: a line per base form with
 * its senses, then sections of broader senses, of shades of one quality, of opposites, of words derived from each other, of words
 * near in use and of irregular forms. What it holds follows from its sources alone.
 */

/** Senses kept of a word, at the most: the rare ones make strangers synonyms. */
const MOST_SENSES: Readonly<Record<Part, number>> = { n: 3, v: 5, a: 4, r: 2 }

const DIMS = 256

const WORD = /^[a-z][a-z'-]*$/

/** What the lexicon says, by sections, in order. */
export const lexiconText = (table: Table): string => {
  const parts = Object.keys(PARTS) as Part[]
  const senses = new Map(parts.flatMap((part) => readSenses(part).map((sense) => [sense.id, sense] as const)))
  const words = new Map<string, readonly string[]>()
  const entries = parts.flatMap((part) => readIndex(part).map((entry) => ({ part, ...entry })))
  const add = ({ part, word, senses: all, tagged }: (typeof entries)[number]): void => {
    const kept = all.slice(0, Math.max(1, Math.min(MOST_SENSES[part], Math.max(tagged, 2))))
    words.set(word, [...(words.get(word) ?? []), ...kept])
  }
  const all = new Map<string, readonly string[]>()
  for (const { word, senses: some } of entries) all.set(word, [...(all.get(word) ?? []), ...some])
  const plain = entries.filter(({ word }) => WORD.test(word))
  const isFrequent = ({ word, tagged }: (typeof entries)[number]): boolean => tagged > 0 || table.has(word)
  plain.filter(isFrequent).forEach(add)
  // A rarer word comes in where it mostly says what a frequent one says, too.
  const said = new Set([...words.values()].flat())
  plain.filter((entry) => !isFrequent(entry) && said.has(entry.senses[0] ?? '')).forEach(add)
  const numbers = numbering(words, senses)
  const short = (id: string): string => id.charAt(0) + (numbers.get(id) ?? 0).toString(36)
  const line = (first: string, rest: readonly string[]): string => [first, ...rest].join(' ')
  const known = [...numbers.keys()].map((id) => senses.get(id) as Sense)
  return [
    'palimpsest lexicon 1',
    ...[...words].sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, ids]) => line(word, ids.map(short))),
    '%broader',
    ...known.filter(({ broader }) => broader.length > 0).map(({ id, broader }) => line(short(id), broader.map(short))),
    '%similar',
    ...known.flatMap(({ id, similar }) => {
      const shades = similar.filter((other) => numbers.has(other))
      return shades.length === 0 ? [] : [line(short(id), shades.map(short))]
    }),
    '%opposites',
    ...pairs(senses.values(), senses, words, ({ opposites }) => opposites),
    '%derived',
    ...pairs(known, senses, words, ({ derived }) => derived),
    '%near',
    ...nearPairs([...words.keys()], {
      sensesOf: (word) => (all.get(word) ?? []).flatMap((id) => senses.get(id) ?? []),
      senseOf: (id) => senses.get(id),
      vectorOf: (word) => table.get(word) ?? null,
    }),
    '%forms',
    ...irregularForms(words),
  ].join('\n')
}

/** Numbers of all senses that words have, and of those above them. */
const numbering = (
  words: ReadonlyMap<string, readonly string[]>,
  senses: ReadonlyMap<string, Sense>,
): ReadonlyMap<string, number> => {
  const numbers = new Map<string, number>()
  const queue = [...words.values()].flat()
  for (let i = 0; i < queue.length; i++) {
    const id = queue[i] as string
    if (numbers.has(id)) continue
    numbers.set(id, numbers.size)
    queue.push(...(senses.get(id)?.broader ?? []))
  }
  return numbers
}

/** Pairs of known words that senses name, sorted, each once. */
const pairs = (
  from: Iterable<Sense>,
  senses: ReadonlyMap<string, Sense>,
  words: ReadonlyMap<string, readonly string[]>,
  pointersOf: (sense: Sense) => Sense['opposites'],
): readonly string[] => {
  const found = new Set<string>()
  for (const sense of from)
    for (const [at, target, there] of pointersOf(sense)) {
      const a = sense.words[at - 1] ?? ''
      const b = senses.get(target)?.words[there - 1] ?? ''
      const isFrequent = words.get(a)?.includes(sense.id) === true && words.get(b)?.includes(target) === true
      if (a !== b && words.has(a) && words.has(b) && (isFrequent || pointersOf(sense) === sense.opposites))
        found.add(a < b ? `${a} ${b}` : `${b} ${a}`)
    }
  return [...found].sort()
}

/** WordNet's lists of irregular forms, and the plural that it takes for a word of its own. */
const irregularForms = (words: ReadonlyMap<string, readonly string[]>): readonly string[] => {
  const require = createRequire(import.meta.url)
  const lists = ['verb', 'noun', 'adjective'].map(
    (part) => require(`wink-lexicon/src/wn-${part}-exceptions.js`) as Readonly<Record<string, string | readonly string[]>>,
  )
  const all = lists
    .flatMap((list) => Object.entries(list))
    .map(([form, base]) => [form, typeof base === 'string' ? base : base[0]])
  return [...all, ['people', 'person']].flatMap(([form = '', base = '']) =>
    WORD.test(form) && words.has(base) && form !== base ? [`${form} ${base}`] : [],
  )
}

/** Whole words that the token table has a vector for, which are what people write most, with their vectors. */
type Table = ReadonlyMap<string, Float32Array>

const readTable = (): Table => {
  const file = readFileSync(fileURLToPath(new URL('static-256.bin', import.meta.url)))
  const parsed = parseStaticTable(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength), DIMS)
  if (!parsed.ok) throw new Error(describeTableProblem(parsed.problem))
  const { vocabulary, weights } = parsed.value
  return new Map(
    vocabulary.flatMap((word, row) =>
      WORD.test(word) ? [[word, unit(weights.subarray(row * DIMS, (row + 1) * DIMS))] as const] : [],
    ),
  )
}

const unit = (row: Int8Array): Float32Array => {
  const length = Math.sqrt(row.reduce((sum, weight) => sum + weight * weight, 0)) || 1
  return Float32Array.from(row, (weight) => weight / length)
}

/** Writes the file. */
export const writeLexicon = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  // Whoever reads meanwhile reads the old file or the new one.
  const aside = `${path}.${process.pid}`
  writeFileSync(aside, lexiconText(readTable()))
  renameSync(aside, path)
}

const [path] = process.argv.slice(2)
if (process.argv[1] === fileURLToPath(import.meta.url)) writeLexicon(path ?? 'dist/lexicon.txt')
