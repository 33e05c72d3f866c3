import { createEncode } from '../../../worker/adapters/static-encode.js'
import { parseStaticTable } from '../../../worker/adapters/static-table.js'
import { type Sentences, textAt } from './texts.js'

/** Vectors of the texts and of the questions, made in the worker that measures: with the shipped table, as the library makes them. */
export interface Vectors {
  readonly dims: number
  readonly queries: readonly Float32Array[]
  readonly at: (n: number) => Float32Array
}

const TABLE_DIMS = 256

/** With more dimensions than the table has, components of another text follow those of the first. */
export const loadVectors = async (dims: number): Promise<Vectors> => {
  const sentences = (await (await fetch('/sentences.json')).json()) as Sentences
  const table = parseStaticTable(await (await fetch('/dist/static-256.bin')).arrayBuffer(), TABLE_DIMS)
  if (!table.ok) throw new Error('The table cannot be read.')
  const encode = createEncode(table.value)
  const widened = (first: string, second: string): Float32Array => {
    if (dims === TABLE_DIMS) return encode(first)
    const vector = new Float32Array(dims)
    vector.set(encode(first))
    vector.set(encode(second).subarray(0, dims - TABLE_DIMS), TABLE_DIMS)
    const length = Math.hypot(...vector)
    return length === 0 ? vector : vector.map((component) => component / length)
  }
  const { asked } = sentences
  return {
    dims,
    queries: asked.map((text, i) => widened(text, asked[(i + 1) % asked.length] as string)),
    at: (n) => widened(textAt(sentences, n), textAt(sentences, n + 1)),
  }
}
