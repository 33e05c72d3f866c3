import { safeName } from '../safe-name.js'

const DIRECTORY = 'palimpsest-reserve'

/** Room for the log's first megabyte, which Chromium grants in one piece, and for the pool's probe file. */
const SIZE = 2 << 20

/*
 * Room set aside for a full disk. Without it a full store cannot even be read after a restart: opening makes a probe file
 * and writes to an empty log, and both are refused (measured). Given up then, and set aside again by the next opening that
 * finds room.
 */

/** Sets the room aside. Best effort: where there is none, there is none. */
export const fillReserve = async (name: string): Promise<void> => {
  try {
    const root = await navigator.storage.getDirectory()
    const directory = await root.getDirectoryHandle(DIRECTORY, { create: true })
    const file = await directory.getFileHandle(safeName(name), { create: true })
    if ((await file.getFile()).size >= SIZE) return
    const access = await file.createSyncAccessHandle()
    try {
      // Counted by the browser, and not written to the disk.
      access.truncate(SIZE)
    } finally {
      access.close()
    }
  } catch {
    // Full already.
  }
}

/** Gives the room up. Answers whether there was any. */
export const dropReserve = async (name: string): Promise<boolean> => {
  try {
    const root = await navigator.storage.getDirectory()
    const directory = await root.getDirectoryHandle(DIRECTORY)
    await directory.removeEntry(safeName(name))
    return true
  } catch {
    return false
  }
}
