import { type AnyOrama, create, insertMultiple, searchVector } from '@orama/orama'
import { serve, timed } from './serve.js'
import { loadVectors, type Vectors } from './vectors.js'

let vectors: Vectors
let db: AnyOrama

const find = async (query: Float32Array): Promise<readonly number[]> => {
  const { hits } = await searchVector(db, {
    mode: 'vector',
    vector: { value: [...query], property: 'embedding' },
    similarity: 0,
    limit: 10,
  })
  return hits.map(({ id }) => Number(id))
}

serve({
  fill: async (count, dims) => {
    vectors = await loadVectors(dims)
    return timed(async () => {
      db = create({ schema: { embedding: `vector[${dims}]` } })
      for (let from = 0; from < count; from += 5_000)
        await insertMultiple(
          db,
          Array.from({ length: Math.min(5_000, count - from) }, (_, i) => ({
            id: String(from + i),
            embedding: [...vectors.at(from + i)],
          })),
          5_000,
        )
    })
  },
  ask: async (first, count) =>
    (await timed(async () => {
      for (let n = 0; n < count; n++) await find(vectors.queries[first + n] as Float32Array)
    })) / count,
  nearest: async (queries) => Promise.all(vectors.queries.slice(0, queries).map(find)),
})
