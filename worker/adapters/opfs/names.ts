import { safeName } from '../safe-name.js'

/** Directory under which every store has one of its own. */
const ROOT = 'palimpsest'

/** The one file name inside a store's pool. The pool asks for absolute paths. */
export const DATABASE_PATH = '/store.sqlite3'
export const LOG_PATH = `${DATABASE_PATH}-wal`

/** Where a store's pool lives, and the name SQLite knows it by. */
export const poolNames = (name: string): { readonly directory: string; readonly vfs: string } => {
  const safe = safeName(name)
  return { directory: `${ROOT}/${safe}`, vfs: `${ROOT}-${safe}` }
}
