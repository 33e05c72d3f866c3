/** Which components are above zero, a bit each. */
export const signsOf = (vector: Float32Array, words: number): Int32Array => {
  const signs = new Int32Array(words)
  vector.forEach((value, i) => {
    if (value > 0) signs[i >> 5] = (signs[i >> 5] as number) | (1 << (i & 31))
  })
  return signs
}

/** Bits that are set; from Warren, Hacker's Delight, figure 5-2. */
export const ones = (bits: number): number => {
  let left = bits - ((bits >>> 1) & 0x55555555)
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
  return (((left + (left >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/**
 * How many signs of two vectors of a cosine may differ. The share that does is the angle over a half turn (Goemans and Williamson,
 * 1995); four standard deviations more are allowed for.
 */
export const mostDifferent = (dims: number, cosine: number): number => {
  const share = Math.acos(Math.max(-1, Math.min(1, cosine))) / Math.PI
  return Math.floor(dims * share + 4 * Math.sqrt(dims * share * (1 - share)))
}
