import type { SyncKeys } from '../sync/key-ring.js'
import { type DBSchema, type IDBPDatabase, openIdb } from './idb/open.js'

interface KeysShape extends DBSchema {
  keys: { key: string; value: SyncKeys }
}

/** Keeps an account's keys between openings, so that nobody has to type the passphrase again. */
export interface KeyKeeper {
  /** Null when none are kept, or when the browser keeps nothing here. */
  readonly read: (account: string) => Promise<SyncKeys | null>
  /** False when they could not be kept: the passphrase is asked for again after the next opening. */
  readonly keep: (account: string, keys: SyncKeys) => Promise<boolean>
  readonly forget: (account: string) => Promise<void>
}

/**
 * In IndexedDB, which stores keys without their bytes ever being readable: a page that is taken over can use them while it runs and take
 * none of them along.
 *
 * @param name of the database; another one per store
 */
export const createIdbKeys = (name: string): KeyKeeper => {
  let opened: Promise<IDBPDatabase<KeysShape>> | null = null

  const database = (): Promise<IDBPDatabase<KeysShape>> => {
    opened ??= openIdb<KeysShape>(name, (made) => void made.createObjectStore('keys'), {
      terminated: () => {
        opened = null
      },
    })
    return opened
  }

  const attempt = async <T>(work: (database: IDBPDatabase<KeysShape>) => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work(await database())
    } catch {
      // A private window refuses, or a full disk does: keys then live as long as the worker.
      opened = null
      return otherwise
    }
  }

  return {
    read: (account) => attempt(async (db) => (await db.get('keys', account)) ?? null, null),
    keep: (account, keys) =>
      attempt(async (db) => {
        await db.put('keys', keys, account)
        return true
      }, false),
    forget: (account) => attempt((db) => db.delete('keys', account), undefined),
  }
}
