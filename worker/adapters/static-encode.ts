import { createWordPiece } from '../../src/domain/wordpiece.js'
import type { StaticTable } from './static-table.js'

/**
 * A text's vector: the rows of its pieces summed and brought to unit length. Each piece counts once, however often the text
 * says it; the table is trained that way. Long texts gain most: a name that stands before every line, a "the" in every clause.
 */
export const createEncode = ({ dims, vocabulary, scales, weights }: StaticTable): ((text: string) => Float32Array) => {
  const { ids, unknownId } = createWordPiece(vocabulary)
  // Sums in doubles, so that a long text does not drown its last words in rounding.
  const sum = new Float64Array(dims)
  // The number of the text that used a row last.
  const usedBy = new Uint32Array(vocabulary.length)
  let text = 0
  return (content) => {
    sum.fill(0)
    text = (text + 1) >>> 0
    // After four billion texts the numbers begin again, and so must the marks.
    if (text === 0) {
      usedBy.fill(0)
      text = 1
    }
    for (const id of ids(content)) {
      if (id === unknownId || usedBy[id] === text) continue
      usedBy[id] = text
      addRow(sum, weights, id * dims, scales[id] as number)
    }
    let square = 0
    for (let d = 0; d < dims; d++) square += (sum[d] as number) ** 2
    const vector = new Float32Array(dims)
    if (square === 0) return vector
    const factor = 1 / Math.sqrt(square)
    for (let d = 0; d < dims; d++) vector[d] = (sum[d] as number) * factor
    return vector
  }
}

/** Four numbers a turn, a third off the time of a sentence (measured in V8). The dims are a multiple of four. */
const addRow = (sum: Float64Array, weights: Int8Array, row: number, scale: number): void => {
  for (let d = 0; d < sum.length; d += 4) {
    const at = row + d
    sum[d] = (sum[d] as number) + scale * (weights[at] as number)
    sum[d + 1] = (sum[d + 1] as number) + scale * (weights[at + 1] as number)
    sum[d + 2] = (sum[d + 2] as number) + scale * (weights[at + 2] as number)
    sum[d + 3] = (sum[d + 3] as number) + scale * (weights[at + 3] as number)
  }
}
