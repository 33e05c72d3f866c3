import { describe, expect, test } from 'vitest'
import { searchReranked } from '../../src/client/rerank.js'
import type { Rerank } from '../../src/protocol/asking-calls.js'
import type { Hit, SearchResult } from '../../src/schema/records.js'

const hit = (id: string, more: Partial<Hit> = {}): Hit =>
  ({
    id,
    key: id,
    value: id,
    excerpt: id,
    conflictWith: [],
    supersededBy: null,
    validAt: null,
    updatedAt: 0,
    ...more,
  }) as Hit

/** The far side: the search, as the worker answers it. */
const searching = (hits: readonly Hit[]) => {
  const asked: object[] = []
  const search = async (_query: string, options: object): Promise<SearchResult> => {
    asked.push(options)
    return { hits, abstained: false, degraded: [] } as unknown as SearchResult
  }
  return { asked, search }
}

const byLetter: Rerank = (_, texts) => texts.map((text) => text.charCodeAt(0))
const ids = ({ hits }: SearchResult): string => hits.map(({ id }) => id).join('')

describe('a search with rerank', () => {
  test('puts the best hits in the order that the function gives, a page at a time', async () => {
    const { asked, search } = searching(['b', 'a', 'd', 'c'].map((id) => hit(id)))
    const found = await searchReranked(search, 'q', byLetter, { limit: 2, offset: 1, type: 'decision' })
    expect(ids(found)).toBe('cb')
    expect(found.hits[0]?.rerank).toBe(99)
    expect(asked).toEqual([{ type: 'decision', limit: 30 }])
    await searchReranked(search, 'q', byLetter, { limit: 40 })
    expect(asked[1]).toEqual({ limit: 40 })
  })

  test('keeps the newer of two that are linked above', async () => {
    const hits = [
      hit('c', { supersededBy: 'a' }),
      hit('b', { conflictWith: ['x'] }),
      hit('a'),
      hit('x', { conflictWith: ['b'], updatedAt: 9 }),
    ]
    expect(ids(await searchReranked(searching(hits).search, 'q', byLetter, {}))).toBe('xacb')
    const older: Rerank = (_, texts) => texts.map((text) => (text === 'x' ? 0 : 1))
    const order = ids(await searchReranked(searching(hits).search, 'q', older, {}))
    expect(order.indexOf('x')).toBeLessThan(order.indexOf('b'))
  })

  test('leaves out whole what has no room', async () => {
    const hits = [hit('a', { value: 'a'.repeat(50) }), hit('b', { value: 'b'.repeat(10) }), hit('c', { value: { n: 1 } })]
    expect(ids(await searchReranked(searching(hits).search, 'q', byLetter, { maxTokens: 6 }))).toBe('cb')
  })

  test.each<[string, unknown]>([
    ['throws', () => Promise.reject(new Error('no'))],
    ['gives too few numbers', () => [1]],
    ['gives no numbers', () => [Number.NaN, 1]],
    ['gives nothing', () => undefined],
  ])('stands as it was found where the function %s', async (_, rerank) => {
    const found = await searchReranked(searching([hit('a'), hit('b')]).search, 'q', rerank as Rerank, {})
    expect([ids(found), found.degraded]).toEqual(['ab', ['rerank']])
  })

  test('leaves numbers that are out of bounds to the search', async () => {
    const { asked, search } = searching([hit('a')])
    await searchReranked(search, 'q', byLetter, { limit: -1 })
    expect(asked).toEqual([{ limit: -1, offset: 0 }])
  })
})
