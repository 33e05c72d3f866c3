import type { RelatedWhy } from '../schema/bulk.js'

/** One reason why a memory is related to another. */
export interface Relatedness {
  readonly memory: number
  readonly why: RelatedWhy
  /** Cosine, where their vectors are close. */
  readonly similarity?: number
  /** Entities that both name. */
  readonly shared?: readonly string[]
}

/** A related memory with all that is said for it. */
export interface RelatedMemoryRank {
  readonly memory: number
  readonly why: readonly RelatedWhy[]
  readonly similarity: number | null
  readonly shared: readonly string[]
}

/** What is stated of two memories goes before what is guessed of them: a contradiction before a repeat, and that before a source. */
const WORTH: { readonly [Why in RelatedWhy]: number } = { conflict: 3, duplicate: 2, lineage: 1, vector: 0, entities: 0 }
/** What one more entity that both name is worth beside a cosine, and how many count. */
const ENTITY = { worth: 0.1, most: 5 } as const

/** Gathers reasons by memory, the most related first; equal ones keep the older first. */
export const rankRelated = (reasons: readonly Relatedness[]): readonly RelatedMemoryRank[] => {
  const found = new Map<number, RelatedMemoryRank>()
  for (const { memory, why, similarity = null, shared = [] } of reasons) {
    const before = found.get(memory) ?? { memory, why: [], similarity: null, shared: [] }
    found.set(memory, {
      memory,
      why: before.why.includes(why) ? before.why : [...before.why, why],
      similarity: similarity === null ? before.similarity : Math.max(similarity, before.similarity ?? -1),
      shared: [...new Set([...before.shared, ...shared])],
    })
  }
  return [...found.values()].sort((a, b) => worthOf(b) - worthOf(a) || a.memory - b.memory)
}

const worthOf = ({ why, similarity, shared }: RelatedMemoryRank): number =>
  Math.max(0, ...why.map((one) => WORTH[one])) + (similarity ?? 0) + ENTITY.worth * Math.min(shared.length, ENTITY.most)

/** Entities that two memories name, in any case and Unicode form. */
export const sharedEntities = (own: readonly string[], other: readonly string[]): readonly string[] => {
  const folded = new Set(own.map(fold))
  return other.filter((entity) => folded.has(fold(entity)))
}

const fold = (entity: string): string => entity.normalize('NFKC').toLowerCase()
