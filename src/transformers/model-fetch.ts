import { faultOf } from './check-file.js'
import { download } from './download.js'
import type { ExpectedFiles } from './messages.js'

export interface ModelFetchOptions {
  readonly fetch: typeof fetch
  /** Where whole files are kept; null where there is no such place. */
  readonly openCache: () => Promise<Cache | null>
  /** The address behind what the library asks for. */
  readonly addressOf: (asked: string) => string
  readonly files: ExpectedFiles
  readonly stallMs: number
  readonly pause: (milliseconds: number) => Promise<void>
  readonly onBytes: (url: string, loaded: number, total: number | null) => void
}

/** A `fetch` for the files of a model. */
export interface ModelFetch {
  readonly fetch: typeof fetch
  /** What kept files from being loaded, with their addresses, or null. A library may go on without them, and fail elsewhere. */
  readonly trouble: () => string | null
}

/**
 * Loads whole files or none: each is checked before anybody gets it, and only then kept for the next start. What is kept is
 * checked again when size or hash are given. Scripts, and requests for parts or heads, go through untouched.
 */
export const createModelFetch = (options: ModelFetchOptions): ModelFetch => {
  const faults: string[] = []
  const missing: string[] = []
  const loading = new Map<string, Promise<Loaded>>()

  const load = async (url: string): Promise<Loaded> => {
    const { pathname } = new URL(url)
    const name = Object.keys(options.files).find((path) => pathname.endsWith(`/${path}`))
    const expected = name === undefined ? undefined : options.files[name]
    const cache = pathname.endsWith('.wasm') ? null : await options.openCache()
    const kept = await cache?.match(url)
    if (kept !== undefined) {
      const bytes = new Uint8Array(await kept.arrayBuffer())
      options.onBytes(url, bytes.length, bytes.length)
      if ((await faultOf(pathname, bytes, expected)) === null) return { bytes, type: kept.headers.get('content-type') ?? '' }
      await cache?.delete(url)
    }
    const onBytes = (loaded: number, total: number | null) => options.onBytes(url, loaded, total ?? expected?.bytes ?? null)
    const loaded = await download(url, { ...options, onBytes })
    if ('refusal' in loaded) {
      missing.push(`${url} answers ${loaded.refusal.status}`)
      return loaded.refusal
    }
    options.onBytes(url, loaded.bytes.length, loaded.bytes.length)
    const fault = await faultOf(pathname, loaded.bytes, expected)
    if (fault !== null) throw new Error(fault)
    // A full disk costs the next start a download.
    await cache?.put(url, responseOf(loaded)).catch(() => undefined)
    return loaded
  }

  const shared = (url: string): Promise<Loaded> => {
    const under = loading.get(url)
    if (under !== undefined) return under
    const started = load(url).finally(() => loading.delete(url))
    loading.set(url, started)
    return started
  }

  return {
    fetch: async (input, init) => {
      const url = options.addressOf(input instanceof Request ? input.url : String(input))
      if (!isFile(url, input, init)) return options.fetch(input instanceof Request ? input : url, init)
      try {
        const loaded = await shared(url)
        return loaded instanceof Response ? loaded.clone() : responseOf(loaded)
      } catch (error) {
        const fault = `${url} ${error instanceof Error ? error.message : error}`
        faults.push(fault)
        throw new Error(fault)
      }
    },
    trouble: () => faults[0] ?? (missing.length === 0 ? null : missing.join(', ')),
  }
}

type Loaded = { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string } | Response

const isFile = (url: string, input: RequestInfo | URL, init: RequestInit | undefined): boolean => {
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}))
  return /^https?:/.test(url) && method === 'GET' && !headers.has('range') && !/\.m?js$/.test(new URL(url).pathname)
}

const responseOf = ({ bytes, type }: { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string }): Response =>
  new Response(bytes, { headers: { 'content-type': type, 'content-length': String(bytes.length) } })
