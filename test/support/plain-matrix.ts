import type { Allows, PackedVector, Scored } from '../../worker/store/vector-matrix.js'

interface Row {
  readonly passage: number
  readonly memory: number
  readonly identity: number
  readonly vector: PackedVector
}

/** A matrix as it is meant: a list, compared one by one and sorted. Slow and plainly right. */
export interface PlainMatrix {
  readonly rows: () => readonly Row[]
  readonly append: (row: Row) => void
  readonly kill: (passage: number) => boolean
  readonly mark: () => readonly Row[]
  readonly backTo: (mark: readonly Row[]) => void
  readonly nearest: (query: Float32Array, limit: number, allows: Allows, least?: number) => Scored[]
}

export const createPlainMatrix = (): PlainMatrix => {
  let rows: readonly Row[] = []
  return {
    rows: () => rows,
    append: (row) => {
      rows = [...rows, row]
    },
    kill: (passage) => {
      const before = rows.length
      rows = rows.filter((row) => row.passage !== passage)
      return rows.length < before
    },
    mark: () => rows,
    backTo: (mark) => {
      rows = mark
    },
    nearest: (query, limit, allows, least = Number.NEGATIVE_INFINITY) =>
      rows
        .filter(({ memory, identity }) => allows(memory, identity))
        .map(({ passage, memory, vector }) => ({ passage, memory, similarity: similarity(query, vector) }))
        .filter((scored) => scored.similarity >= least)
        .sort((a, b) => b.similarity - a.similarity || a.passage - b.passage)
        .slice(0, limit),
  }
}

const similarity = (query: Float32Array, { scale, codes }: PackedVector): number => {
  let sum = 0
  codes.forEach((code, i) => {
    sum += (query[i] as number) * code
  })
  return sum * Math.fround(scale)
}
