import { createRandom } from './random.js'

/** Sentences as rows of the table, one list after another. */
export interface Sentences {
  /** The rows of sentence `i` are `ids[starts[i]]` to `ids[starts[i + 1]]`, each row once. */
  readonly ids: Int32Array
  readonly starts: Int32Array
}

export interface Training {
  readonly dims: number
  readonly sentences: Sentences
  /** What the sentences' vectors should be: unit length, `dims` numbers each. */
  readonly targets: Float32Array
  readonly epochs: number
  readonly rate: number
  readonly onEpoch: (epoch: number, loss: number) => void
}

const BATCH = 64
const WARM_UP_BATCHES = 200
/** How slowly the size of a row's steps forgets earlier gradients. */
const MEMORY = 0.99

/** Puts sentences together from lists of rows. A row counts once per sentence, as when the table is used. */
export const sentencesOf = (lists: readonly (readonly number[])[]): Sentences => {
  const unique = lists.map((list) => [...new Set(list)])
  const starts = new Int32Array(lists.length + 1)
  for (const [at, list] of unique.entries()) starts[at + 1] = (starts[at] as number) + list.length
  return { ids: Int32Array.from(unique.flat()), starts }
}

/**
 * Moves the rows of a table until the sum of a sentence's rows points where its target does: gradient descent on one minus the
 * cosine, in batches, with a step per row that is measured by the row's own gradients, and a rate that falls along a cosine.
 */
export const train = (table: Float32Array, { dims, sentences, targets, epochs, rate, onEpoch }: Training): void => {
  const { ids, starts } = sentences
  const random = createRandom('training')
  const order = Array.from({ length: starts.length - 1 }, (_, at) => at).filter((at) => starts[at] !== starts[at + 1])
  const batches = Math.ceil(order.length / BATCH) * epochs
  const optimiser = createOptimiser(table, dims)
  const sum = new Float64Array(dims)
  let batch = 0
  for (let epoch = 1; epoch <= epochs; epoch++) {
    random.shuffle(order)
    let loss = 0
    for (let from = 0; from < order.length; from += BATCH) {
      for (let at = from; at < Math.min(from + BATCH, order.length); at++) {
        const sentence = order[at] as number
        const first = starts[sentence] as number
        const end = starts[sentence + 1] as number
        sum.fill(0)
        for (let word = first; word < end; word++) addRow(sum, table, (ids[word] as number) * dims)
        loss += toGradient(sum, targets, sentence * dims)
        for (let word = first; word < end; word++) optimiser.add(ids[word] as number, sum)
      }
      optimiser.step(rate * Math.min(1, (batch + 1) / WARM_UP_BATCHES) * ((1 + Math.cos((Math.PI * batch) / batches)) / 2))
      batch++
    }
    onEpoch(epoch, loss / order.length)
  }
}

const addRow = (sum: Float64Array, table: Float32Array, row: number): void => {
  for (let d = 0; d < sum.length; d++) sum[d] = (sum[d] as number) + (table[row + d] as number)
}

/** Replaces a sum by the gradient of its loss; returns the loss. */
const toGradient = (sum: Float64Array, targets: Float32Array, row: number): number => {
  let square = 0
  let product = 0
  for (let d = 0; d < sum.length; d++) {
    const value = sum[d] as number
    square += value * value
    product += value * (targets[row + d] as number)
  }
  const length = Math.sqrt(square) + 1e-9
  const cosine = product / length
  for (let d = 0; d < sum.length; d++)
    sum[d] = ((cosine * (sum[d] as number)) / length - (targets[row + d] as number)) / length
  return 1 - cosine
}

/** Collects gradients per row and applies them, for the rows that were touched. */
interface Optimiser {
  readonly add: (row: number, gradient: Float64Array) => void
  readonly step: (rate: number) => void
}

const createOptimiser = (table: Float32Array, dims: number): Optimiser => {
  const rows = table.length / dims
  const gradients = new Float32Array(table.length)
  const squares = new Float64Array(rows)
  const steps = new Int32Array(rows)
  const isTouched = new Uint8Array(rows)
  const touched: number[] = []

  const apply = (row: number, rate: number): void => {
    const from = row * dims
    const end = from + dims
    let square = 0
    for (let at = from; at < end; at++) square += (gradients[at] as number) ** 2
    const count = (steps[row] as number) + 1
    const mean = MEMORY * (squares[row] as number) + ((1 - MEMORY) * square) / dims
    steps[row] = count
    squares[row] = mean
    const size = rate / (Math.sqrt(mean / (1 - MEMORY ** count)) + 1e-12)
    for (let at = from; at < end; at++) {
      table[at] = (table[at] as number) - size * (gradients[at] as number)
      gradients[at] = 0
    }
    isTouched[row] = 0
  }

  return {
    add: (row, gradient) => {
      if (isTouched[row] === 0) {
        isTouched[row] = 1
        touched.push(row)
      }
      for (let d = 0, at = row * dims; d < dims; d++, at++)
        gradients[at] = (gradients[at] as number) + (gradient[d] as number)
    },
    step: (rate) => {
      for (const row of touched) apply(row, rate)
      touched.length = 0
    },
  }
}
