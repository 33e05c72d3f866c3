import { type Offer, similarityTo, type VectorRows } from './rows.js'
import { sketchQuery } from './sketch.js'

/** A row and how similar it is to what was asked for. */
export interface Found {
  readonly slot: number
  readonly similarity: number
}

/** What is looked for, and where. */
export interface Quest {
  readonly query: Float32Array
  readonly limit: number
  /** How many rows there are. */
  readonly length: number
  /** Whether a row may be in the answer. Asked of those only that are near enough for it. */
  readonly stands: (slot: number) => boolean
  /** Who comes first among equals: the lower number. */
  readonly numbers: Int32Array
}

/** The rows that are most similar, best first. */
export const findNearest = (rows: VectorRows, quest: Quest): readonly Found[] =>
  best(rows, quest, Number.NEGATIVE_INFINITY, (offer) =>
    rows.scan(quest.query, quest.length, Number.NEGATIVE_INFINITY, offer),
  )

/** The same among those that the sketch of a row makes the likeliest, of which so many are compared. */
export const findNearestBySketch = (rows: VectorRows, quest: Quest, candidates: number): readonly Found[] =>
  best(rows, { ...quest, stands: () => true }, Number.NEGATIVE_INFINITY, (offer) =>
    rows.scanThese(quest.query, likeliest(rows, quest, candidates), Number.NEGATIVE_INFINITY, offer),
  )

/** Rows that are compared first: eight times what a write looks for. */
const COMPARED_FIRST = 64

/**
 * Those of at least a similarity, unless their sketch makes that unlikely. The likeliest are compared first: what they are is the bar for
 * all others, which leaves out nearly all.
 */
export const findNear = (rows: VectorRows, quest: Quest, least: number): readonly Found[] =>
  best(rows, quest, least, (offer) => {
    const { query, length } = quest
    const first = likeliest(rows, quest, COMPARED_FIRST)
    const compared = new Set(first)
    let floor = least
    const once = (slot: number): number => {
      floor = offer(slot)
      return floor
    }
    rows.scanThese(query, first, floor, once)
    rows.scanNear(query, length, floor, (slot) => (compared.has(slot) ? floor : once(slot)))
  })

/** The best of what a scan offers: the one list that both forms of a scan fill. */
const best = (
  rows: VectorRows,
  { query, limit, stands, numbers }: Quest,
  least: number,
  scan: (offer: Offer) => void,
): readonly Found[] => {
  if (limit < 1) return []
  const { blocks, stride } = rows
  const compare = (a: Found, b: Found): number =>
    b.similarity - a.similarity || (numbers[a.slot] as number) - (numbers[b.slot] as number)
  /** Every one comes after those at twice its place and the next: the last of all stands first. */
  const heap: Found[] = []
  let floor = least
  scan((slot) => {
    const one = { slot, similarity: similarityTo(query, blocks, stride, slot) }
    if (!(one.similarity >= floor) || !stands(slot)) return floor
    if (heap.length < limit) rise(heap, one, compare)
    else if (compare(one, heap[0] as Found) < 0) sink(heap, one, compare)
    if (heap.length === limit) floor = (heap[0] as Found).similarity
    return floor
  })
  return heap.sort(compare)
}

type Compare = (a: Found, b: Found) => number

/** Adds one to a heap. */
const rise = (heap: Found[], one: Found, compare: Compare): void => {
  let at = heap.length
  while (at > 0) {
    const above = (at - 1) >> 1
    if (compare(one, heap[above] as Found) <= 0) break
    heap[at] = heap[above] as Found
    at = above
  }
  heap[at] = one
}

/** Puts one in the place of a heap's first. */
const sink = (heap: Found[], one: Found, compare: Compare): void => {
  let at = 0
  for (let below = 1; below < heap.length; below = 2 * at + 1) {
    const other = below + 1
    const last = other < heap.length && compare(heap[other] as Found, heap[below] as Found) > 0 ? other : below
    if (compare(one, heap[last] as Found) >= 0) break
    heap[at] = heap[last] as Found
    at = last
  }
  heap[at] = one
}

/**
 * The rows that stand and have the greatest sketches: so many of them, and all that are equal to the last of these, so that the order
 * in which rows came does not matter.
 */
const likeliest = (rows: VectorRows, { query, length, stands }: Quest, count: number): readonly number[] => {
  const sketchedQuery = sketchQuery(query, rows.stride)
  const slots: number[] = []
  const sketches: number[] = []
  /** How many of these have a sketch of so much. */
  const having = new Int32Array(sketchedQuery.greatest + 1)
  let least = 0
  let within = 0
  rows.scanSketches(sketchedQuery, length, (slot, sketch) => {
    if (!stands(slot)) return least
    slots.push(slot)
    sketches.push(sketch)
    having[sketch] = (having[sketch] as number) + 1
    within++
    while (within - (having[least] as number) >= count) within -= having[least++] as number
    return least
  })
  return slots.filter((_, i) => (sketches[i] as number) >= least)
}
