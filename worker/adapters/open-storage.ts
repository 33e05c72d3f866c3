import type { Backend } from '../../src/schema/options.js'
import type { Db, OpenedStorage, StoreRegistry } from '../ports.js'
import { idbHolds } from './idb/blocks.js'
import type { DamageMarks } from './idb-registry.js'
import { opfsHolds } from './opfs/relist.js'
import { openOrRecover, type RecoveryDeps, type Refill } from './recovery.js'
import { openMemoryDb, type Sqlite3Static } from './sqlite.js'
import { idbProblem, takeIdb } from './sqlite-idb.js'
import { opfsProblem, takeOpfs } from './sqlite-opfs.js'
import { asFailure, type StoreFile, unavailable } from './store-file.js'

export interface OpenStorageOptions {
  readonly name: string
  readonly backend: Backend
  readonly fallback: boolean
}

export interface OpenStorageDeps {
  readonly sqlite3: Sqlite3Static
  readonly registry: StoreRegistry & { readonly damage: DamageMarks }
  readonly now: () => number
  /** Puts what was readable in a damaged database into a new, empty one; answers how many versions. Creates the schema first. */
  readonly refill: Refill
  readonly loadRepair: RecoveryDeps['loadRepair']
}

/**
 * Opens a store where it lives, or, when it is new, in the best place this window has: the private file system, IndexedDB,
 * memory. Chosen once: a store is never looked for in another place than the one it was made in. The caller holds the
 * store's lock, and writes the registry's record once the store has a device.
 *
 * Rejects with STORAGE_UNAVAILABLE when the place cannot be used and when a fallback is needed and not wanted, with
 * STORAGE_FULL, and with STORAGE_CORRUPT when a damaged file could not even be set aside.
 */
export const openStorage = async (options: OpenStorageOptions, deps: OpenStorageDeps): Promise<OpenedStorage> => {
  if (options.backend === 'memory')
    return inMemory(deps, 'Memories are kept in memory only, as asked, and are gone with the page.')
  if (globalThis.isSecureContext === false) {
    if (!options.fallback) throw unavailable(options.backend, INSECURE)
    return inMemory(deps, `${INSECURE}, so memories are kept in memory only and are gone with the page.`)
  }
  const home = await homeOf(options.name, deps)
  const problems: string[] = []
  for (const place of PLACES) {
    if (home === null ? place.backend === 'opfs' && options.backend === 'idb' : place.backend !== home) continue
    const problem = await place.problem()
    const file = problem === null ? await taken(place, options.name, deps, home !== null) : problem
    if (typeof file !== 'string') {
      const reason = reasonFor(place.backend, { problems, home, asked: options.backend })
      return openOrRecover(options.name, file, reason, deps)
    }
    if (home !== null) throw unavailable(home, file)
    if (!options.fallback) throw unavailable(place.backend, file)
    problems.push(file)
  }
  return inMemory(deps, `${joined(problems)}, so memories are kept in memory only and are gone with the page.`)
}

/** Without locks two tabs would write over each other, and without the private file system there is little to fall back from. */
const INSECURE = 'This page is neither https nor localhost, so the browser offers it no safe storage'

interface Place {
  readonly backend: 'opfs' | 'idb'
  /** Why this window cannot use the place, as the start of a sentence. */
  readonly problem: () => Promise<string | null>
  readonly take: (sqlite3: Sqlite3Static, name: string) => Promise<StoreFile>
  readonly holds: (name: string) => Promise<boolean>
  readonly title: string
}

/** In the order of preference. */
const PLACES: readonly Place[] = [
  { backend: 'opfs', problem: opfsProblem, take: takeOpfs, holds: opfsHolds, title: 'the private file system' },
  { backend: 'idb', problem: idbProblem, take: takeIdb, holds: idbHolds, title: 'IndexedDB' },
]

/** Where a store lives: what the registry says, else where its file is; null for a new store. */
const homeOf = async (name: string, { registry }: OpenStorageDeps): Promise<'opfs' | 'idb' | null> => {
  const record = await registry.read(name)
  if (record !== null) return record.backend
  for (const place of PLACES) if (await place.holds(name).catch(() => false)) return place.backend
  return null
}

/** Troubles that say something about this moment, not about the window: going elsewhere would split the store. */
const PASSING = new Set(['NoModificationAllowedError', 'QuotaExceededError'])

/** The place, or why this window cannot use it. A place known to hold the store, or busy, or full, rejects instead. */
const taken = async (place: Place, name: string, deps: OpenStorageDeps, settled: boolean): Promise<StoreFile | string> => {
  try {
    return await place.take(deps.sqlite3, name)
  } catch (error) {
    const kind = error instanceof Error ? error.name : String(error)
    if (settled || PASSING.has(kind)) throw asFailure(deps.sqlite3, error, place.backend)
    return `${place.title[0]?.toUpperCase()}${place.title.slice(1)} does not work in this window (${kind})`
  }
}

const reasonFor = (
  backend: 'opfs' | 'idb',
  { problems, home, asked }: { readonly problems: readonly string[]; readonly home: string | null; readonly asked: Backend },
): string => {
  if (problems.length > 0) return `${joined(problems)}, so memories are kept in IndexedDB.`
  if (home !== null && home !== asked)
    return home === 'idb'
      ? 'This store was made in IndexedDB and stays there.'
      : 'This store was made in the private file system and stays there.'
  return backend === 'opfs'
    ? 'Memories are kept in the private file system of this site.'
    : 'Memories are kept in IndexedDB, as asked.'
}

const joined = (problems: readonly string[]): string => problems.join(', and ')

const inMemory = (deps: OpenStorageDeps, reason: string): OpenedStorage => {
  const db: Db = openMemoryDb(deps.sqlite3)
  return { db, report: { backend: 'memory', durable: 'no', reason, recovery: null } }
}
