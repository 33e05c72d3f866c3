/** A query as sketches are compared with it: a row's sketch is how much of the query lies in the components where the row is positive. */
export interface SketchQuery {
  /** For every four components, the sum of each choice among them, in steps, the smallest one being zero. */
  readonly table: Uint8Array
  /** No sketch is greater. */
  readonly greatest: number
  /** What a row of at least a cosine is likely to reach. */
  readonly likelyFor: (cosine: number) => number
}

/** Standard deviations allowed for below what is expected of a row: a row in some ten thousands is missed. */
const DEVIATIONS = 4

/** Sums of four components and of two such fours fit eight bits, and that of all sixteen. */
const largestStep = (stride: number): number => Math.min(31, Math.floor(65_535 / stride))

export const sketchQuery = (query: Float32Array, stride: number): SketchQuery => {
  let [most, squares] = [0, 0]
  for (const component of query) {
    most = Math.max(most, Math.abs(component))
    squares += component * component
  }
  const step = most === 0 ? 1 : most / largestStep(stride)
  const table = new Uint8Array(4 * stride)
  /** Of each choice among four components; that of none is zero. */
  const sums = new Int32Array(16)
  let [positive, negative] = [0, 0]
  for (let first = 0; first < stride; first += 4) {
    let least = 0
    for (let i = 0; i < 4; i++) {
      const steps = Math.round((query[first + i] ?? 0) / step)
      if (steps > 0) positive += steps
      else least += steps
      // Each choice with this component is one without it and this.
      for (let choice = 0; choice < 1 << i; choice++) sums[choice + (1 << i)] = (sums[choice] as number) + steps
    }
    negative += least
    for (let choice = 0; choice < 16; choice++) table[4 * first + choice] = (sums[choice] as number) - least
  }
  return {
    table,
    greatest: positive - negative,
    // Of a row at an angle to the query, with components as if drawn at random, the sum of the query's components each with the sign of
    // the row's is the cosine's share of what it is for the query itself, and spreads by less than the sine.
    likelyFor: (cosine) => {
      const share = Math.max(-1, Math.min(1, cosine))
      const expected = (positive - negative) * share
      const spread = (DEVIATIONS * Math.sqrt(squares * (1 - share * share))) / step
      return Math.max(0, Math.floor((expected - spread + positive - negative) / 2))
    },
  }
}
