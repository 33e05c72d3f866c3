import { createHashEmbedder } from '../../worker/adapters/hash-embedder.js'
import { createStaticEmbedder } from '../../worker/adapters/static-embedder.js'

/** The library's own embedders in a worker, as the database worker has them, with nothing around them that takes time. */
const embedders = {
  static: () => createStaticEmbedder({ url: new URL('/dist/static-256.bin', self.location.href).href }),
  hash: () => createHashEmbedder(),
}

let embedder: ReturnType<(typeof embedders)[keyof typeof embedders]> | null = null

self.onmessage = async ({ data: [name, texts, rounds] }: MessageEvent<[keyof typeof embedders, string[], number]>) => {
  embedder ??= embedders[name]()
  let least = Number.POSITIVE_INFINITY
  let vectors: readonly Float32Array[] = []
  for (let i = 0; i < rounds; i++) {
    const started = performance.now()
    vectors = await embedder.embed(texts)
    least = Math.min(least, performance.now() - started)
  }
  self.postMessage([vectors, least])
}
