import { passagesWithWord, placesOf } from '../../store/finding.js'
import type { Store } from '../../store/store.js'

/** Passages looked at for a word before it counts as common. */
const COMMON = 3_000

/** Passages read for a word in all: where many other users say it, most of them are none of ours. */
const MOST_READ = 200_000

/** A common word says so little, beside what its number alone would make it worth. */
const COMMON_WORTH = 0.5

/** What the words of a query find in the memories that some identities hold. */
export interface Worded {
  /** Rarity of the words that a memory has, summed. */
  readonly scores: ReadonlyMap<number, number>
  /** The passage of each memory that has most of them. */
  readonly passages: ReadonlyMap<number, number>
  /** Rarity of all words that were asked for, known or not. */
  readonly asked: number
  /** Memories with each term, by the term; common ones as far as they were looked at. */
  readonly holders: ReadonlyMap<string, ReadonlySet<number>>
}

interface Placed {
  readonly passage: number
  readonly memory: number
}

/**
 * Scores memories by the rarity of the query's words among all memories of the scope. In its own hand, not by BM25: its time for a common word
 * grows with the store, and what it knows beyond rarity, how often a word is in a passage of one or two sentences, tells nothing.
 */
export const findWords = (
  store: Store,
  terms: readonly string[],
  memories: number,
  isReadable: (identity: number) => boolean,
): Worded => {
  const lists = terms.map((term) => ({ term, ...listOf(store, term, isReadable) }))
  const rare = lists.filter(({ isCommon }) => !isCommon)
  const known = rare.filter(({ placed }) => placed.length > 0)
  const either = known.map(({ term }) => term).join(' OR ')
  const byPassage = new Map<number, number>()
  const byMemory = new Map<number, number>()
  const holders = new Map<string, ReadonlySet<number>>()
  const memoryOf = new Map<number, number>()
  let asked = 0
  for (const { term, placed, isCommon } of lists) {
    const holding = new Set(placed.map(({ memory }) => memory))
    const worth = rarity(holding.size, memories) * (isCommon ? COMMON_WORTH : 1)
    asked += worth
    holders.set(term, holding)
    const counted = isCommon && known.length > 0 ? listOf(store, `(${either}) AND ${term}`, isReadable).placed : placed
    for (const { passage, memory } of counted) {
      byPassage.set(passage, (byPassage.get(passage) ?? 0) + worth)
      memoryOf.set(passage, memory)
    }
    for (const memory of new Set(counted.map(({ memory }) => memory)))
      byMemory.set(memory, (byMemory.get(memory) ?? 0) + worth)
  }
  const passages = new Map<number, number>()
  for (const [passage, score] of byPassage) {
    const memory = memoryOf.get(passage) as number
    const before = passages.get(memory)
    if (before === undefined || score > (byPassage.get(before) ?? 0)) passages.set(memory, passage)
  }
  const scores = new Map(
    // Words close together count as much as words anywhere in a memory, so that a long one does not win by its length.
    [...passages].map(([memory, passage]) => [memory, ((byPassage.get(passage) ?? 0) + (byMemory.get(memory) ?? 0)) / 2]),
  )
  return { scores, passages, asked, holders }
}

const NONE = Number.MAX_SAFE_INTEGER

/** As in BM25; a word that nobody has is worth as much as one that a single memory has. */
const rarity = (holders: number, memories: number): number =>
  Math.log(1 + (Math.max(memories, holders) - holders + 0.5) / (Math.max(1, holders) + 0.5))

const listOf = (
  store: Store,
  term: string,
  isReadable: (identity: number) => boolean,
): { readonly placed: readonly Placed[]; readonly isCommon: boolean } => {
  const placed: Placed[] = []
  let below = NONE
  for (let read = 0; read < MOST_READ; read += COMMON) {
    const page = passagesWithWord(store.db, term, below, COMMON)
    placed.push(...placesIn(store, page, isReadable))
    if (page.length < COMMON) return { placed, isCommon: false }
    if (placed.length >= COMMON) return { placed, isCommon: true }
    below = page.at(-1) ?? 0
  }
  return { placed, isCommon: true }
}

/** The resident rows know where most passages stand. */
const placesIn = (
  { db, resident: { matrix } }: Store,
  passages: readonly number[],
  isReadable: (identity: number) => boolean,
): readonly Placed[] => {
  const placed: Placed[] = []
  const unknown: number[] = []
  for (const passage of passages) {
    const row = matrix.at(passage)
    if (row === null) unknown.push(passage)
    else if (isReadable(row.identity)) placed.push({ passage, memory: row.memory })
  }
  if (unknown.length > 0) placed.push(...placesOf(db, unknown).filter(({ identity }) => isReadable(identity)))
  return placed
}
