import { serve, timed } from './serve.js'
import { loadVectors, type Vectors } from './vectors.js'

/* Float vectors compared one by one in JavaScript: what recall is measured against. */

let vectors: Vectors
let all: Float32Array

const nearest = (query: Float32Array): readonly number[] => {
  const { dims } = vectors
  const best: { at: number; score: number }[] = []
  for (let at = 0; at * dims < all.length; at++) {
    let score = 0
    for (let i = 0; i < dims; i++) score += (query[i] as number) * (all[at * dims + i] as number)
    if (best.length === 10 && score <= (best[9] as { score: number }).score) continue
    best.push({ at, score })
    best.sort((a, b) => b.score - a.score)
    if (best.length > 10) best.pop()
  }
  return best.map(({ at }) => at)
}

serve({
  fill: async (count, dims) => {
    vectors = await loadVectors(dims)
    return timed(() => {
      all = new Float32Array(count * dims)
      for (let n = 0; n < count; n++) all.set(vectors.at(n), n * dims)
    })
  },
  ask: async (first, count) =>
    (await timed(() => {
      for (let n = 0; n < count; n++) nearest(vectors.queries[first + n] as Float32Array)
    })) / count,
  nearest: async (queries) => vectors.queries.slice(0, queries).map(nearest),
})
