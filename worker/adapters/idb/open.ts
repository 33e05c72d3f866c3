import { type DBSchema, deleteDB, type IDBPDatabase, type OpenDBCallbacks, openDB } from 'idb'

export type { DBSchema, IDBPDatabase }

/** What keeps this window from using IndexedDB, as the start of a sentence; null when nothing does. */
export const idbProblem = async (): Promise<string | null> => {
  if (typeof indexedDB === 'undefined') return 'IndexedDB is missing in this browser'
  try {
    // Some private windows have the object and refuse to open anything.
    const database = await openDB('palimpsest-probe', 1)
    database.close()
    await deleteDB('palimpsest-probe')
    return null
  } catch (error) {
    return `IndexedDB is refused in this window (${error instanceof Error ? error.name : String(error)})`
  }
}

/** Opens a database of version 1, made by `create` the first time. */
export const openIdb = <Shape extends DBSchema>(
  name: string,
  create: (database: IDBPDatabase<Shape>) => void,
  callbacks: Pick<OpenDBCallbacks<Shape>, 'terminated'> = {},
): Promise<IDBPDatabase<Shape>> =>
  openDB<Shape>(name, 1, {
    upgrade: create,
    // Somebody deletes the site's data: let go, or they wait forever.
    blocking: (_current, _wanted, event) => (event.target as IDBDatabase).close(),
    ...callbacks,
  })
