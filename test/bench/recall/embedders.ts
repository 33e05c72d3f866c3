import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sha256Hex } from '../../../src/domain/sha256.js'
import { createStaticEmbedder } from '../../../worker/adapters/static-embedder.js'
import type { Embedder } from '../../../worker/ports.js'
import { launchBrowser } from '../../support/chromium.js'
import { type Embedding, embedAll, startEmbedding, startEmbeddingServer } from '../embedding.js'

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

const FOLDER = at('.cache/recall')
const DIMS = 384

/** The library's own table, read from the repository. */
export const staticEmbedder = (): Embedder =>
  createStaticEmbedder({
    url: 'table:',
    fetch: async () => new Response(readFileSync(at('model/static-256.bin'))),
  })

/** An embedder that is closed when it is not needed any more. */
export interface ClosingEmbedder {
  readonly embedder: Embedder
  readonly close: () => Promise<void>
}

/**
 * all-MiniLM-L6-v2 as apps have it, in a page that is opened when a text comes that it was not asked for before: its vectors are kept
 * under `.cache/recall`, since the tries of a benchmark ask for the same ones again and again.
 */
export const miniLm = (): ClosingEmbedder => {
  mkdirSync(FOLDER, { recursive: true })
  const [names, values] = [`${FOLDER}/minilm.txt`, `${FOLDER}/minilm.f32`]
  const vectors = new Map<string, Float32Array>()
  if (existsSync(names)) {
    const bytes = readFileSync(values)
    const floats = new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4))
    readFileSync(names, 'utf8')
      .split('\n')
      .filter((name) => name !== '')
      .forEach((name, i) => vectors.set(name, floats.subarray(i * DIMS, (i + 1) * DIMS)))
  }
  let opened: Promise<{ readonly embed: Embedding['embed']; readonly close: () => Promise<void> }> | null = null
  const open = async () => {
    const server = await startEmbeddingServer()
    const browser = await launchBrowser()
    const page = await server.openPage(browser.context)
    page.setDefaultTimeout(0)
    const { embed } = await startEmbedding(page, 'MiniLM int8')
    return {
      embed,
      close: async () => {
        await browser.close()
        await server.close()
      },
    }
  }
  const embed: Embedder['embed'] = async (texts) => {
    const missing = [...new Set(texts)].filter((text) => !vectors.has(sha256Hex(text)))
    if (missing.length > 0) {
      opened ??= open()
      for (const [text, vector] of await embedAll((await opened).embed, missing)) {
        vectors.set(sha256Hex(text), vector)
        appendFileSync(values, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
        appendFileSync(names, `${sha256Hex(text)}\n`)
      }
    }
    return texts.map((text) => vectors.get(sha256Hex(text)) as Float32Array)
  }
  return {
    embedder: { id: 'minilm-int8', dims: DIMS, builtIn: true, embed },
    close: async () => {
      await (await opened)?.close()
    },
  }
}
