import { openEmbedderLine } from '../../../src/client/embedder-line.js'
import type { TransformersEmbedder } from '../../../src/index.js'
import type { ModelProgress } from '../../../src/protocol/embedding.js'
import type { MemoryError } from '../../../src/protocol/errors.js'
import { createPortEmbedder } from '../../../worker/adapters/port-embedder.js'
import type { Embedder } from '../../../worker/ports.js'
import { embedderContract } from '../../contracts/embedder.contract.js'

/** An embedder as the database worker has it. */
export interface ReachedEmbedder {
  readonly embedder: Embedder
  /** What it told while it was loading. */
  readonly progress: readonly ModelProgress[]
  readonly end: () => void
}

/** Joins both ends of the line in the page: the app's embedder here, the database worker's adapter there. */
export const reach = (host: TransformersEmbedder): ReachedEmbedder => {
  const { port1, port2 } = new MessageChannel()
  const end = openEmbedderLine(host, port1, () => new Worker('/dist/embedder-worker.js', { type: 'module' }))
  const progress: ModelProgress[] = []
  const embedder = createPortEmbedder({ ...host, line: port2, onProgress: (made) => progress.push(made) })
  return { embedder, progress, end }
}

/** Vectors as plain numbers, or what the call rejected with. */
export interface Embedded {
  readonly vectors?: readonly (readonly number[])[]
  readonly code?: string
  readonly message?: string
}

export const embed = async ({ embedder }: ReachedEmbedder, texts: readonly string[]): Promise<Embedded> => {
  try {
    return { vectors: (await embedder.embed(texts)).map((vector) => [...vector]) }
  } catch (error) {
    const { code, message } = error as MemoryError
    return { code, message }
  }
}

/** Runs one behaviour of the contract; embedders of one host share its worker. */
export const keepContract = async (host: TransformersEmbedder, index: number): Promise<void> => {
  const reached: ReachedEmbedder[] = []
  const create = () => {
    const one = reach(host)
    reached.push(one)
    return one.embedder
  }
  try {
    await embedderContract[index]?.run(async () => {
      const embedder = create()
      // Its first answer tells its dims.
      await embedder.embed(['a'])
      return embedder
    })
  } finally {
    for (const { end } of reached) end()
  }
}

Object.assign(globalThis, { reach, embed, keepContract })
