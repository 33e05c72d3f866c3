import { createDb, loadSqlite, secure } from '../../worker/adapters/sqlite.js'
import type { Db } from '../../worker/ports.js'

/** A database in memory whose file can be looked at, byte by byte, free pages and gaps included. */
export const openExportedDb = async (): Promise<{ readonly db: Db; readonly holds: (text: string) => boolean }> => {
  const sqlite3 = await loadSqlite()
  const database = new sqlite3.oo1.DB(':memory:', 'c')
  secure(sqlite3, database)
  const durable = () => Promise.resolve()
  const db = createDb(sqlite3, database, { backend: 'memory', durable, afterClose: durable })
  return { db, holds: (text) => Buffer.from(sqlite3.capi.sqlite3_js_db_export(database)).includes(text) }
}
