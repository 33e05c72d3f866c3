import type { SketchQuery } from './sketch.js'

/** Rows of a block. */
export const ROWS = 2048

/** Rows as they lie in memory: the codes of one after the other, `stride` apart, and their scales. */
export interface RowBlock {
  readonly codes: Int8Array
  readonly scales: Float32Array
}

/** Tells of a row that may be near enough; answers how similar one has to be from now on to be told of. */
export type Offer = (slot: number) => number

/** Tells of a row and its sketch; answers what a sketch has to reach from now on. */
export type Weigh = (slot: number, sketch: number) => number

/**
 * Where vectors lie, and how those that matter are found among them: in WebAssembly or in JavaScript. A scan may tell of rows that are
 * not near enough, and never leaves one out that is: what is told of is compared exactly, by the same code in both cases.
 */
export interface VectorRows {
  readonly kind: 'simd' | 'plain'
  /** Components from one row to the next: those of a vector, and zeros that nothing writes to. */
  readonly stride: number
  /** To be asked for anew after `reserve`, which may move them. */
  readonly blocks: readonly RowBlock[]
  /** Makes room for so many rows, or throws a RangeError when there is none. */
  readonly reserve: (rows: number) => void
  /** To be called when codes and scales of rows have been written. */
  readonly settle: (first: number, count: number) => void
  /** Among the first `rows`, offers those that are at least as similar to the query as `floor`. */
  readonly scan: (query: Float32Array, rows: number, floor: number, offer: Offer) => void
  /** The same of those only whose sketch is likely for so much similarity. */
  readonly scanNear: (query: Float32Array, rows: number, floor: number, offer: Offer) => void
  /** Weighs rows by their sketch. */
  readonly scanSketches: (query: SketchQuery, rows: number, weigh: Weigh) => void
  /** Offers those of a list that are at least as similar as `floor`. */
  readonly scanThese: (query: Float32Array, slots: readonly number[], floor: number, offer: Offer) => void
}

/** The kernel reads sixteen codes at a time. */
export const strideOf = (dims: number): number => Math.ceil(dims / 16) * 16

/** How similar a row is to a query: exact, and the one place where it is computed. */
export const similarityTo = (query: Float32Array, blocks: readonly RowBlock[], stride: number, slot: number): number => {
  const { codes, scales } = blocks[Math.floor(slot / ROWS)] as RowBlock
  const base = (slot % ROWS) * stride
  let sum = 0
  for (let i = 0; i < query.length; i++) sum += (query[i] as number) * (codes[base + i] as number)
  return sum * (scales[slot % ROWS] as number)
}
