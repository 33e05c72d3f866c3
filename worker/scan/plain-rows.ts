import { ROWS, type RowBlock, similarityTo, strideOf, type VectorRows } from './rows.js'
import { sketchQuery } from './sketch.js'

/** Rows in arrays of their own, where the kernel cannot run. */
export const createPlainRows = (dims: number): VectorRows => {
  const stride = strideOf(dims)
  const blocks: RowBlock[] = []
  /** Of each block, four components to a byte. */
  const choices: Uint8Array[] = []

  const sketchOf = (table: Uint8Array, slot: number): number => {
    const held = choices[Math.floor(slot / ROWS)] as Uint8Array
    const base = ((slot % ROWS) * stride) / 4
    let sketch = 0
    for (let i = 0; i < stride / 4; i++) sketch += table[16 * i + (held[base + i] as number)] as number
    return sketch
  }

  return {
    kind: 'plain',
    stride,
    blocks,
    reserve: (rows) => {
      while (blocks.length * ROWS < rows) {
        choices.push(new Uint8Array((ROWS * stride) / 4))
        blocks.push({ codes: new Int8Array(ROWS * stride), scales: new Float32Array(ROWS) })
      }
    },
    settle: (first, count) => {
      for (let slot = first; slot < first + count; slot++) {
        const { codes } = blocks[Math.floor(slot / ROWS)] as RowBlock
        const held = choices[Math.floor(slot / ROWS)] as Uint8Array
        const base = (slot % ROWS) * stride
        for (let i = 0; i < stride; i += 4) {
          let bits = 0
          for (let bit = 0; bit < 4; bit++) if ((codes[base + i + bit] as number) > 0) bits |= 1 << bit
          held[(base + i) / 4] = bits
        }
      }
    },
    scan: (query, rows, floor, offer) => {
      let least = floor
      for (let slot = 0; slot < rows; slot++) if (similarityTo(query, blocks, stride, slot) >= least) least = offer(slot)
    },
    scanNear: (query, rows, floor, offer) => {
      const { table, likelyFor } = sketchQuery(query, stride)
      const likely = likelyFor(floor)
      let least = floor
      for (let slot = 0; slot < rows; slot++)
        if (sketchOf(table, slot) >= likely && similarityTo(query, blocks, stride, slot) >= least) least = offer(slot)
    },
    scanSketches: ({ table }, rows, weigh) => {
      let least = 0
      for (let slot = 0; slot < rows; slot++) {
        const sketch = sketchOf(table, slot)
        if (sketch >= least) least = weigh(slot, sketch)
      }
    },
    scanThese: (query, slots, floor, offer) => {
      let least = floor
      for (const slot of slots) if (similarityTo(query, blocks, stride, slot) >= least) least = offer(slot)
    },
  }
}
