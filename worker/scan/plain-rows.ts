import { layoutOf, ROWS, type RowBlock, similarityTo, type VectorRows } from './rows.js'
import { ones, signsOf } from './signs.js'

/** Rows in arrays of their own, where the kernel cannot run. */
export const createPlainRows = (dims: number): VectorRows => {
  const { stride, words } = layoutOf(dims)
  const blocks: RowBlock[] = []

  const eachWithin = (query: Float32Array, rows: number, most: number, found: (slot: number, different: number) => number) => {
    const own = signsOf(query, words)
    let bound = most
    for (let slot = 0; slot < rows; slot++) {
      const { signs } = blocks[Math.floor(slot / ROWS)] as RowBlock
      const base = (slot % ROWS) * words
      let different = 0
      for (let word = 0; word < words; word++) different += ones((signs[base + word] as number) ^ (own[word] as number))
      if (different <= bound) bound = found(slot, different)
    }
  }

  return {
    kind: 'plain',
    stride,
    words,
    blocks,
    reserve: (rows) => {
      while (blocks.length * ROWS < rows)
        blocks.push({
          codes: new Int8Array(ROWS * stride),
          signs: new Int32Array(ROWS * words),
          scales: new Float32Array(ROWS),
        })
    },
    settle: (first, count) => {
      for (let slot = first; slot < first + count; slot++) {
        const { codes, signs } = blocks[Math.floor(slot / ROWS)] as RowBlock
        const place = slot % ROWS
        for (let word = 0; word < words; word++) {
          let bits = 0
          const end = Math.min(32, stride - word * 32)
          for (let bit = 0; bit < end; bit++)
            if ((codes[place * stride + word * 32 + bit] as number) > 0) bits |= 1 << bit
          signs[place * words + word] = bits
        }
      }
    },
    scan: (query, rows, floor, offer) => {
      let least = floor
      for (let slot = 0; slot < rows; slot++) if (similarityTo(query, blocks, stride, slot) >= least) least = offer(slot)
    },
    scanNear: (query, rows, most, floor, offer) => {
      let least = floor
      eachWithin(query, rows, most, (slot) => {
        if (similarityTo(query, blocks, stride, slot) >= least) least = offer(slot)
        return most
      })
    },
    scanSigns: (query, rows, most, weigh) => eachWithin(query, rows, most, weigh),
  }
}
