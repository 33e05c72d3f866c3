/** Real sentences, to be stored and to be asked with. */
export interface Sentences {
  /** Stored nowhere. */
  readonly asked: readonly string[]
  readonly examples: readonly string[]
  readonly definitions: readonly string[]
}

/** The n-th text: a sentence, in mixed order, and an example with a definition after it once all have been used. */
export const textAt = ({ examples, definitions }: Sentences, n: number): string => {
  const single = examples.length + definitions.length
  if (n < single) {
    const at = (n * 7_919) % single
    return (at < examples.length ? examples[at] : definitions[at - examples.length]) as string
  }
  const mixed = Math.imul(n, 2_654_435_761) >>> 0
  const other = Math.imul(n ^ 0x5bd1e995, 2_246_822_519) >>> 0
  return `${examples[mixed % examples.length]}. ${definitions[other % definitions.length]}`
}
