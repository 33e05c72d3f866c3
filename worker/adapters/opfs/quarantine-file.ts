import type { DatabaseBytes } from '../store-file.js'

/** Damaged databases are kept here, beside the pools and out of their reach. Nothing in this library deletes them. */
export const QUARANTINE = 'palimpsest-quarantine'

/** One write call per megabyte: a single huge one fails as a whole. */
const CHUNK = 1 << 20

/** Writes a damaged database, and its log, as ordinary files of the private file system. Resolves to the path. */
export const writeQuarantine = async (label: string, database: Uint8Array, log: Uint8Array | null): Promise<string> => {
  const root = await navigator.storage.getDirectory()
  const directory = await root.getDirectoryHandle(QUARANTINE, { create: true })
  const name = `${label}.sqlite3`
  await writeFile(directory, name, database)
  // SQLite tools look for the log under exactly this name.
  if (log !== null && log.length > 0) await writeFile(directory, `${name}-wal`, log)
  return `${QUARANTINE}/${name}`
}

/** Reads a copy back. */
export const readQuarantine = async (place: string): Promise<DatabaseBytes> => {
  const root = await navigator.storage.getDirectory()
  const directory = await root.getDirectoryHandle(QUARANTINE)
  const name = place.slice(QUARANTINE.length + 1)
  return { database: (await readFile(directory, name)) ?? new Uint8Array(), log: await readFile(directory, `${name}-wal`) }
}

const readFile = async (directory: FileSystemDirectoryHandle, name: string): Promise<Uint8Array | null> => {
  try {
    const file = await (await directory.getFileHandle(name)).getFile()
    return new Uint8Array(await file.arrayBuffer())
  } catch (error) {
    if (error instanceof Error && error.name === 'NotFoundError') return null
    throw error
  }
}

const writeFile = async (directory: FileSystemDirectoryHandle, name: string, bytes: Uint8Array): Promise<void> => {
  const file = await directory.getFileHandle(name, { create: true })
  const handle = await file.createSyncAccessHandle()
  try {
    for (let at = 0; at < bytes.length; at += CHUNK) {
      const chunk = bytes.subarray(at, at + CHUNK)
      // At the limit of the quota some browsers answer a short or absurd count instead of throwing.
      if (handle.write(chunk, { at }) !== chunk.length) throw new DOMException('Short write', 'QuotaExceededError')
    }
    handle.flush()
  } catch (error) {
    handle.close()
    await directory.removeEntry(name)
    throw error
  }
  handle.close()
}
