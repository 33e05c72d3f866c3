import type { Page } from 'playwright-core'
import { bundle } from '../support/bundle.js'
import { type ModelServer, RUNTIME, startModelServer } from '../support/model-page.js'

/** The embedders that benchmarks compare, each in a worker of a page, as apps have them. */
export const NAMES = ['static', 'MiniLM int8', 'hash'] as const
export type Name = (typeof NAMES)[number]

/** Texts a message: a page hands over thousands in well under a second. */
const CHUNK = 256

export interface Embedding {
  readonly readyMs: number
  /** Vectors of texts in order, and the least milliseconds of some rounds over them. */
  readonly embed: (texts: readonly string[], rounds: number) => Promise<{ vectors: readonly number[][]; ms: number }>
}

declare const globalThis: {
  ask: (texts: readonly string[], rounds: number) => Promise<[vectors: Float32Array[], ms: number]>
  reach: typeof import('../browser/pages/transformers-page.js')['reach']
  transformersEmbedder: typeof import('../../src/index.js')['transformersEmbedder']
}

/** Starts an embedder in a page; milliseconds to its first vector, downloads included. */
export const startEmbedding = async (page: Page, name: Name): Promise<Embedding> => {
  const readyMs = await page.evaluate(
    async ([which, runtime]) => {
      const started = performance.now()
      if (which === 'MiniLM int8') {
        const options = { url: '/transformers/transformers.min.js', model: 'all-MiniLM-L6-v2', wasmPaths: runtime }
        const { embedder } = globalThis.reach(globalThis.transformersEmbedder(options))
        globalThis.ask = async (texts, rounds) => {
          let least = Number.POSITIVE_INFINITY
          let vectors: Float32Array[] = []
          for (let i = 0; i < rounds; i++) {
            const from = performance.now()
            vectors = [...(await embedder.embed(texts))]
            least = Math.min(least, performance.now() - from)
          }
          return [vectors, least]
        }
      } else {
        const worker = new Worker('/bench-worker.js', { type: 'module' })
        globalThis.ask = (texts, rounds) =>
          new Promise((resolve) => {
            worker.onmessage = ({ data }) => resolve(data)
            worker.postMessage([which, texts, rounds])
          })
      }
      await globalThis.ask(['Alice moved to Lisbon in May.'], 1)
      return performance.now() - started
    },
    [name, RUNTIME] as const,
  )
  const embed: Embedding['embed'] = (texts, rounds) =>
    page.evaluate(
      async ([asked, times]) => {
        const [vectors, ms] = await globalThis.ask(asked, times)
        return { vectors: vectors.map((vector) => Array.from(vector)), ms }
      },
      [texts, rounds] as const,
    )
  return { readyMs, embed }
}

/** Vectors of many texts by text. */
export const embedAll = async (
  embed: Embedding['embed'],
  texts: readonly string[],
): Promise<ReadonlyMap<string, Float32Array>> => {
  const vectors = new Map<string, Float32Array>()
  for (let at = 0; at < texts.length; at += CHUNK) {
    const some = texts.slice(at, at + CHUNK)
    const made = await embed(some, 1)
    some.forEach((text, i) => vectors.set(text, Float32Array.from(made.vectors[i] ?? [])))
  }
  return vectors
}

/** A server that has what they ask for. */
export const startEmbeddingServer = async (): Promise<ModelServer> => {
  const script = await bundle('bench/embedder-worker.ts')
  const server = await startModelServer()
  server.setOverrides((path) =>
    path === '/bench-worker.js' ? { body: script, headers: { 'content-type': 'text/javascript' } } : undefined,
  )
  return server
}
