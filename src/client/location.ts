import { invalidArgument } from '../protocol/errors.js'
import type { ScopePatch } from '../schema/scope.js'
import type { PageEmbedder } from './embedder-host.js'

/** Options of `openMemory`, when a name is not enough. */
export interface OpenOptions {
  /** Name of the store: one database per name and origin. */
  readonly name?: string
  /** Where to keep it. `opfs` falls back to `idb`, and that to `memory`, each time saying so in `storage()`. Default `opfs`. */
  readonly backend?: 'opfs' | 'idb' | 'memory'
  /** False rejects with STORAGE_UNAVAILABLE where the backend cannot be used. Default true. */
  readonly fallback?: boolean
  /** Scope of the handle that is returned. */
  readonly scope?: ScopePatch
  /** `static`, the token table that ships with the library; `hash`, which needs no file; or one of your own. Default `static`. */
  readonly embedder?: 'static' | 'hash' | PageEmbedder
  /** A worker of your own making, running `palimpsest/worker.js`. */
  readonly worker?: Worker
  /** Address of the worker script, where the bundler does not find it by itself. */
  readonly workerUrl?: string | URL
  /** Folder that holds `worker.js`, `sqlite3.wasm` and `static-256.bin`. */
  readonly assetBase?: string | URL
}

/** What a caller may open: `'chat'`, `'opfs:chat'`, `'idb:chat'`, `'memory:'`, or options. */
export type Location = string | OpenOptions

const PREFIXES = ['opfs', 'idb', 'memory'] as const
const OPTION_NAMES = ['name', 'backend', 'fallback', 'scope', 'embedder', 'worker', 'workerUrl', 'assetBase']

/** Reads a location. What it says is checked by the worker; here only what the page itself needs. */
export const readLocation = (location: Location): OpenOptions & { readonly name: string } => {
  if (typeof location === 'string') {
    const prefix = PREFIXES.find((known) => location.startsWith(`${known}:`))
    const name = prefix === undefined ? location : location.slice(prefix.length + 1)
    if (prefix === 'memory') return { name: name === '' ? 'memory' : name, backend: 'memory' }
    return prefix === undefined ? { name } : { name, backend: prefix }
  }
  if (typeof location !== 'object' || location === null) throw invalidArgument('location', 'must be a name or options')
  for (const option of Object.keys(location))
    if (!OPTION_NAMES.includes(option)) throw invalidArgument(option, 'is not an option of openMemory')
  checkPageOptions(location)
  return { ...location, name: location.name ?? (location.backend === 'memory' ? 'memory' : '') }
}

/** What stays on the page is checked here: the worker never sees it. */
const checkPageOptions = ({ embedder, worker, workerUrl, assetBase }: OpenOptions): void => {
  if (embedder !== undefined && typeof embedder !== 'string' && typeof embedder?.embed !== 'function')
    throw invalidArgument('embedder', "must be 'static', 'hash' or an object with id, dims and embed")
  if (worker !== undefined && (typeof worker?.postMessage !== 'function' || typeof worker.addEventListener !== 'function'))
    throw invalidArgument('worker', 'must be a Worker')
  for (const [option, url] of Object.entries({ workerUrl, assetBase }))
    if (url !== undefined && !isUrl(url)) throw invalidArgument(option, 'must be an address')
}

const isUrl = (url: unknown): boolean => {
  if (typeof url !== 'string' && !(url instanceof URL)) return false
  try {
    return new URL(url, globalThis.location?.href) instanceof URL
  } catch {
    return false
  }
}
