import { invalidArgument } from '../protocol/errors.js'
import type { ScopePatch } from '../schema/scope.js'
import { isAddress } from './address.js'
import { type AppEmbedder, type EmbedderHost, readEmbedder } from './embedders.js'
import type { Judge } from './judge-line.js'

/** Options of `openMemory`, when a name is not enough. */
export interface OpenOptions {
  /** Name of the store: one database per name and origin. */
  readonly name?: string
  /** Where to keep it. `opfs` falls back to `idb`, and that to `memory`, each time saying so in `storage()`. Default `opfs`. */
  readonly backend?: 'opfs' | 'idb' | 'memory'
  /** False rejects with STORAGE_UNAVAILABLE where the backend cannot be used. Default true. */
  readonly fallback?: boolean
  /** True starts the worker with the first call rather than now: for a page that may never need its memory. Default false. */
  readonly lazy?: boolean
  /** Scope of the handle that is returned. */
  readonly scope?: ScopePatch
  /**
   * `static`, the token table that ships with the library; `hash`, which needs no file; one of your own; or `auto`, which answers with
   * the table from the first call on and moves up to `model` in the background. Default `static`.
   */
  readonly embedder?: BuiltInEmbedder | AppEmbedder
  /** What `auto` moves up to. */
  readonly model?: AppEmbedder
  /** Asked, in the background, about conflicts that the rules leave open. Without one they are left to people. */
  readonly judge?: Judge
  /** A worker of your own making, running `palimpsest/worker.js`. */
  readonly worker?: Worker
  /** Address of the worker script, where the bundler does not find it by itself. */
  readonly workerUrl?: string | URL
  /** Folder that holds `worker.js`, `embedder-worker.js`, `pattern-worker.js`, `sqlite3.wasm` and `static-256.bin`. */
  readonly assetBase?: string | URL
}

type BuiltInEmbedder = (typeof BUILT_IN)[number]

/** Options as the rest of the page sees them: with a name, and with embedders that can be started. */
export interface StoreOptions extends Omit<OpenOptions, 'name' | 'embedder' | 'model'> {
  readonly name: string
  readonly embedder?: BuiltInEmbedder | EmbedderHost
  readonly model?: EmbedderHost
}

/** What a caller may open: `'chat'`, `'opfs:chat'`, `'idb:chat'`, `'memory:'`, or options. */
export type Location = string | OpenOptions

const PREFIXES = ['opfs', 'idb', 'memory'] as const
const OPTION_NAMES = [
  'name',
  'backend',
  'fallback',
  'lazy',
  'scope',
  'embedder',
  'model',
  'judge',
  'worker',
  'workerUrl',
  'assetBase',
]
const BUILT_IN = ['auto', 'static', 'hash'] as const

/** Reads a location. What it says is checked by the worker; here only what the page itself needs. */
export const readLocation = (location: Location): StoreOptions => {
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
  const { embedder, model, ...rest } = location
  if (model !== undefined && embedder !== 'auto') throw invalidArgument('model', "is used with embedder: 'auto' only")
  return {
    ...rest,
    name: location.name ?? (location.backend === 'memory' ? 'memory' : ''),
    ...(embedder === undefined ? {} : { embedder: isBuiltIn(embedder) ? embedder : readEmbedder(embedder, 'embedder') }),
    ...(model === undefined ? {} : { model: readEmbedder(model, 'model') }),
  }
}

const isBuiltIn = (embedder: unknown): embedder is BuiltInEmbedder => (BUILT_IN as readonly unknown[]).includes(embedder)

/** What stays on the page is checked here: the worker never sees it. */
const checkPageOptions = ({ lazy, judge, worker, workerUrl, assetBase }: OpenOptions): void => {
  if (lazy !== undefined && typeof lazy !== 'boolean') throw invalidArgument('lazy', 'must be true or false')
  if (judge !== undefined && typeof judge !== 'function') throw invalidArgument('judge', 'must be a function')
  if (worker !== undefined && (typeof worker?.postMessage !== 'function' || typeof worker.addEventListener !== 'function'))
    throw invalidArgument('worker', 'must be a Worker')
  for (const [option, url] of Object.entries({ workerUrl, assetBase }))
    if (url !== undefined && !isAddress(url)) throw invalidArgument(option, 'must be an address')
}
