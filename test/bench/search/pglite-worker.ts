import { serve, timed } from './serve.js'
import { loadVectors, type Vectors } from './vectors.js'

interface Pg {
  readonly exec: (sql: string) => Promise<unknown>
  readonly query: <T>(sql: string, values?: readonly unknown[]) => Promise<{ readonly rows: readonly T[] }>
}

const MODULE = '/pglite/index.js'
const EXTENSION = '/pglite-pgvector/index.js'
/** Of the index: how many candidates it keeps while it searches. What reaches a recall like ours is found by trying. */
const WIDTHS = [40, 100, 200, 400]

let vectors: Vectors
let db: Pg

const find = async (query: Float32Array): Promise<readonly number[]> => {
  const { rows } = await db.query<{ id: number }>('select id from v order by embedding <=> $1 limit 10', [
    JSON.stringify([...query]),
  ])
  return rows.map(({ id }) => id)
}

const findAll = async (queries: number): Promise<readonly (readonly number[])[]> => {
  const found: (readonly number[])[] = []
  for (const query of vectors.queries.slice(0, queries)) found.push(await find(query))
  return found
}

/** Takes the narrowest search that finds 99 of 100 of what a scan finds. */
const widen = async (): Promise<void> => {
  await db.exec('set enable_indexscan = off')
  const wanted = await findAll(40)
  await db.exec('set enable_indexscan = on; set enable_seqscan = off')
  for (const width of WIDTHS) {
    await db.exec(`set hnsw.ef_search = ${width}`)
    const found = await findAll(40)
    const hits = found.flatMap((ids, i) => ids.filter((id) => wanted[i]?.includes(id))).length
    if (hits >= 0.99 * 400) return
  }
}

serve({
  fill: async (count, dims) => {
    vectors = await loadVectors(dims)
    const { PGlite } = (await import(/* @vite-ignore */ MODULE)) as {
      PGlite: { create: (options: object) => Promise<Pg> }
    }
    const { vector } = (await import(/* @vite-ignore */ EXTENSION)) as { vector: unknown }
    db = await PGlite.create({ extensions: { vector } })
    const ms = await timed(async () => {
      await db.exec(`create extension vector; create table v (id int primary key, embedding vector(${dims}))`)
      for (let from = 0; from < count; from += 500) {
        const rows = Array.from({ length: Math.min(500, count - from) }, (_, i) => {
          const parts = Array.from(vectors.at(from + i), (component) => component.toFixed(6))
          return `(${from + i},'[${parts}]')`
        })
        await db.exec(`insert into v values ${rows.join(',')}`)
      }
      await db.exec(`set maintenance_work_mem = '512MB'; create index on v using hnsw (embedding vector_cosine_ops)`)
    })
    await widen()
    return ms
  },
  ask: async (first, count) =>
    (await timed(async () => {
      for (let n = 0; n < count; n++) await find(vectors.queries[first + n] as Float32Array)
    })) / count,
  nearest: findAll,
})
