import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { MemoryError } from '../../src/protocol/errors.js'

/*
 * SQLite's errors as ours. SQLite itself only says "disk I/O error", so the file systems of this folder note what they were
 * thrown.
 */

let lastFileError: Error | null = null

/** Remember what a file system threw. */
export const noteFileError = (error: Error): void => {
  lastFileError = error
}

/** What was thrown before belongs to something else. */
export const forgetFileError = (): void => {
  lastFileError = null
}

const resultCode = (error: unknown): number | null =>
  error instanceof Error && 'resultCode' in error && typeof error.resultCode === 'number' ? error.resultCode & 0xff : null

/** Whether SQLite itself ran into the limit of pages it was given. */
export const isPageLimit = (sqlite3: Sqlite3Static, error: unknown): boolean =>
  resultCode(error) === sqlite3.capi.SQLITE_FULL

/** What somebody else's error says, for people. */
export const said = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))

/**
 * Whether the file system has no room. At the limit browsers throw, or answer a short or absurd byte count, for which the
 * pool file system throws an error of its own with these words.
 */
const hasNoRoom = (error: Error | null): boolean =>
  error !== null && (error.name === 'QuotaExceededError' || error.message.includes('Unknown write() failure'))

/** SQLite's result codes as ours. Anything that is not about the file is passed through. */
export const translate = (sqlite3: Sqlite3Static, error: unknown, backend: string): unknown => {
  const { capi } = sqlite3
  const code = resultCode(error)
  const cause = lastFileError ?? error
  if (code === capi.SQLITE_CORRUPT || code === capi.SQLITE_NOTADB)
    return new MemoryError(
      'STORAGE_CORRUPT',
      'The database file is damaged. Reload the page: the damaged file is kept and its readable memories are recovered.',
      { cause: said(error), quarantinedAs: null },
      { cause: error },
    )
  if (code === capi.SQLITE_FULL || (code === capi.SQLITE_IOERR && hasNoRoom(lastFileError)) || isQuotaError(error))
    return new MemoryError(
      'STORAGE_FULL',
      'The browser has no room left for this site. Nothing was written. Free space on the device; what is stored can still be read.',
      { usage: null, quota: null },
      { cause: error },
    )
  // Short of a full disk: a handle the browser closed, a file that went away, a device that does not answer.
  if (code === capi.SQLITE_IOERR || code === capi.SQLITE_CANTOPEN)
    return new MemoryError(
      'STORAGE_UNAVAILABLE',
      'The browser took the database file away. Reload the page.',
      { backend, cause: said(cause) },
      { cause: error },
    )
  return error
}

/** Whether a browser says that there is no room. */
export const isQuotaError = (error: unknown): boolean => error instanceof Error && error.name === 'QuotaExceededError'
