import type { LiveQuery, Memory } from '../protocol/api.js'
import { invalidArgument } from '../protocol/errors.js'
import { findAssets } from './assets.js'
import { createHandle, narrowScope, type SharedLink } from './handle.js'
import { lazyLink } from './lazy-link.js'
import { type Location, readLocation, type StoreOptions } from './location.js'
import { linkWorker, type WorkerLink } from './worker-link.js'

/** Usable at once: its calls wait for the store to open. Awaiting it waits too, and rejects when the store cannot be opened. */
export type OpeningMemory = Memory & PromiseLike<Memory>

/** A worker with everything that was opened on it. */
interface OpenStore {
  readonly options: StoreOptions
  readonly link: WorkerLink
  readonly onFirstWrite: () => void
  readonly handles: Map<string, number>
  uses: number
}

/** Stores open in this page by name: opening one twice, as React does in development, gives handles on the same worker. */
const openStores = new Map<string, OpenStore>()

/**
 * Opens a store of memories, making it when it is new.
 *
 * Throws INVALID_ARGUMENT for a location that is none. Awaiting rejects with WORKER_FAILED, PROTOCOL_MISMATCH, STORAGE_UNAVAILABLE, STORAGE_CORRUPT, SCHEMA_TOO_NEW or INVALID_ARGUMENT.
 *
 * ```ts
 * const memory = await openMemory('chat')
 * await memory.set({ key: 'user/home/city', value: 'Alice lives in Berlin.' })
 * ```
 *
 * @param location a name, `'opfs:chat'`, `'idb:chat'`, `'memory:'`, options, or a handle, which is given back: so code that opens a store can be given one
 */
export const openMemory = (location: Location | Memory): OpeningMemory => {
  if (isHandle(location)) return reopened(location)
  const options = readLocation(location)
  const { scope } = options
  // Before a worker is started for it.
  if (scope !== undefined) narrowScope({}, scope)
  const shared = share(options)
  const root = createHandle(shared, 0, {})
  // The worker's own root is unbound: two openings of one name may ask for different scopes.
  const memory = scope === undefined ? root : root.scope(scope)
  const opened = () => shared.link.opened.then(() => memory)
  if (options.lazy !== true) opened().catch(() => undefined)
  return {
    ...memory,
    // Awaiting is part of the contract; what it resolves to is a handle that is no thenable.
    then: (onOpened, onFailed) => opened().then(onOpened, onFailed),
  }
}

const isHandle = (location: Location | Memory): location is Memory =>
  typeof location === 'object' && location !== null && 'search' in location && typeof location.search === 'function'

const reopened = (memory: Memory | OpeningMemory): OpeningMemory =>
  'then' in memory ? memory : { ...memory, then: (onOpened, onFailed) => Promise.resolve(memory).then(onOpened, onFailed) }

const share = (options: StoreOptions): SharedLink => {
  // A store in memory belongs to who opened it.
  const name = options.backend === 'memory' ? null : options.name
  const known = name === null ? undefined : openStores.get(name)
  if (known !== undefined) requireSame(known.options, options)
  const store = known ?? start(options, name)
  store.uses++
  const lives = new Set<LiveQuery>()
  let closing: Promise<void> | null = null
  return {
    link: store.link,
    onFirstWrite: store.onFirstWrite,
    isClosed: () => closing !== null,
    handles: store.handles,
    lives,
    close: () => {
      for (const live of [...lives]) live.unsubscribe()
      closing ??= leave(store, name)
      return closing
    },
  }
}

/** A store that is open has its backend and its embedder; asking for others would be answered with something else. */
const requireSame = (open: StoreOptions, wanted: StoreOptions): void => {
  for (const option of ['backend', 'fallback', 'embedder', 'model'] as const)
    if (wanted[option] !== undefined && nameOf(wanted[option]) !== nameOf(open[option] ?? DEFAULTS[option]))
      throw invalidArgument(option, 'differs from that of the same store, which is open in this page: close it first')
}

const DEFAULTS = { backend: 'opfs', fallback: true, embedder: 'static', model: undefined } as const

const nameOf = (option: StoreOptions['backend' | 'fallback' | 'embedder' | 'model']): unknown =>
  typeof option === 'object' ? `yours: ${option.id}` : option

const start = (options: StoreOptions, name: string | null): OpenStore => {
  const { scope: _scope, ...rest } = options
  const begin = () => linkWorker(rest, findAssets(options))
  const link = options.lazy === true ? lazyLink(begin) : begin()
  let asked = options.backend === 'memory'
  const store: OpenStore = {
    options,
    handles: new Map(),
    uses: 0,
    link,
    onFirstWrite: () => {
      if (!asked) void askToPersist()
      asked = true
    },
  }
  if (name !== null) openStores.set(name, store)
  // A store that failed to open, or lost its worker, must not answer the next try.
  link.onLost(() => forget(store, name))
  return store
}

const forget = (store: OpenStore, name: string | null): void => {
  if (name !== null && openStores.get(name) === store) openStores.delete(name)
}

/** The worker goes with the last who uses it. */
const leave = async (store: OpenStore, name: string | null): Promise<void> => {
  store.uses--
  if (store.uses > 0) return
  forget(store, name)
  await store.link.close()
}

/** Only a page can ask; Chromium decides by itself, Firefox asks the person, so it waits for something worth keeping. */
const askToPersist = async (): Promise<void> => {
  const { storage } = navigator
  if (typeof storage?.persist !== 'function') return
  try {
    if (!(await storage.persisted())) await storage.persist()
  } catch {
    // Not being allowed to ask changes nothing.
  }
}
