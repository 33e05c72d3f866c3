import { readFile } from 'node:fs/promises'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Learned } from '../../src/schema/learning.js'
import type { MemoryRow, SearchResult, WriteResult } from '../../src/schema/records.js'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'
import type { Embedder } from '../../worker/ports.js'
import { createTestMemory, type TestMemory } from '../support/engine.js'

/*
 * Failures that users of other systems reported, with the inputs of our collection (O12, O16 to O20). O15 and the others to O14 are about
 * judging and ranking; O21 to O25 need a browser: see `test/browser`.
 */

let embedder: Embedder
let asked: string[]
let memory: TestMemory

beforeAll(async () => {
  const table = await readFile('model/static-256.bin')
  const plain = createStaticEmbedder({ url: 'static-256.bin', fetch: async () => new Response(table) })
  embedder = {
    ...plain,
    embed: (texts, options) => {
      asked.push(...texts)
      return plain.embed(texts, options)
    },
  }
})
beforeEach(async () => {
  asked = []
  memory = await createTestMemory({ embedder })
})

const set = (value: string, more: object = {}) => memory.call<WriteResult>('memory.set', { value, ...more })
const search = (query: string, more: object = {}) => memory.call<SearchResult>('memory.search', { query, ...more })
const found = async (query: string, more: object = {}) => (await search(query, more)).hits.map(({ value }) => value)
const list = () => memory.call<{ rows: readonly MemoryRow[] }>('memory.list')

describe('O16: accents and the two ways to write them', () => {
  const composed = 'Zoë met José in Kraków'.normalize('NFC')
  const decomposed = composed.normalize('NFD')

  test.each([
    ['composed', composed, decomposed],
    ['decomposed', decomposed, composed],
  ])(
    'a sentence first written %s merges with the other form, is found by every spelling, and keeps its bytes',
    async (_, first, second) => {
      const written = await set(first)
      const again = await set(second)
      expect([written.verdict, again.verdict, again.id]).toEqual(['clear', 'merge', written.id])
      await set('Bashir borrowed the tent from Wren.')
      for (const query of ['zoe jose krakow', 'José'.normalize('NFC'), 'José'.normalize('NFD'), 'KRAKÓW', 'krakow'])
        expect(await found(query, { legs: ['lexical'] }), query).toEqual([first])
      const { rows } = await list()
      expect(rows.map(({ value }) => value).sort()).toEqual(['Bashir borrowed the tent from Wren.', first].sort())
    },
  )
})

describe('O17: questions that look like query syntax', () => {
  const stored = [
    'The pre-edit copy is kept for a week.',
    "Priya doesn't eat fish; don't book sushi.",
    'The parser lives in src/auth next to the tests.',
    'The backup is written to C:\\temp every night.',
    'Use the retry queue for webhooks.',
  ]
  const queries = [
    "don't",
    'src/auth',
    'pre-edit',
    'C:\\temp',
    'foo AND',
    'NEAR(',
    '"',
    '*',
    'a:b',
    '-',
    '(',
    'title:x',
    '"'.repeat(200),
  ]

  beforeEach(async () => {
    for (const value of stored) await set(value)
  })

  test.each([...queries, 'NOT', 'OR OR', 'AND', '^', 'text:retry', "'; drop table heads; --", '%', '_', '\\'])(
    '%s raises nothing',
    async (query) => {
      for (const legs of [undefined, ['lexical'], ['vector']]) {
        const result = await search(query, legs === undefined ? {} : { legs })
        expect(result.hits.length).toBeLessThan(stored.length)
      }
    },
  )

  test.each([
    ["don't", 1],
    ['src/auth', 2],
    ['pre-edit', 0],
    ['C:\\temp', 3],
    ['retry', 4],
  ])('%s finds what contains it', async (query, which) => {
    expect((await found(query, { legs: ['lexical'] }))[0]).toBe(stored[which])
  })

  test.each(['retry -webhooks', 'retry NOT webhooks', '!retry webhooks'])('%s leaves nothing out', async (query) => {
    expect((await found(query, { legs: ['lexical'] }))[0]).toBe(stored[4])
  })
})

describe('O18: nothing to look for, nothing to store', () => {
  beforeEach(async () => {
    for (const value of ['The spare key is in the blue tin.', 'Nadia is allergic to nuts.', 'The lab uses Beaker. 🙂'])
      await set(value)
    asked.length = 0
  })

  test.each(['', '   ', '\n\t', '?', '...', '\u200b'])('%j finds nothing, says so, and asks no embedder', async (query) => {
    expect(await search(query)).toMatchObject({ hits: [], abstained: true, abstainCode: 'empty_query' })
    expect(asked).toEqual([])
  })

  test.each(['?!', '🙂', '🙂🙂 !', '§ $ %', '。。。'])('%s never finds everything', async (query) => {
    expect((await search(query)).hits.length).toBeLessThan(3)
  })

  test.each(['', '   ', '\n\t', '\u00a0'])('%j is refused as a value, and nothing is stored', async (value) => {
    await expect(set(value)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { issues: [{ path: 'value' }] } })
    await expect(set(value, { key: 'blank' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect((await list()).rows).toHaveLength(3)
    expect(asked).toEqual([])
  })
})

describe('O19: the end of a long text', () => {
  const subjects = [
    'The board',
    'Nadia',
    'A visitor',
    'The caretaker',
    'Our supplier',
    'The choir',
    'Idris',
    'The library',
    'A neighbour',
  ]
  const verbs = [
    'ordered',
    'painted',
    'returned',
    'repaired',
    'described',
    'measured',
    'sold',
    'borrowed',
    'cancelled',
    'collected',
  ]
  const objects = [
    'a wooden ladder',
    'seven tickets',
    'the old harbour map',
    'two bags of flour',
    'a box of candles',
    'the blue bicycle',
    'a letter',
  ]
  const pick = (from: readonly string[], i: number) => from[i % from.length]
  const sentence = (_: unknown, i: number) =>
    `${pick(subjects, i)} ${pick(verbs, i * 7)} ${pick(objects, i * 5)} on day ${i}.`
  const text = `${Array.from({ length: 1_180 }, sentence).join(' ')} The greenhouse alarm code changed to falcon.`

  test.each(['lexical', 'vector'])(
    'is found by the %s leg alone, and the write says that the text was divided',
    async (leg) => {
      expect(text.split(' ').length).toBeGreaterThan(9_000)
      const written = await set(text, { key: 'report' })
      expect(written.chunksWritten).toBeGreaterThan(1)
      await set('Nadia is allergic to nuts.')
      expect((await memory.call<MemoryRow>('memory.get', { key: 'report' })).value).toBe(text)
      const { hits } = await search('greenhouse alarm', { legs: [leg] })
      expect(hits.map(({ key }) => key)).toEqual(['report'])
      expect(hits[0]?.excerpt).toContain('The greenhouse alarm code changed to falcon.')
    },
  )

  test('beyond a stated limit is refused, and nothing is stored', async () => {
    await expect(set('word '.repeat(1_000_000))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/larger than \d+ bytes/),
    })
    expect((await list()).rows).toEqual([])
    expect(asked).toEqual([])
  })
})

describe('O12: what a friend is said to dislike', () => {
  test('is not what the speaker dislikes', async () => {
    const text = "My flatmate Jonas says he can't stand coriander, so I cook without it."
    const { written } = await memory.call<Learned>('memory.setFromMessages', { messages: [{ text }] })
    const disliking = written.filter(({ value }) => value.includes('stand'))
    expect(disliking).toMatchObject([{ subject: 'jonas', key: 'jonas/tastes/coriander' }])
    expect(written.filter(({ key }) => key.startsWith('user/tastes'))).toEqual([])
  })
})

describe('O20: "last Friday" in an old talk', () => {
  const text = 'We moved into the new flat last Friday.'
  test.each(['Etc/GMT+8', 'Asia/Tokyo'])('is counted from the day of the talk in %s', async (timeZone) => {
    const messages = [{ text, at: '2023-05-24T10:00:00Z', timeZone }]
    const { written } = await memory.call<Learned>('memory.setFromMessages', { messages })
    expect(written).toMatchObject([{ date: { phrase: 'last Friday', date: '2023-05-19' } }])
  })

  test('stays open without one', async () => {
    const { written } = await memory.call<Learned>('memory.setFromMessages', { messages: [{ text }] })
    expect(written).toMatchObject([{ date: { phrase: 'last Friday', date: null } }])
    expect((await list()).rows.find(({ key }) => key === 'user/home')?.tags).toContain('date-unresolved')
  })
})
