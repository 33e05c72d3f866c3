import type { Rerank } from '../protocol/asking-calls.js'
import type { SearchOptions } from '../schema/calls.js'
import type { Hit, SearchResult } from '../schema/records.js'

/** Hits that are put in another order, at the least: what is beyond is seldom the best. */
const LOOKED_AT = 30
const MOST = 1_000
const CHARACTERS_A_TOKEN = 4

type Options = SearchOptions & { readonly signal?: AbortSignal }

/** A search whose best hits the app's own function puts in order. Where it fails, they stand as they were found. */
export const searchReranked = async (
  search: (query: string, options: Options) => Promise<SearchResult>,
  query: string,
  rerank: Rerank,
  { limit = 10, offset = 0, maxTokens, ...options }: Options,
): Promise<SearchResult> => {
  // What is no number, or out of bounds, is for the search to refuse.
  const isUsual = Number.isInteger(limit) && Number.isInteger(offset) && limit > 0 && offset >= 0 && offset + limit <= MOST
  if (!isUsual) return search(query, { ...options, limit, offset, ...(maxTokens !== undefined && { maxTokens }) })
  const found = await search(query, { ...options, limit: Math.max(LOOKED_AT, offset + limit) })
  const scores = await scoresOf(rerank, query, found.hits, options.signal)
  const hits = scores === null ? found.hits : newerFirst(ordered(found.hits, scores))
  return {
    ...found,
    hits: within(hits.slice(offset, offset + limit), maxTokens),
    degraded: scores === null ? [...found.degraded, 'rerank'] : found.degraded,
  }
}

const scoresOf = async (
  rerank: Rerank,
  query: string,
  hits: readonly Hit[],
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly number[] | null> => {
  if (hits.length === 0) return []
  try {
    const scores = await rerank(
      query,
      hits.map(({ excerpt }) => excerpt),
      { signal },
    )
    return Array.isArray(scores) && scores.length === hits.length && scores.every(Number.isFinite) ? scores : null
  } catch {
    return null
  }
}

const ordered = (hits: readonly Hit[], scores: readonly number[]): readonly Hit[] =>
  hits
    .map((hit, i): Hit => ({ ...hit, rerank: scores[i] as number }))
    .sort((a, b) => (b.rerank as number) - (a.rerank as number))

/** Of two that are linked the newer stands above, whoever puts them in order. */
const newerFirst = (hits: readonly Hit[]): readonly Hit[] => {
  const order = [...hits]
  for (let i = 1; i < order.length; i++) {
    const one = order[i] as Hit
    const above = order.findIndex((other, j) => j < i && replaces(one, other))
    if (above >= 0) order.splice(above, 0, ...order.splice(i, 1))
  }
  return order
}

const replaces = (later: Hit, earlier: Hit): boolean =>
  earlier.supersededBy === later.id ||
  (earlier.conflictWith.includes(later.id) && (later.validAt ?? later.updatedAt) > (earlier.validAt ?? earlier.updatedAt))

/** What does not fit is left out whole, as in the search itself. */
const within = (hits: readonly Hit[], maxTokens = Number.POSITIVE_INFINITY): readonly Hit[] => {
  let room = maxTokens * CHARACTERS_A_TOKEN
  return hits.filter(({ value }) => {
    const { length } = typeof value === 'string' ? value : JSON.stringify(value)
    if (length > room) return false
    room -= length
    return true
  })
}
