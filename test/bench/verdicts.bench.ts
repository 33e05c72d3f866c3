import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { calibrationOf, cosine, floorOf, thresholdsOf } from '../../src/domain/calibration.js'
import { CALIBRATION_TEXTS } from '../../src/domain/calibration-texts.js'
import { canonicalForm } from '../../src/domain/canonical.js'
import { type JudgedPeer, judge } from '../../src/domain/judge.js'
import { sha256Hex } from '../../src/domain/sha256.js'
import type { VerdictKind } from '../../src/schema/records.js'
import { launchBrowser } from '../support/chromium.js'
import { testLanguage } from '../support/lexicon.js'
import { embedAll, type Name, startEmbedding, startEmbeddingServer } from './embedding.js'

/*
 * npm run bench:verdicts. What judging says of labelled pairs, written one after the other, with two embedders and a strict floor
 * beside them, and how many would retire what they should not. PALIMPSEST_DATA names the folder with the sets, which belong to others. The floor merges equal words only: lower case, no
 * punctuation, content words as a set, digits for number words.
 */

const DATA = process.env['PALIMPSEST_DATA']

interface Pair {
  readonly a: string
  readonly b: string
  readonly gold?: string
  readonly relatedness?: number
  readonly score?: number
}

const lines = (file: string): readonly Pair[] =>
  readFileSync(join(DATA ?? '', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Pair)

/** The sets; where nothing is updated, a `refines` is a wrong retirement. */
const sets = (): Readonly<Record<string, readonly Pair[]>> => {
  const breaking = lines('breaking-nli-tune.jsonl')
  const sick = lines('sick-tune.jsonl')
  const stsb = lines('stsb-dev.jsonl')
  const negated = lines('negated-nli-tune.jsonl')
  return {
    'Breaking NLI contradiction': breaking.filter(({ gold }) => gold === 'contradiction'),
    'SICK contradiction': sick.filter(({ gold }) => gold === 'contradiction'),
    'preference updates': lines('preference-updates-tune.jsonl'),
    'negated NLI contradiction': negated.filter(({ gold }) => gold === 'contradiction'),
    'SICK >= 4.8': sick.filter(({ relatedness = 0 }) => relatedness >= 4.8),
    'STS-B >= 4.8': stsb.filter(({ score = 0 }) => score >= 4.8),
    'Breaking NLI entailment': breaking.filter(({ gold }) => gold === 'entailment'),
    'SICK entailment': sick.filter(({ gold }) => gold === 'entailment'),
    'negated NLI entailment': negated.filter(({ gold }) => gold === 'entailment'),
    'SICK neutral': sick.filter(({ gold }) => gold === 'neutral'),
    'Breaking NLI neutral': breaking.filter(({ gold }) => gold === 'neutral'),
    'negated NLI neutral': negated.filter(({ gold }) => gold === 'neutral'),
    'STS-B <= 1': stsb.filter(({ score = 5 }) => score <= 1),
  }
}

/** Sets in which the later statement may take the place of the earlier one. */
const RETIRING = ['Breaking NLI contradiction', 'SICK contradiction', 'preference updates', 'negated NLI contradiction']

const KINDS: readonly VerdictKind[] = ['merge', 'duplicate', 'refines', 'conflict', 'clear']

const STOP = new Set('a an the is are was were be been of in on at to for with by and or there it'.split(' '))
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

/** Content words as a set. */
const floorForm = (text: string): string => {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const plain = words.filter((word) => !STOP.has(word)).map((word) => word.replace(/(?:ing|ed|es|s)$/, ''))
  const digits = plain.map((word) => (NUMBERS.includes(word) ? String(NUMBERS.indexOf(word)) : word))
  return [...new Set(digits)].sort().join(' ')
}

const share = (count: number, of: number): string => (of === 0 ? '-' : (count / of).toFixed(3))

const judgeAll = async (name: Name, vectors: ReadonlyMap<string, Float32Array>): Promise<readonly string[]> => {
  const language = await testLanguage()
  const vectorOf = (text: string): Float32Array => vectors.get(text) ?? new Float32Array(0)
  const said = [...CALIBRATION_TEXTS.map(([first]) => first), ...CALIBRATION_TEXTS.map(([, second]) => second)]
  const calibration = calibrationOf(said.map(vectorOf), 0)
  const thresholds = thresholdsOf(calibration)
  const floor = floorOf(calibration)
  const verdictOf = ({ a, b }: Pair): VerdictKind => {
    const [formA, formB] = [canonicalForm(a), canonicalForm(b)]
    const similarity = formA === formB ? 1 : cosine(vectorOf(a), vectorOf(b))
    if (similarity < floor) return 'clear'
    const peer: JudgedPeer = {
      memory: 1,
      id: '1',
      key: 'a',
      status: 'active',
      run: null,
      canonicalSha256: sha256Hex(formA),
      similarity,
      reinforceable: true,
      pinned: false,
      locked: false,
      validAt: null,
      sameKey: false,
      elsewhere: false,
      relation: language.relate(a, b),
    }
    const write = { canonicalSha256: sha256Hex(formB), run: null, embedder: name, revises: null, pins: false, holdsFrom: 0 }
    return judge(write, [peer], { thresholds, conflictPolicy: 'auto_reinforce' }).kind
  }
  return Object.entries(sets()).map(([set, pairs]) => {
    const verdicts = pairs.map(verdictOf)
    const counts = KINDS.map((kind) => share(verdicts.filter((verdict) => verdict === kind).length, pairs.length))
    const same = verdicts.filter((verdict) => verdict === 'merge' || verdict === 'duplicate').length
    const strict = pairs.filter(({ a, b }) => floorForm(a) === floorForm(b)).length
    const retired = RETIRING.includes(set) ? '-' : verdicts.filter((verdict) => verdict === 'refines').length
    return [name, set, pairs.length, ...counts, share(same, pairs.length), share(strict, pairs.length), retired].join(' | ')
  })
}

test('verdicts', async () => {
  if (DATA === undefined) throw new Error('Set PALIMPSEST_DATA to the folder with the labelled pairs.')
  const texts = new Set(CALIBRATION_TEXTS.flat())
  for (const { a, b } of Object.values(sets()).flat()) texts.add(a).add(b)
  const server = await startEmbeddingServer()
  const table = [`embedder | set | pairs | ${KINDS.join(' | ')} | merge + duplicate | strict floor | wrong retirements`]
  for (const name of ['static', 'MiniLM int8'] as const) {
    const browser = await launchBrowser()
    const page = await server.openPage(browser.context)
    page.setDefaultTimeout(0)
    const { embed } = await startEmbedding(page, name)
    const vectors = await embedAll(embed, [...texts])
    await browser.close()
    table.push(...(await judgeAll(name, vectors)))
  }
  await server.close()
  console.log(table.join('\n'))
})
