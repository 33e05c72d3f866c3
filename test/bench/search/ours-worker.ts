import { createRows } from '../../../worker/scan/create-rows.js'
import { findNearest } from '../../../worker/scan/find.js'
import type { VectorRows } from '../../../worker/scan/rows.js'
import { createVectorMatrix, packVector, type VectorMatrix } from '../../../worker/store/vector-matrix.js'
import { serve, timed } from './serve.js'
import { loadVectors, type Vectors } from './vectors.js'

/* Our matrix, as a search of the library uses it, and the probe beside it. */

interface Probe {
  readonly memory: WebAssembly.Memory
  readonly read: (bytes: number) => number
}

/** Read in one turn of a comparison: some milliseconds, which a busy machine leaves alone now and then. */
const BYTES = 1e8
const TURNS = 8

let vectors: Vectors
let rows: VectorRows
let matrix: VectorMatrix
let probe: Probe
let held = 0
let recalls: Readonly<Record<string, number>> | undefined

const query = (n: number): Float32Array => vectors.queries[n % vectors.queries.length] as Float32Array

/** What an exact scan reads: codes and scales. */
const scanned = (): number => Math.ceil((held * (rows.stride + 4)) / 64) * 64

const startProbe = async (): Promise<void> => {
  const { instance } = await WebAssembly.instantiate(await (await fetch('/probe.wasm')).arrayBuffer())
  probe = instance.exports as unknown as Probe
  probe.memory.grow(Math.ceil(scanned() / 65_536))
  // Pages that were never written are all the same page.
  const bytes = new Uint8Array(probe.memory.buffer)
  for (let at = 0; at < bytes.length; at += 64) bytes[at] = at
}

const repeat = (times: number, work: (n: number) => unknown): void => {
  for (let n = 0; n < times; n++) work(n)
}

serve({
  fill: async (count, dims) => {
    vectors = await loadVectors(dims)
    rows = createRows(dims)
    matrix = createVectorMatrix(dims, { rows, capacity: count })
    held = count
    const packed = timed(() => repeat(count, (n) => matrix.append(n + 1, n + 1, 1, packVector(vectors.at(n)))))
    await packed
    await startProbe()
    return packed
  },
  ask: async (first, count) =>
    (await timed(() => repeat(count, (n) => matrix.nearest(query(first + n), 10, () => true)))) / count,
  nearest: async (queries) =>
    Array.from({ length: queries }, (_, n) => matrix.nearest(query(n), 10, () => true).map(({ passage }) => passage - 1)),
  facts: async () => {
    const times = Math.max(1, Math.round(BYTES / scanned()))
    const numbers = Int32Array.from({ length: held }, (_, i) => i)
    const exactly = (n: number, limit: number) =>
      findNearest(rows, { query: query(n), limit, length: held, stands: () => true, numbers })
    let [exactMs, probeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let turn = 0; turn < TURNS; turn++) {
      exactMs = Math.min(exactMs, await timed(() => repeat(times, (n) => exactly(turn * times + n, 10))))
      probeMs = Math.min(probeMs, await timed(() => repeat(times, () => probe.read(scanned()))))
    }
    const recallOf = (limit: number): number => {
      let found = 0
      repeat(vectors.queries.length, (n) => {
        const wanted = new Set(exactly(n, limit).map(({ slot }) => slot + 1))
        found += matrix.nearest(query(n), limit, () => true).filter(({ passage }) => wanted.has(passage)).length
      })
      return found / (vectors.queries.length * Math.min(limit, held))
    }
    recalls ??= { recall10: recallOf(10), recall50: recallOf(50) }
    return {
      exactMs: exactMs / times,
      probeMs: probeMs / times,
      ...recalls,
      megabytes: ((rows.blocks[0]?.codes.buffer.byteLength ?? 0) + 13 * held) / 1e6,
    }
  },
})
