import { type IDBPDatabase, openDB } from 'idb'
import type { Db, SqlValue } from '../../worker/ports.js'
import { rowOf } from '../../worker/store/devices.js'
import { core } from '../../worker/store/migrations/0001-core.js'
import { sql } from '../../worker/store/sql.js'

export type Row = Readonly<Record<string, SqlValue>>

const BLOCK = 8192

/** A store with versions enough for a tree of three levels, long values on overflow pages, deleted rows and a text index. */
export const fillStore = (db: Db, versions: number): void => {
  db.transaction(() => {
    for (const statement of core) db.script(statement)
    db.script('create virtual table words using fts5 (body)')
    db.run(sql`insert into devices values (1, ${'0123456789abcdef'}, ${versions}, 0)`)
    for (let i = 1; i <= 5; i++) db.run(sql`insert into identities values (${i}, '', ${`space ${i}`}, '', ${'ana'}, '')`)
    for (let i = 1; i <= versions; i++) insertVersion(db, i)
    // Leaves free pages whose old rows must not come back.
    db.run(sql`delete from versions where dseq > ${versions - 200}`)
    for (let i = 1; i <= 300; i++) db.run(sql`insert into words values (${`the port of number ${i} is ${5000 + i}`})`)
  })
}

const insertVersion = (db: Db, i: number): void => {
  const body = i % 100 === 0 ? 'long '.repeat(6_000) : `{"key":"k${i}","value":"${'v'.repeat(i % 300)} Größe 大小"}`
  db.run(sql`insert into versions (row, dev, dseq, ver, kind, memory, memory_id, identity, parents, human, body, salt, commitment, sha256)
    values (${rowOf(1, i)}, 1, ${i}, ${1_796_000_000_123_456_789n + BigInt(i)}, 'set', ${i}, ${`m${i}`}, ${(i % 5) + 1}, '[]', ${i % 2}, ${body},
    ${new Uint8Array([i & 255, 2, 3])}, ${`c${i}`}, ${`s${i}`})`)
}

export const versionsOf = (db: Db): readonly Row[] => db.all<Row>(sql`select * from versions order by row`)

/** Puts everything readable of the record tables into a new database, as the store does. */
export const refill = (db: Db, damaged: { readonly readableRows: (table: string, model: Db) => Iterable<Row> }): number => {
  let versions = 0
  db.transaction(() => {
    // Runs again when the file had to grow first.
    versions = 0
    for (const statement of core) db.script(statement)
    for (const table of ['devices', 'identities', 'versions'])
      for (const row of damaged.readableRows(table, db)) {
        const names = Object.keys(row)
        db.run({
          text: `insert or ignore into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
          values: Object.values(row),
        })
        if (table === 'versions') versions++
      }
  })
  return versions
}

/** The bytes of a store in IndexedDB. */
export const readStore = async (name: string): Promise<Uint8Array> => {
  const database: IDBPDatabase = await openDB(`palimpsest-${name}`)
  const { size } = await database.get('state', 'file')
  const bytes = new Uint8Array(size)
  const keys = (await database.getAllKeys('blocks')) as number[]
  const blocks = (await database.getAll('blocks')) as Uint8Array[]
  blocks.forEach((block, i) => bytes.set(block.subarray(0, size - (keys[i] as number) * BLOCK), (keys[i] as number) * BLOCK))
  database.close()
  return bytes
}

/** Replaces them, behind everybody's back. */
export const writeStore = async (name: string, bytes: Uint8Array): Promise<void> => {
  const database: IDBPDatabase = await openDB(`palimpsest-${name}`)
  const work = database.transaction(['blocks', 'state'], 'readwrite')
  const blocks = work.objectStore('blocks')
  await blocks.clear()
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const block = new Uint8Array(BLOCK)
    block.set(bytes.subarray(at, at + BLOCK))
    await blocks.put(block, at / BLOCK)
  }
  await work.objectStore('state').put({ size: bytes.length, owner: 'nobody' }, 'file')
  await work.done
  database.close()
}
