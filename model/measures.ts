/** A text's vector, at unit length. */
export type Encode = (text: string) => Float32Array

export interface GradedPair {
  readonly a: string
  readonly b: string
  readonly grade: number
}

/** A conversation, and for each question about it which turns (by place) answer it. */
export interface Conversation {
  readonly turns: readonly string[]
  readonly questions: readonly { readonly text: string; readonly evidence: readonly number[] }[]
}

/** Spearman's correlation of cosine and grade, times 100. */
export const pairCorrelation = (pairs: readonly GradedPair[], encode: Encode): number =>
  spearman(
    pairs.map(({ a, b }) => dot(encode(a), encode(b))),
    pairs.map(({ grade }) => grade),
  ) * 100

/** The share of a question's evidence among the `k` turns nearest to it, as a mean over the questions, times 100. */
export const turnRecall = (conversations: readonly Conversation[], k: number, encode: Encode): number => {
  const shares = conversations.flatMap(({ turns, questions }) => {
    const vectors = turns.map(encode)
    return questions.map(({ text, evidence }) => {
      const found = new Set(nearest(encode(text), vectors, k))
      return evidence.filter((turn) => found.has(turn)).length / evidence.length
    })
  })
  return (shares.reduce((sum, share) => sum + share, 0) / shares.length) * 100
}

/** Spearman's rank correlation; equal values share their mean rank. */
export const spearman = (a: readonly number[], b: readonly number[]): number => {
  const x = ranks(a)
  const y = ranks(b)
  const middle = (a.length - 1) / 2
  let product = 0
  let squareX = 0
  let squareY = 0
  for (const [at, rank] of x.entries()) {
    const other = (y[at] as number) - middle
    product += (rank - middle) * other
    squareX += (rank - middle) ** 2
    squareY += other ** 2
  }
  return product / Math.sqrt(squareX * squareY)
}

const ranks = (values: readonly number[]): Float64Array => {
  const order = [...values.keys()].sort((a, b) => (values[a] as number) - (values[b] as number))
  const result = new Float64Array(values.length)
  for (let from = 0; from < order.length; ) {
    const value = values[order[from] as number]
    let end = from
    while (end < order.length && values[order[end] as number] === value) end++
    for (let at = from; at < end; at++) result[order[at] as number] = (from + end - 1) / 2
    from = end
  }
  return result
}

const nearest = (vector: Float32Array, others: readonly Float32Array[], k: number): number[] => {
  const scores = others.map((other) => dot(vector, other))
  return [...scores.keys()].sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b).slice(0, k)
}

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let d = 0; d < a.length; d++) sum += (a[d] as number) * (b[d] as number)
  return sum
}
