import { MemoryError } from '../../src/protocol/errors.js'
import { abortedEmbedding, unlessAborted } from '../abort.js'
import { digestHex } from '../digest.js'
import type { Embedder } from '../ports.js'
import { createEncode } from './static-encode.js'
import {
  describeTableProblem,
  parseStaticTable,
  readTableHeader,
  type StaticTable,
  TABLE_HEADER_BYTES,
  type TableResult,
} from './static-table.js'

const DIMS = 256
/** Counts up with every new table and every new way of using it: vectors of two of them are never compared. */
const REVISION = 2
const ID = `static-${DIMS}@${REVISION}`

export interface StaticEmbedderOptions {
  /** Where `static-256.bin` is served. */
  readonly url: string
  /** Of the file this build was made with, in hexadecimal. Left out, any sound table is taken. */
  readonly sha256?: string
  /** Replaces the global fetch. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Told while the table downloads; `total` is null until the file's header has come in. */
  readonly onProgress?: (loaded: number, total: number | null) => void
}

/** The default embedder, with a way to fetch its table ahead of the first text. */
export interface StaticEmbedder extends Embedder {
  /** Resolves when the table is ready. Rejects with EMBEDDING_FAILED; a later call tries again. */
  readonly load: () => Promise<void>
}

/**
 * An embedder that sums the rows of a token table: no model, no WASM, about ten microseconds a sentence.
 *
 * The table is fetched on the first call and checked before use; simultaneous first calls share one download. A failed
 * download rejects with EMBEDDING_FAILED and leaves nothing behind: the next call starts anew. An abort rejects the call
 * that was aborted and lets the download go on, since the next call needs it as well. Text has no length limit. A text
 * without a known token (empty, only emoji, a script that English MiniLM lacks) gives the zero vector, similar to nothing.
 */
export const createStaticEmbedder = (options: StaticEmbedderOptions): StaticEmbedder => {
  let loading: Promise<Encode> | null = null
  let pastCache = false

  const fetchTable = async (): Promise<Encode> => {
    const outcome = await download(options, pastCache)
    if (outcome.ok) return createEncode(outcome.table)
    loading = null
    // The HTTP cache may hold the very page that was refused: the next attempt has to go past it.
    pastCache = outcome.answered
    throw loadFailed(options.url, outcome.cause)
  }

  const ready = (): Promise<Encode> => {
    loading ??= fetchTable()
    return loading
  }

  return {
    id: ID,
    dims: DIMS,
    builtIn: true,
    load: async () => {
      await ready()
    },
    embed: async (texts, { signal } = {}) => {
      if (signal?.aborted) throw abortedEmbedding()
      if (texts.length === 0) return []
      const encode = await unlessAborted(ready(), signal)
      return texts.map(encode)
    },
  }
}

type Encode = ReturnType<typeof createEncode>

type Download =
  | { readonly ok: true; readonly table: StaticTable }
  | { readonly ok: false; readonly cause: string; readonly answered: boolean }

const download = async (options: StaticEmbedderOptions, pastCache: boolean): Promise<Download> => {
  const { url, sha256, fetch = (input: string, init: RequestInit) => globalThis.fetch(input, init), onProgress } = options
  try {
    const response = await fetch(url, pastCache ? { cache: 'reload' } : {})
    const objection = objectionTo(response)
    if (objection !== null) {
      await response.body?.cancel()
      return { ok: false, cause: objection, answered: true }
    }
    const file = await readFile(response, onProgress)
    const table = file.ok ? parseStaticTable(file.value, DIMS) : file
    const found = file.ok && sha256 !== undefined ? await digestHex(file.value) : null
    if (table.ok && found !== null && found !== sha256)
      return { ok: false, cause: `its SHA-256 is ${found} instead of ${sha256}`, answered: true }
    if (table.ok) return { ok: true, table: table.value }
    return { ok: false, cause: describeTableProblem(table.problem), answered: true }
  } catch (error) {
    return { ok: false, cause: `the download failed: ${messageOf(error)}`, answered: false }
  }
}

/** What the answer's head says against it. A missing file is often answered with the app's page, status 200. */
const objectionTo = (response: Response): string | null => {
  if (!response.ok) return `the server answered with status ${response.status}`
  const type = response.headers.get('content-type') ?? ''
  return /html/i.test(type) ? `the server answered with a web page (${type})` : null
}

/** The body, given up as soon as its first bytes announce another file or more arrives than they announced. */
const readFile = async (
  response: Response,
  onProgress: StaticEmbedderOptions['onProgress'],
): Promise<TableResult<ArrayBuffer>> => {
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  let loaded = 0
  // The header knows the size; Content-Length counts compressed bytes wherever the server compresses.
  let total: number | null = null
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    chunks.push(part.value)
    loaded += part.value.length
    if (total === null && loaded >= TABLE_HEADER_BYTES) {
      const header = readTableHeader(joined(chunks, loaded), DIMS)
      if (!header.ok) {
        await reader?.cancel()
        return header
      }
      total = header.value.size
    }
    if (total !== null && loaded > total) {
      await reader?.cancel()
      return { ok: false, problem: { kind: 'wrong-size', expected: total, found: loaded } }
    }
    onProgress?.(loaded, total)
  }
  return { ok: true, value: joined(chunks, loaded).buffer }
}

const joined = (chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const loadFailed = (url: string, cause: string): MemoryError =>
  new MemoryError(
    'EMBEDDING_FAILED',
    `The token table at ${url} could not be loaded: ${cause}. Serve the package's static-256.bin unchanged under that ` +
      `address, or choose embedder: 'hash', which needs no file. The next call tries again.`,
    { embedder: ID, cause, url },
  )

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
