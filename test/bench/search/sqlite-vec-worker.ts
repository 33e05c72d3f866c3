import { serve, timed } from './serve.js'
import { loadVectors, type Vectors } from './vectors.js'

interface Statement {
  readonly bind: (at: number, value: unknown) => Statement
  readonly step: () => boolean
  readonly get: (at: number) => unknown
  readonly reset: () => Statement
}
interface Database {
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => Statement
}
interface Sqlite {
  readonly oo1: { readonly DB: new (name: string, flags: string) => Database }
}

const MODULE = '/sqlite-vec/sqlite3.mjs'

let vectors: Vectors
let query: Statement

const bytesOf = (vector: Float32Array): Uint8Array => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)

const find = (vector: Float32Array): readonly number[] => {
  query.bind(1, bytesOf(vector))
  const found: number[] = []
  while (query.step()) found.push(Number(query.get(0)))
  query.reset()
  return found
}

serve({
  fill: async (count, dims) => {
    vectors = await loadVectors(dims)
    const start = ((await import(/* @vite-ignore */ MODULE)) as { default: () => Promise<Sqlite> }).default
    const db = new (await start()).oo1.DB(':memory:', 'c')
    return timed(() => {
      db.exec(`create virtual table v using vec0(embedding float[${dims}] distance_metric=cosine)`)
      const insert = db.prepare('insert into v (rowid, embedding) values (cast(?1 as integer), ?2)')
      db.exec('begin')
      for (let n = 0; n < count; n++) {
        insert.bind(1, n).bind(2, bytesOf(vectors.at(n)))
        insert.step()
        insert.reset()
      }
      db.exec('commit')
      query = db.prepare('select rowid from v where embedding match ?1 and k = 10 order by distance')
    })
  },
  ask: async (first, count) =>
    (await timed(() => {
      for (let n = 0; n < count; n++) find(vectors.queries[first + n] as Float32Array)
    })) / count,
  nearest: async (queries) => vectors.queries.slice(0, queries).map(find),
})
