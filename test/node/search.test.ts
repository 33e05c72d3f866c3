import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SearchResult } from '../../src/schema/records.js'
import type { ScopePatch } from '../../src/schema/scope.js'
import { ALICE, type Fields, MALLORY, open, refusal } from '../support/engine-calls.js'

const OPEN = { minConfidence: 0 }

const openSearch = async (options: Parameters<typeof open>[0] = {}) => {
  const memory = await open(options)
  const search = (query: string, more: Fields = {}, scope: ScopePatch = ALICE) =>
    memory.call<SearchResult>('memory.search', { query, ...more }, scope)
  return {
    ...memory,
    search,
    order: async (query: string, more: Fields = {}) =>
      (await search(query, { ...OPEN, ...more })).hits.map(({ key }) => key),
  }
}

const turns = (entries: readonly (readonly [speaker: string, said: string])[]) =>
  entries.map(([speaker, value], i) => ({ key: `chat/1/${i}`, value, type: 'turn', entities: [speaker] }))

describe('O10: facts found by whom they are about', () => {
  test('are those of the handle only, also where others say the same of the same', async () => {
    const { bulk, search } = await openSearch()
    await bulk([{ key: 'a', value: 'Likes to sail at night.', entities: ['Wren'] }])
    await bulk([{ key: 'b', value: 'Keeps bees on the roof.', entities: ['Wren'] }], {}, MALLORY)
    for (const query of ['Wren', 'tell me about Wren', 'does Wren keep bees?']) {
      const { hits, explain } = await search(query, { ...OPEN, explain: true })
      expect(hits.map(({ key }) => key).filter((key) => key !== 'a')).toEqual([])
      expect(JSON.stringify(explain)).not.toContain('bees')
    }
  })
})

describe('O11: a full name', () => {
  test('brings that person first, and others of the same first name after', async () => {
    const { bulk, order } = await openSearch()
    await bulk([
      { key: 'schmidt', value: 'Anna Schmidt lives in Bern.', entities: ['Anna Schmidt'] },
      { key: 'keller', value: 'Anna Keller lives in Graz.', entities: ['Anna Keller'] },
    ])
    expect((await order('Where does Anna Keller live?'))[0]).toBe('keller')
    expect((await order('Where does Anna Schmidt live?'))[0]).toBe('schmidt')
    expect(await order('Where does Anna live?')).toHaveLength(2)
  })

  test('that only another one bears is answered with nothing', async () => {
    const { bulk, search } = await openSearch()
    await bulk([
      { key: 'a', value: 'I keep bees on the roof.', entities: ['Anna'], type: 'turn' },
      { key: 'b', value: 'I have a cat.', entities: ['Bo'], type: 'turn' },
    ])
    expect(await search('Does Bo keep bees on the roof?')).toMatchObject({
      abstained: true,
      abstainCode: 'wrong_subject',
      hits: [],
    })
    expect((await search('Does Anna keep bees on the roof?')).hits[0]?.key).toBe('a')
  })
})

test('O13: what was deleted answers for no name any more', async () => {
  const { set, remove, search, update } = await openSearch()
  await set({ key: 'a', value: 'Likes to sail at night.', entities: ['Wren'] })
  await set({ key: 'b', value: 'The kettle is blue.' })
  expect((await search('Wren', OPEN)).hits.map(({ key }) => key)).toContain('a')
  await update({ key: 'a', entities: ['Bo'] })
  expect((await search('Wren', { ...OPEN, legs: ['entity'] })).hits).toEqual([])
  await remove('a')
  for (const query of ['Wren', 'Bo', 'who sails at night?'])
    expect((await search(query, OPEN)).hits.map(({ key }) => key)).not.toContain('a')
})

test('who asks about a person finds what that person said, not what others said to the person', async () => {
  const { bulk, order } = await openSearch()
  await bulk(
    turns([
      ['Bo', 'Mia, did you bring the violin?'],
      ['Mia', 'Yes, the violin is a present of my aunt.'],
      ['Bo', 'I like the sound of a violin.'],
    ]),
  )
  expect((await order("Who gave Mia's violin?"))[0]).toBe('chat/1/1')
})

test('what was said around it counts as weak context', async () => {
  const { bulk, order } = await openSearch()
  await bulk([
    ...turns([
      ['Bo', 'How did the marathon go?'],
      ['Mia', 'Four hours and a blister.'],
    ]),
    ...Array.from({ length: 8 }, (_, i) => ({
      key: `other/${i}`,
      value: `Shelf ${i} holds jars.`,
      type: 'turn',
      entities: ['Bo'],
    })),
  ])
  expect((await order('marathon')).slice(0, 2)).toEqual(['chat/1/0', 'chat/1/1'])
})

describe('time in a query', () => {
  const openDated = async () => {
    const memory = await openSearch()
    await memory.bulk(
      ['2023-05-03', '2023-11-20', '2024-05-12'].map((validAt, i) => ({
        key: `trip/${i}`,
        value: `A trip to the lake, ${['with Bo', 'alone', 'in the rain'][i]}.`,
        validAt,
      })),
    )
    return memory
  }
  const now = Date.UTC(2024, 8, 1)

  test.each([
    ['trip in May 2023', 'trip/0'],
    ['trip to the lake last May', 'trip/2'],
    ['a trip on 20 November 2023', 'trip/1'],
    ['trip in 2024', 'trip/2'],
  ])('%s', async (query, key) => {
    const { order } = await openDated()
    expect((await order(query, { now }))[0]).toBe(key)
  })

  test('a word that may be a month is none by itself', async () => {
    const { search } = await openDated()
    const { hits } = await search('may I march to the lake?', { ...OPEN, now })
    expect(hits.flatMap(({ components }) => components.map(({ leg }) => leg))).not.toContain('time')
  })
})

test('the newer of two that say what became of one thing comes first, unless the past is asked for', async () => {
  const { set, order } = await openSearch()
  await set({ key: 'old', value: 'The team has 12 members in the Berlin office.' })
  await set({ key: 'new', value: 'The Berlin office team has grown to 15 members.' })
  expect((await order('How many members has the Berlin office team?'))[0]).toBe('new')
  expect(new Set(await order('How many members had the Berlin office team originally?'))).toEqual(new Set(['old', 'new']))
})

describe('filters', () => {
  test('by entities and files, soft tags and tags to demote', async () => {
    const { bulk, order } = await openSearch()
    await bulk([
      { key: 'a', value: 'The red box is open.', entities: ['Box'], files: ['a.ts'], tags: ['x'] },
      { key: 'b', value: 'A red box stands in the cellar.', entities: ['Shelf'], files: ['b.ts'], tags: ['y'] },
    ])
    expect(await order('red box', { entities: ['box'] })).toEqual(['a'])
    expect(await order('red box', { files: ['b.ts'] })).toEqual(['b'])
    expect((await order('red box', { tagsSoft: ['y'] }))[0]).toBe('b')
    expect((await order('red box', { demoteTags: ['x'] }))[0]).toBe('b')
    expect(await order('red box', { maxTokens: 5 })).toHaveLength(1)
    expect(await order('red box', { entities: ['nothing'] })).toEqual([])
  })

  test.each<[Fields]>([
    [{ tagBoost: Number.NaN }],
    [{ tagBoost: 2 }],
    [{ limit: -1 }],
    [{ offset: -1 }],
    [{ maxTokens: 0 }],
    [{ now: Number.NaN }],
    [{ legs: [] }],
  ])('refuse %j', async (more) => {
    const { search } = await openSearch()
    await refusal(search('red', more), 'INVALID_ARGUMENT')
  })

  const words = 'red green blue box rope shelf jar lamp kettle river'.split(' ')
  const value = fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 6 }).map((some) => some.join(' '))

  // Where nothing says what became of something else: the newer of two takes the place of the older where both are kept.
  test('never change the order of what they keep', async () => {
    const LONG = process.env['LONG'] === '1'
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(value, fc.boolean()), { minLength: 3, maxLength: 14 }),
        value,
        async (rows, query) => {
          const { bulk, order } = await openSearch()
          await bulk(
            rows.map(([said, tagged], i) => ({
              key: `k/${i}`,
              value: `${said} ${'abcdefghijklmn'[i]}q`,
              tags: tagged ? ['t'] : [],
              type: i % 2 === 0 ? 'turn' : 'note',
            })),
          )
          const all = await order(query, { limit: 100 })
          const kept = await order(query, { limit: 100, tags: ['t'] })
          const wanted = all.filter((key) => rows[Number(key.slice(2))]?.[1] === true)
          expect(kept.filter((key) => wanted.includes(key))).toEqual(wanted)
        },
      ),
      { numRuns: LONG ? 300 : 12 },
    )
  })
})

describe('queries that are no questions', () => {
  test.each([
    ['"'.repeat(200)],
    ['NEAR(a b) AND NOT key_words: * ^ + - ( ) { }'],
    ["it's / a-b NOT c OR"],
    [`${'word '.repeat(10_000)}red`],
    ['красная коробка'],
    ['赤い箱はどこですか'],
    ['红色的盒子在哪里'],
    ['빨간 상자'],
    ['กล่องสีแดง'],
    ['الصندوق الأحمر'],
    ['הקופסה האדומה'],
    ['लाल डिब्बा'],
    ['κόκκινο κουτί'],
    ['ወይን ሣጥን'],
    ["Anna's Bo's Mia's"],
    ['\u0000 red \u202E'],
  ])('%s', async (query) => {
    const { set, search } = await openSearch()
    await set({ key: 'a', value: 'The red box is open.', entities: ['Anna'] })
    const { hits, advisories } = await search(query, { explain: true })
    expect(hits.length).toBeLessThanOrEqual(1)
    if (query.length > 4_000) expect(advisories).toHaveLength(1)
  })
})

test('while what finds by all legs cannot be loaded, words and vectors answer, and the next search tries again', async () => {
  let tries = 0
  const { set, search } = await openSearch({
    loadFinder: () =>
      ++tries === 1 ? Promise.reject(new TypeError('Failed to fetch')) : import('../../worker/search/main.js'),
  })
  await set({ key: 'a', value: 'The red box is open.' })
  expect(await search('red box')).toMatchObject({ abstained: false, degraded: ['search'], hits: [{ key: 'a' }] })
  expect(await search('red box')).toMatchObject({ abstained: false, degraded: [], hits: [{ key: 'a' }] })
})

test('a query about somebody whom no memory knows is answered with nothing', async () => {
  const { set, search } = await openSearch()
  await set({ key: 'a', value: 'The red box is open.' })
  expect(await search('Where is the red box of Zebulon?', { explain: true })).toMatchObject({
    abstained: true,
    abstainCode: 'nothing_close',
    explain: { nearMisses: [{ key: 'a' }] },
  })
  expect((await search('Where is the red box of Zebulon?', OPEN)).hits).toHaveLength(1)
})

test('no row, name or count of others is in an answer', async () => {
  const value = fc.constantFrom('I sail at night.', 'I keep bees.', 'The box is red.')
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { maxLength: 6 }),
      fc.constantFrom('Wren', 'bees', 'Does Wren keep bees?', 'red box at night'),
      async (theirs, query) => {
        const [alone, beside] = [await openSearch(), await openSearch()]
        const mine = [{ key: 'mine', value: 'I like the red box.', entities: ['Wren'], type: 'turn' }]
        await alone.bulk(mine)
        await beside.bulk(
          theirs.map((said, i) => ({ key: `theirs/${i}`, value: said, entities: ['Wren'], type: 'turn' })),
          {},
          MALLORY,
        )
        await beside.bulk(mine)
        const strip = ({ hits, abstained, abstainCode, confidence, explain }: SearchResult) => ({
          hits: hits.map(({ key, score, components }) => ({ key, score, components })),
          abstained,
          abstainCode,
          confidence,
          misses: explain?.nearMisses.map(({ key, similarity }) => ({ key, similarity })),
          candidates: explain?.candidates,
        })
        const more = { explain: true }
        expect(strip(await beside.search(query, more))).toEqual(strip(await alone.search(query, more)))
      },
    ),
    { numRuns: 12 },
  )
})

test('names of another user hide none of one’s own', async () => {
  const memory = await open()
  for (let i = 0; i < 30; i++)
    await memory.set(
      { key: `k/${i}`, value: `The box ${i} is full.`, entities: [`Anna ${String(i).padStart(2, '0')}`] },
      MALLORY,
    )
  await memory.set({ key: 'a', value: 'She likes tea.', entities: ['Anna Zeller'] })
  expect(await memory.found('Anna Zeller')).toEqual(['a'])
})
