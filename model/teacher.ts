import type { InferenceSession, Tensor } from 'onnxruntime-web'
import * as ort from 'onnxruntime-web/wasm'
import { createWordPiece } from '../src/domain/wordpiece.js'

/** Numbers of a teacher's vector. */
export const TEACHER_DIMS = 384
/** Unit vectors are kept as integers: no component is longer than this. */
export const TEACHER_ONE = 32767

const CLS = 101
const SEP = 102
const MAX_PIECES = 126
const MAX_BATCH = 32

/** Turns texts into unit vectors times {@link TEACHER_ONE}, `TEACHER_DIMS` numbers each. */
export interface Teacher {
  readonly vocabulary: readonly string[]
  readonly encode: (texts: readonly string[]) => Promise<Int16Array>
  /** The vectors of sentences given as ids of pieces. */
  readonly encodeIds: (sentences: readonly (readonly number[])[]) => Promise<Int16Array>
}

/**
 * all-MiniLM-L6-v2 in WASM, one thread. Sentences of one length go together, so that none is padded; the activations are
 * quantised per batch, which makes a vector depend (in the third digit) on its company: same list, same vectors.
 */
export const createTeacher = async (model: Uint8Array, vocabulary: readonly string[]): Promise<Teacher> => {
  ort.env.wasm.numThreads = 1
  const session = await ort.InferenceSession.create(model, { executionProviders: ['wasm'] })
  const { ids } = createWordPiece(vocabulary)

  const encodeIds: Teacher['encodeIds'] = async (sentences) => {
    const vectors = new Int16Array(sentences.length * TEACHER_DIMS)
    for (const batch of batchesOf(sentences)) {
      const states = await run(
        session,
        batch.map((at) => sentences[at] as readonly number[]),
      )
      const size = states.length / batch.length
      for (const [row, at] of batch.entries()) {
        vectors.set(pooled(states.subarray(row * size, (row + 1) * size)), at * TEACHER_DIMS)
      }
    }
    return vectors
  }

  return { vocabulary, encodeIds, encode: (texts) => encodeIds(texts.map((text) => ids(text).slice(0, MAX_PIECES))) }
}

/** Places of the sentences, in batches of one length, the short ones first. */
const batchesOf = (sentences: readonly (readonly number[])[]): number[][] => {
  const length = (at: number): number => (sentences[at] as readonly number[]).length
  const order = sentences.map((_, at) => at).sort((a, b) => length(a) - length(b) || a - b)
  const batches: number[][] = []
  for (const at of order) {
    const last = batches.at(-1)
    if (last === undefined || last.length === MAX_BATCH || length(last[0] as number) !== length(at)) batches.push([at])
    else last.push(at)
  }
  return batches
}

const run = async (session: InferenceSession, batch: readonly (readonly number[])[]): Promise<Float32Array> => {
  const dims = [batch.length, (batch[0] as readonly number[]).length + 2]
  const inputIds = BigInt64Array.from(
    batch.flatMap((ids) => [CLS, ...ids, SEP]),
    BigInt,
  )
  const tensor = (data: BigInt64Array): Tensor => new ort.Tensor('int64', data, dims)
  const feeds = {
    input_ids: tensor(inputIds),
    attention_mask: tensor(new BigInt64Array(inputIds.length).fill(1n)),
    token_type_ids: tensor(new BigInt64Array(inputIds.length)),
  }
  const { last_hidden_state: output } = await session.run(feeds)
  const states = output?.data as Float32Array
  output?.dispose()
  return states
}

/** The mean of a sentence's states at unit length, as integers. */
const pooled = (states: Float32Array): Int16Array => {
  const sum = new Float64Array(TEACHER_DIMS)
  for (let at = 0; at < states.length; at++)
    sum[at % TEACHER_DIMS] = (sum[at % TEACHER_DIMS] as number) + (states[at] as number)
  const factor = TEACHER_ONE / Math.hypot(...sum)
  return Int16Array.from(sum, (value) => Math.round(value * factor))
}
