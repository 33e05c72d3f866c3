/*
 * The floor under every write: one row and one full-text row per transaction, in the same file system with the same settings, and
 * nothing else. Messages: [id, command, count]; answers: [id, milliseconds].
 */

import { loadSqlite } from '../../worker/adapters/sqlite.js'
import { openOpfsDb } from '../../worker/adapters/sqlite-opfs.js'
import type { Db } from '../../worker/ports.js'
import { sql } from '../../worker/store/sql.js'
import { sentence } from './corpus.js'

let rows = 0

const open = async (): Promise<Db> => {
  const wasm = await (await fetch('/dist/sqlite3.wasm')).arrayBuffer()
  const db = await openOpfsDb(await loadSqlite(wasm), 'bare')
  db.script(`create table if not exists rows (id integer primary key, key text unique, value text, codes blob);
    create virtual table if not exists words using fts5(value, content = '', contentless_delete = 1, tokenize = 'porter unicode61')`)
  return db
}

const opening = open()

const insert = (db: Db): void => {
  rows++
  db.run(
    sql`insert into rows (id, key, value, codes) values (${rows}, ${`bench/${rows}`}, ${sentence(rows)}, ${new Uint8Array(256)})`,
  )
  db.run(sql`insert into words (rowid, value) values (${rows}, ${sentence(rows)})`)
}

const commands = {
  single: (db: Db, count: number) => {
    for (let i = 0; i < count; i++) db.transaction(() => insert(db))
  },
  bulk: (db: Db, count: number) => {
    for (let done = 0; done < count; done += 250)
      db.transaction(() => {
        for (let i = 0; i < 250; i++) insert(db)
      })
  },
} as const

const scope = globalThis as unknown as DedicatedWorkerGlobalScope

scope.onmessage = async ({ data: [id, command, count] }: MessageEvent<[number, keyof typeof commands, number]>) => {
  const db = await opening
  const start = performance.now()
  commands[command](db, count)
  scope.postMessage([id, performance.now() - start])
}
