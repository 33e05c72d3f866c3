import type { Evidence } from '../../../src/domain/search/fusion.js'
import { asksForThen } from '../../../src/domain/search/time.js'
import { mayUpdate } from '../../../src/domain/search/update.js'
import type { Head } from '../../store/versions.js'

/** A candidate with what it is worth. */
export interface Ranked {
  readonly memory: number
  readonly passage: number
  readonly score: number
  readonly prior: number
  readonly boost: number
  /** When it was said, epoch milliseconds. */
  readonly at: number
  readonly evidence: Evidence
  readonly raw: Readonly<Record<'vector' | 'lexical', number>>
}

/** Of the best so many, the newer of two that speak of one thing comes first. */
export const LOOKED_AT = 20

/** The share of the older one's score that the newer must have by itself: order is no relevance. */
const NEARLY = 0.4

/** Words of the query that two memories must share to speak of the same. */
const SHARED = 2

export interface OrderParts {
  readonly query: string
  /** Memories with each word of the query. */
  readonly holders: ReadonlyMap<string, ReadonlySet<number>>
  readonly heads: ReadonlyMap<number, Head>
  readonly textOf: (one: Ranked) => string
}

/**
 * Puts the newer of two that are linked, or of which one says what became of the other, above the older; not where the query asks for how things
 * were. Those that are settled stay in their order: of three, each may take the place of the next, so that going over them again would turn them round.
 */
export const newerFirst = (
  ranked: readonly Ranked[],
  { query, holders, heads, textOf }: OrderParts,
  settled: ReadonlySet<number> = new Set(),
): readonly Ranked[] => {
  if (asksForThen(query)) return ranked
  const top = ranked.slice(0, LOOKED_AT)
  const words = [...holders.values()].filter((memories) => memories.size > 0)
  const shared = (a: number, b: number): number => words.filter((memories) => memories.has(a) && memories.has(b)).length
  const isNewer = (one: Ranked, other: Ranked): boolean =>
    one.at > other.at || (one.at === other.at && one.memory > other.memory)
  const replaces = (one: Ranked, other: Ranked): boolean => {
    const [later, earlier] = [heads.get(one.memory), heads.get(other.memory)]
    if (later === undefined || earlier === undefined || later.identity !== earlier.identity) return false
    if (isLinked(later, earlier)) return true
    return (
      one.score >= NEARLY * other.score &&
      shared(one.memory, other.memory) >= SHARED &&
      mayUpdate(query, textOf(other), textOf(one))
    )
  }
  for (let i = 1; i < top.length; i++) {
    const one = top[i] as Ranked
    if (settled.has(one.memory)) continue
    const above = top.findIndex((other, j) => j < i && isNewer(one, other) && replaces(one, other))
    if (above >= 0) top.splice(above, 0, ...top.splice(i, 1))
  }
  return [...top, ...ranked.slice(LOOKED_AT)]
}

const isLinked = (later: Head, earlier: Head): boolean =>
  earlier.body.supersededBy === later.memoryId ||
  later.body.conflictWith.includes(earlier.memoryId) ||
  earlier.body.conflictWith.includes(later.memoryId)
