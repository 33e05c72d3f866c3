import { MemoryError } from '../../src/protocol/errors.js'
import type { Db } from '../ports.js'
import { createDb, type Database, type Sqlite3Static, said, translate } from './sqlite.js'
import type { Room } from './sqlite-db.js'

export interface DatabaseBytes {
  readonly database: Uint8Array
  readonly log: Uint8Array | null
}

/**
 * The place of one database file, taken for this worker alone. The ladder, the checks and the quarantine know storage only
 * through this.
 */
export interface StoreFile {
  readonly backend: 'opfs' | 'idb'
  /** Whether a database was there when the place was taken. */
  readonly found: boolean
  /** Opens a connection and sets its pragmas. Throws what SQLite says, and leaves nothing open then. */
  readonly connect: () => Database
  /** Gives up what was set aside for a full disk; answers whether there was anything. */
  readonly makeRoom?: () => Promise<boolean>
  /** For the connection's own use, where growing can fail. */
  readonly room?: (database: Database) => Room
  /** The file and its write-ahead log as they are. Only while no connection is open. */
  readonly bytes: () => DatabaseBytes
  /** Copies the file, and its log if there is one, to where nothing ever deletes them. Resolves to the copy's place. */
  readonly keep: (label: string) => Promise<string>
  /** Reads such a copy back. */
  readonly kept: (place: string) => Promise<DatabaseBytes>
  /** Frees the name for a new database. Only after {@link keep}. */
  readonly remove: () => Promise<void>
  /** Resolves when everything committed is on disk. */
  readonly durable: () => Promise<void>
  /** Gives the place back, so that another worker can take it. */
  readonly release: () => Promise<void>
}

/** The {@link Db} port over a taken place. Rejects with what SQLite says about a damaged file. */
export const connectDb = async (sqlite3: Sqlite3Static, file: StoreFile, onDamage: (cause: string) => void): Promise<Db> => {
  const database = await connectInFull(sqlite3, file)
  return createDb(sqlite3, database, {
    backend: file.backend,
    durable: file.durable,
    afterClose: file.release,
    ...(file.room && { room: file.room(database) }),
    onDamage,
  })
}

/** Opening writes a little, so on a full disk it needs what was set aside for it. */
const connectInFull = async (sqlite3: Sqlite3Static, file: StoreFile): Promise<Database> => {
  try {
    return file.connect()
  } catch (error) {
    const isFull = asFailure(sqlite3, error, file.backend).code === 'STORAGE_FULL'
    if (!isFull || file.makeRoom === undefined || !(await file.makeRoom())) throw error
    return file.connect()
  }
}

/** Takes a place, opens the database in it, and gives the place back when that fails. */
export const openTaken = async (sqlite3: Sqlite3Static, file: StoreFile): Promise<Db> => {
  try {
    return await connectDb(sqlite3, file, () => undefined)
  } catch (error) {
    await file.release()
    throw asFailure(sqlite3, error, file.backend)
  }
}

/** An error of opening as ours: what is not damage and not a full disk means that the storage cannot be used. */
export const asFailure = (sqlite3: Sqlite3Static, error: unknown, backend: string): MemoryError => {
  const known = translate(sqlite3, error, backend)
  if (known instanceof MemoryError) return known
  return unavailable(backend, error)
}

export const unavailable = (backend: string, error: unknown): MemoryError =>
  new MemoryError(
    'STORAGE_UNAVAILABLE',
    `The memories of this site cannot be opened (${said(error)}). Nothing was deleted: reload the page, or close its other tabs.`,
    { backend, cause: said(error) },
    { cause: error },
  )
