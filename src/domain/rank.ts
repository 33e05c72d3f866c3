import type { LegComponent } from '../schema/records.js'

/** Constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): how quickly a rank loses weight. */
const RANK_CONSTANT = 60

/** What one leg found, best first. */
export interface LegResult {
  readonly leg: LegComponent['leg']
  readonly weight: number
  /** `bare`: another leg could not have found it, since it has no vector yet. */
  readonly found: readonly {
    readonly memory: number
    readonly passage: number
    readonly score: number
    readonly bare?: boolean
  }[]
}

/** One memory with what every leg says of it. */
export interface Fused {
  readonly memory: number
  /** The passage that its best leg matched. */
  readonly passage: number
  readonly score: number
  readonly components: readonly LegComponent[]
  /** What was added to the score since it was of use before, as a share of it. */
  readonly boost: number
}

/**
 * Joins the legs by weighted ranks; a memory found by several passages counts once, by its best. One that a leg could not have found
 * is judged by the others alone, as if that leg agreed with them. Ties keep the older memory first.
 */
export const fuse = (legs: readonly LegResult[]): readonly Fused[] => {
  const all = legs.reduce((sum, { weight }) => sum + weight, 0)
  const byMemory = new Map<number, { passage: number; best: number; bare: boolean; components: LegComponent[] }>()
  for (const { leg, weight, found } of legs) {
    const seen = new Set<number>()
    for (const { memory, passage, score, bare = false } of found) {
      if (seen.has(memory)) continue
      seen.add(memory)
      const rank = seen.size
      const worth = weight / (RANK_CONSTANT + rank)
      const entry = byMemory.get(memory) ?? { passage, best: 0, bare, components: [] }
      if (worth > entry.best) Object.assign(entry, { passage, best: worth })
      entry.components.push({ leg, rank, score, weight })
      byMemory.set(memory, entry)
    }
  }
  return [...byMemory]
    .map(([memory, { passage, bare, components }]) => ({
      memory,
      passage,
      components,
      boost: 0,
      score: worthOf(components) * (bare && components.length < legs.length ? all / weightOf(components) : 1),
    }))
    .sort(byScore)
}

const byScore = (a: Fused, b: Fused): number => b.score - a.score || a.memory - b.memory

const worthOf = (components: readonly LegComponent[]): number =>
  components.reduce((sum, { rank, weight }) => sum + weight / (RANK_CONSTANT + rank), 0)

const weightOf = (components: readonly LegComponent[]): number => components.reduce((sum, { weight }) => sum + weight, 0)

/** How far two legs agree: the share of their first five memories that both name. */
export const agreementOf = (legs: readonly LegResult[]): number => {
  const tops = legs.map(({ found }) => new Set([...new Set(found.map(({ memory }) => memory))].slice(0, 5)))
  const [first, second] = tops
  if (first === undefined || second === undefined || first.size === 0 || second.size === 0) return 0
  const shared = [...first].filter((memory) => second.has(memory)).length
  return shared / Math.min(first.size, second.size)
}
