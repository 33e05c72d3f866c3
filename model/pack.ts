/** A table of int8 weights with a scale per row. */
export interface Quantised {
  readonly scales: Float32Array
  readonly weights: Int8Array
}

/** "SET1" in little-endian order. */
const MAGIC = 0x31544553
const HEADER_BYTES = 16
const LARGEST = 127

/** Rounds every row to whole numbers between -127 and 127 times a scale of its own. */
export const quantise = (table: Float32Array, dims: number): Quantised => {
  const rows = table.length / dims
  const scales = new Float32Array(rows)
  const weights = new Int8Array(table.length)
  for (let row = 0; row < rows; row++) {
    const from = row * dims
    let largest = 0
    for (let d = 0; d < dims; d++) largest = Math.max(largest, Math.abs(table[from + d] as number))
    const scale = Math.fround(largest / LARGEST)
    scales[row] = scale
    if (scale === 0) continue
    for (let d = 0; d < dims; d++)
      weights[from + d] = Math.max(-LARGEST, Math.min(LARGEST, Math.round((table[from + d] as number) / scale)))
  }
  return { scales, weights }
}

/**
 * The file: magic, rows, dims and size of the vocabulary (u32 each), the vocabulary as lines of UTF-8, padding to a multiple of
 * four, scales (f32), weights (int8), all little-endian.
 */
export const packTable = (vocabulary: readonly string[], dims: number, { scales, weights }: Quantised): Uint8Array => {
  const words = new TextEncoder().encode(vocabulary.join('\n'))
  const scalesAt = Math.ceil((HEADER_BYTES + words.length) / 4) * 4
  const file = new Uint8Array(scalesAt + scales.length * 4 + weights.length)
  const view = new DataView(file.buffer)
  for (const [at, value] of [MAGIC, vocabulary.length, dims, words.length].entries()) view.setUint32(at * 4, value, true)
  file.set(words, HEADER_BYTES)
  for (const [row, scale] of scales.entries()) view.setFloat32(scalesAt + row * 4, scale, true)
  file.set(new Uint8Array(weights.buffer, weights.byteOffset, weights.length), scalesAt + scales.length * 4)
  return file
}

/** The rows that a text can reach: without the places BERT keeps free, written `[unused7]`. */
export const usedRows = (vocabulary: readonly string[]): number[] =>
  [...vocabulary.keys()].filter((row) => !/^\[(?:unused\d+|PAD|CLS|SEP|MASK)\]$/.test(vocabulary[row] as string))
