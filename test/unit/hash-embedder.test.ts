import { expect, test } from 'vitest'
import { createHashEmbedder } from '../../worker/adapters/hash-embedder.js'

const cosine = async (one: string, other: string): Promise<number> => {
  const [a, b] = await createHashEmbedder().embed([one, other])
  return Array.from(a ?? []).reduce((sum, value, d) => sum + value * (b?.[d] ?? 0), 0)
}

test('is named after its dims', async () => {
  expect(createHashEmbedder()).toMatchObject({ id: 'hash-384@1', dims: 384 })
  const small = createHashEmbedder({ dims: 64 })
  expect(small).toMatchObject({ id: 'hash-64@1', dims: 64 })
  expect((await small.embed(['text']))[0]).toHaveLength(64)
})

test('gives the vectors it has always given, since they are stored under its id', async () => {
  const [vector] = await createHashEmbedder({ dims: 8 }).embed(['The port is 5432'])
  expect(Array.from(vector ?? [], (value) => Number(value.toFixed(4)))).toMatchInlineSnapshot(`
    [
      0.2682,
      0,
      -0.1307,
      -0.6536,
      0.0804,
      -0.0503,
      0.2179,
      -0.6536,
    ]
  `)
})

test('finds shared words', async () => {
  expect(await cosine('the database port is 5432', 'port of the database')).toBeGreaterThan(
    (await cosine('the database port is 5432', 'she likes green tea')) + 0.4,
  )
})

test('finds near spellings', async () => {
  expect(await cosine('guitars', 'guitar')).toBeGreaterThan(0.25)
  expect(await cosine('guitars', 'database')).toBeLessThan(0.15)
})

test('weighs words that say little a fifth', async () => {
  expect(await cosine('this is the guitar', 'guitar')).toBeGreaterThan(0.9)
  expect(await cosine('this is the guitar', 'this is the database')).toBeLessThan(0.3)
})

test('ignores case, accents and their spelling, and the order of words', async () => {
  expect(await cosine('Café Über', 'cafe uber')).toBeCloseTo(1, 5)
  expect(await cosine('caf\u00e9', 'cafe\u0301')).toBeCloseTo(1, 5)
  expect(await cosine('port database', 'database port')).toBeCloseTo(1, 5)
})

test('gives the zero vector to a text without a word', async () => {
  for (const vector of await createHashEmbedder().embed(['', ' ?! ', '\u0301']))
    expect(vector.every((value) => value === 0)).toBe(true)
})
