import type { StoreRecord, StoreRegistry } from '../ports.js'
import { type DBSchema, type IDBPDatabase, openIdb } from './idb/open.js'

interface RegistryShape extends DBSchema {
  stores: { key: string; value: StoreRecord }
  /** Damage seen while a store was open, to be dealt with when it is opened next. */
  damage: { key: string; value: DamageMark & { readonly name: string } }
}

export interface DamageMark {
  readonly cause: string
  /** Where the damaged file was copied: set while its successor is being filled. */
  readonly quarantinedAs: string | null
}

/** Remembers damage between the moment it is seen and the next opening, when the file can be replaced. */
export interface DamageMarks {
  readonly read: (name: string) => Promise<DamageMark | null>
  readonly set: (name: string, mark: DamageMark) => Promise<void>
  readonly clear: (name: string) => Promise<void>
}

export interface IdbRegistry extends StoreRegistry {
  readonly damage: DamageMarks
}

/**
 * The registry of stores, in IndexedDB beside the stores themselves. It never fails: a private window may refuse
 * IndexedDB altogether, and then there is nothing to remember: `read` answers null and `write` does nothing.
 */
export const createIdbRegistry = (): IdbRegistry => {
  let opened: Promise<IDBPDatabase<RegistryShape>> | null = null

  const database = (): Promise<IDBPDatabase<RegistryShape>> => {
    opened ??= openIdb<RegistryShape>(
      'palimpsest',
      (made) => {
        made.createObjectStore('stores', { keyPath: 'name' })
        made.createObjectStore('damage', { keyPath: 'name' })
      },
      {
        terminated: () => {
          opened = null
        },
      },
    )
    return opened
  }

  const attempt = async <T>(work: (database: IDBPDatabase<RegistryShape>) => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work(await database())
    } catch {
      opened = null
      return otherwise
    }
  }

  return {
    read: (name) => attempt(async (db) => (await db.get('stores', name)) ?? null, null),
    write: (record) => attempt(async (db) => void (await db.put('stores', record)), undefined),
    damage: {
      read: (name) => attempt(async (db) => (await db.get('damage', name)) ?? null, null),
      set: (name, mark) => attempt(async (db) => void (await db.put('damage', { ...mark, name })), undefined),
      clear: (name) => attempt((db) => db.delete('damage', name), undefined),
    },
  }
}
