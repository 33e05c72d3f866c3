import { safeName } from '../safe-name.js'
import { isQuotaError } from '../sqlite-errors.js'
import { BLOCK_SIZE, type Changes, type Mirror } from './mirror.js'
import { type DBSchema, type IDBPDatabase, openIdb } from './open.js'

interface BlocksShape extends DBSchema {
  blocks: { key: number; value: Uint8Array }
  /** One record under `file`. */
  state: { key: 'file'; value: { readonly size: number; readonly owner: string } }
}

/** A file in IndexedDB, as blocks. */
export interface BlockStore {
  readonly load: () => Promise<{ readonly blocks: ReadonlyMap<number, Uint8Array>; readonly size: number | null }>
  /**
   * Stores every changed block in one transaction and resolves when it is on disk. Reads the blocks before it first
   * waits, so what is stored is the state at the call.
   */
  readonly store: (mirror: Mirror, changes: readonly Changes[]) => Promise<void>
  readonly remove: () => Promise<void>
  readonly close: () => void
}

/** Blocks read at once: about 8 MB, so that loading does not hold everything twice. */
const LOAD_BATCH = 1_000

/** Another worker has opened the store since: this one was taken for dead. */
const superseded = (): DOMException => new DOMException('Another worker has taken the store over.', 'InvalidStateError')

export const blocksName = (name: string): string => `palimpsest-${safeName(name)}`

/** Opens the blocks of a store and takes them over: whoever had them before can no longer write. */
export const openBlocks = async (name: string): Promise<BlockStore> => {
  const database = await openIdb<BlocksShape>(blocksName(name), (made) => {
    made.createObjectStore('blocks')
    made.createObjectStore('state')
  })
  const owner = crypto.randomUUID()

  const loadBatches = async (): Promise<ReadonlyMap<number, Uint8Array>> => {
    const blocks = new Map<number, Uint8Array>()
    for (let from = 0; ; ) {
      const range = IDBKeyRange.lowerBound(from)
      const [keys, values] = await Promise.all([
        database.getAllKeys('blocks', range, LOAD_BATCH),
        database.getAll('blocks', range, LOAD_BATCH),
      ])
      keys.forEach((key, i) => blocks.set(key, values[i] as Uint8Array))
      if (keys.length < LOAD_BATCH) return blocks
      from = (keys.at(-1) as number) + 1
    }
  }

  /** Whether this worker's name is on the store; with a full disk it is put there by the first flush. */
  let claimed = false

  const claim = async (): Promise<number | null> => {
    const work = database.transaction('state', 'readwrite')
    const found = await work.store.get('file')
    try {
      // A store without a size was claimed once and never written.
      await Promise.all([work.store.put({ size: found?.size ?? -1, owner }, 'file'), work.done])
      claimed = true
    } catch (error) {
      if (!isQuotaError(error)) throw error
    }
    return found === undefined || found.size < 0 ? null : found.size
  }

  return {
    load: async () => {
      const size = await claim()
      return { blocks: size === null ? new Map() : await loadBatches(), size }
    },
    store: async (mirror, changes) => {
      // Strict: the default resolves before the bytes have left the operating system's cache.
      const work = database.transaction(['blocks', 'state'], 'readwrite', { durability: 'strict' })
      const blocks = work.objectStore('blocks')
      const state = work.objectStore('state')
      const stored = work.done
      let taken = false
      // A failed request ends the transaction, whose error arrives below.
      const ignore = (): void => undefined
      try {
        for (const index of new Set(changes.flatMap(({ before }) => [...before.keys()]))) {
          const block = mirror.block(index)
          if (block === undefined) blocks.delete(index).catch(ignore)
          else blocks.put(block, index).catch(ignore)
        }
        const size = mirror.size()
        state.get('file').then((found) => {
          taken = claimed && found?.owner !== owner
          if (taken) work.abort()
          else state.put({ size, owner }, 'file').catch(ignore)
        }, ignore)
      } catch (error) {
        // What was put before would be stored without the rest.
        work.abort()
        await stored.catch(ignore)
        throw error
      }
      await stored.catch((error: unknown) => {
        throw taken ? superseded() : error
      })
      claimed = true
    },
    remove: async () => {
      const work = database.transaction(['blocks', 'state'], 'readwrite', { durability: 'strict' })
      await Promise.all([
        work.objectStore('blocks').clear(),
        work.objectStore('state').put({ size: -1, owner }, 'file'),
        work.done,
      ])
    },
    close: () => database.close(),
  }
}

/** Whether a store has blocks, without taking it or creating anything. */
export const idbHolds = async (name: string): Promise<boolean> => {
  // Absent in older browsers; then only the registry knows.
  if (typeof indexedDB === 'undefined' || typeof indexedDB.databases !== 'function') return false
  try {
    const wanted = blocksName(name)
    if (!(await indexedDB.databases()).some((database) => database.name === wanted)) return false
    const database: IDBPDatabase<BlocksShape> = await openIdb<BlocksShape>(wanted, (made) => {
      made.createObjectStore('blocks')
      made.createObjectStore('state')
    })
    const state = await database.get('state', 'file')
    database.close()
    return state !== undefined && state.size >= 0
  } catch {
    return false
  }
}

/** Bytes of a mirror as one array. */
export const bytesOf = (mirror: Mirror): Uint8Array => {
  const bytes = new Uint8Array(mirror.size())
  for (let at = 0; at < bytes.length; at += BLOCK_SIZE) mirror.read(bytes.subarray(at, at + BLOCK_SIZE), at)
  return bytes
}
