import { type DBSchema, type IDBPDatabase, openIdb } from './open.js'

/** Damaged databases of stores in IndexedDB. Nothing in this library deletes them. */
export const QUARANTINE = 'palimpsest-quarantine'

interface QuarantineShape extends DBSchema {
  files: { key: string; value: Uint8Array }
}

const open = (): Promise<IDBPDatabase<QuarantineShape>> =>
  openIdb<QuarantineShape>(QUARANTINE, (made) => {
    made.createObjectStore('files')
  })

/** Keeps a damaged database. Resolves to its place. */
export const keepInIdb = async (label: string, bytes: Uint8Array): Promise<string> => {
  const database = await open()
  try {
    const work = database.transaction('files', 'readwrite', { durability: 'strict' })
    await Promise.all([work.store.put(bytes, `${label}.sqlite3`), work.done])
    return `${QUARANTINE}/${label}.sqlite3`
  } finally {
    database.close()
  }
}

/** Reads it back. */
export const readKept = async (place: string): Promise<Uint8Array> => {
  const database = await open()
  try {
    return (await database.get('files', place.slice(QUARANTINE.length + 1))) ?? new Uint8Array()
  } finally {
    database.close()
  }
}
