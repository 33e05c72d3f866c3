import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SearchResult } from '../../src/schema/records.js'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'
import { ALICE, type Fields, MALLORY, open } from '../support/engine-calls.js'

const TABLE = readFileSync(new URL('../../model/static-256.bin', import.meta.url))

const openSearching = async () => {
  const memory = await open({ embedder: createStaticEmbedder({ url: '/table', fetch: async () => new Response(TABLE) }) })
  return {
    ...memory,
    search: (query: string, more: Fields = {}, scope = ALICE) =>
      memory.call<SearchResult>('memory.search', { query, ...more }, scope),
  }
}

describe('a second step', () => {
  const filled = async () => {
    const memory = await openSearching()
    await memory.set({
      key: 'people/anna/manager',
      value: 'Anna reports to Bo Larsen.',
      relations: [{ subject: 'Anna', predicate: 'reports to', object: 'Bo Larsen' }],
    })
    await memory.set({ key: 'people/bo/home', value: 'Bo Larsen lives in Trondheim.', entities: ['Bo Larsen'] })
    await memory.set({ key: 'people/cem/home', value: 'Cem lives in Ankara.', entities: ['Cem'] })
    return memory
  }

  test('leads over the object of a relation to what is known of it, and the hit says by which way', async () => {
    const memory = await filled()
    const { hits } = await memory.search("Where does Anna's manager live?")
    const home = hits.find(({ key }) => key === 'people/bo/home')
    expect(home?.viaPath).toEqual(['anna', 'bo larsen'])
    expect(hits.find(({ key }) => key === 'people/anna/manager')?.viaPath).toEqual(['anna'])
    const others = hits.findIndex(({ key }) => key === 'people/cem/home')
    expect(others === -1 || others > hits.indexOf(home as (typeof hits)[number])).toBe(true)
    expect(hits[others]?.viaPath).toBeUndefined()
  })

  test('does not lead backwards: what is said of the object is not asked of the subject', async () => {
    const memory = await filled()
    const { hits } = await memory.search('Where does Bo Larsen live?')
    expect(hits[0]).toMatchObject({ key: 'people/bo/home', viaPath: ['bo larsen'] })
    for (const { viaPath } of hits) expect(viaPath?.length ?? 0).toBeLessThan(2)
  })

  test('does not lead over what others have written', async () => {
    const memory = await openSearching()
    const relations = [{ subject: 'Anna', predicate: 'reports to', object: 'Bo Larsen' }]
    await memory.set({ key: 'manager', value: 'Anna reports to Bo Larsen.', relations }, MALLORY)
    await memory.set({ key: 'anna', value: 'Anna plays chess.', entities: ['Anna'] })
    await memory.set({ key: 'bo', value: 'Bo Larsen lives in Trondheim.', entities: ['Bo Larsen'] })
    const { hits } = await memory.search("Where does Anna's manager live?", { minConfidence: 0 })
    expect(hits.some(({ viaPath }) => (viaPath?.length ?? 0) > 1)).toBe(false)
  })
})

describe('meaning of a key', () => {
  const asked = async (more: Fields) => {
    const memory = await openSearching()
    const bare = { 'user/home/city': 'Porto', 'user/pets/dog': 'Rex', 'ui/theme': 'dark', 'user/employer': 'Acme' }
    for (const [key, value] of Object.entries(bare)) await memory.set({ key, value, ...more })
    await memory.settled()
    return memory
  }

  test.each([{}, { onEmbedFailure: 'queue' }])('finds a value that says nothing by itself (%j)', async (more) => {
    const memory = await asked(more)
    const best = async (query: string) => (await memory.search(query, { legs: ['vector'], minConfidence: 0 })).hits[0]?.key
    expect(await best('In which town does she live?')).toBe('user/home/city')
    expect(await best('What is her puppy called?')).toBe('user/pets/dog')
    expect(await best('Which company does she work for?')).toBe('user/employer')
  })

  test('is the same whether the vector was made with the write, by its id, or in the background', async () => {
    const memory = await openSearching()
    await memory.set({ key: 'user/home/city', value: 'Porto' })
    const near = async () =>
      (await memory.search('In which town does she live?', { legs: ['vector'], minConfidence: 0 })).hits[0]?.components[0]
        ?.score
    await memory.settled()
    const first = await near()
    const { id } = await memory.set({ key: 'user/home/city', value: 'Lisbon' })
    await memory.call('memory.updateById', { id, value: 'Porto' }, ALICE)
    await memory.settled()
    expect(await near()).toBe(first)
  })
})

describe('chunks and digests', () => {
  const filled = async () => {
    const memory = await openSearching()
    await memory.set({ key: 'short', value: 'The museum opens at nine.' })
    await memory.set({
      key: 'long',
      value: `${'The walk goes on along the river bank. '.repeat(20)}The museum closes at six.`,
    })
    const document = { document: 'guide', content: '# Town\n\nThe museum shows glass.\n', format: 'markdown' }
    await memory.call('knowledge.add', document, ALICE)
    const turns = ['The museum was closed today.', 'We went to the zoo instead.'].map((text, i) => ({
      id: `${i}`,
      session: 'monday',
      text,
    }))
    await memory.call('conversations.append', { turns }, ALICE)
    await memory.call('sessions.digest', { session: 'monday' }, ALICE)
    await memory.settled()
    return memory
  }
  const found = async (memory: Awaited<ReturnType<typeof filled>>, legs: readonly string[] | undefined) =>
    (await memory.search('museum', { minConfidence: 0, ...(legs === undefined ? {} : { legs }) })).hits
      .map(({ key, parentKey }) => parentKey ?? key)
      .toSorted()

  test('are asked alone or beside the other legs', async () => {
    const memory = await filled()
    const [digest] = (await memory.call<SearchResult>('memory.search', { query: 'museum', type: '~digest' }, ALICE)).hits
    const guide = (await memory.search('glass', { type: '~section', minConfidence: 0 })).hits[0]?.parentKey as string
    const whole = ['long', 'short', guide].toSorted()
    expect(await found(memory, undefined)).toEqual(whole)
    expect(await found(memory, ['chunk'])).toEqual(['long', guide].toSorted())
    expect(await found(memory, ['digest'])).toEqual([digest?.key])
    expect(await found(memory, ['chunk', 'digest'])).toEqual(['long', guide, digest?.key].toSorted())
    expect(await found(memory, ['lexical', 'digest'])).toEqual([...whole, digest?.key].toSorted())
    expect(await found(memory, ['lexical'])).toEqual(whole)
  })
})

const WORDS = [
  'harbour',
  'parcel',
  'kettle',
  'garden',
  'ferry',
  'museum',
  'now has 12',
  'now has 15',
  'was 9 last year',
  'Anna',
  'Bo',
] as const

const anyMemory = fc.record({
  words: fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 5 }),
  tag: fc.constantFrom('red', 'blue'),
  type: fc.constantFrom('semantic', 'decision', 'turn'),
  folder: fc.constantFrom('a', 'b'),
})

test('a filter never changes the order of what it keeps', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyMemory, { minLength: 4, maxLength: 18 }),
      fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
      fc.constantFrom<Fields>({ tags: ['red'] }, { type: 'turn' }, { keyPrefix: 'a/' }, { tags: ['blue'], keyPrefix: 'b/' }),
      async (memories, asked, filter) => {
        const memory = await openSearching()
        for (const [i, { words, tag, type, folder }] of memories.entries())
          await memory.set({
            key: `${folder}/${i}`,
            value: `The ${words.join(' ')} of row ${i}.`,
            tags: [tag],
            type,
            entities: words.filter((word) => /^[A-Z]/.test(word)),
          })
        const order = async (more: Fields) =>
          (await memory.search(`How is the ${asked.join(' ')} now?`, { minConfidence: 0, limit: 20, ...more })).hits.map(
            ({ key }) => key,
          )
        const all = await order({})
        const kept = await order(filter)
        expect(kept.filter((key) => all.includes(key))).toEqual(all.filter((key) => kept.includes(key)))
      },
    ),
    { numRuns: process.env['LONG'] === undefined ? 30 : 1_000 },
  )
})

test('of two forms of one stem the one that was asked stands first', async () => {
  const memory = await openSearching()
  await memory.set({ key: 'a', value: 'The organization is in the church.' })
  await memory.set({ key: 'b', value: 'The organ is in the church.' })
  const first = async (query: string) => (await memory.search(query, { legs: ['lexical'] })).hits[0]?.key
  expect([await first('church organ'), await first('church organization')]).toEqual(['b', 'a'])
  await memory.set({ key: 'c', value: 'Das Café ist zu.' })
  expect(await first('cafe')).toBe('c')
})
