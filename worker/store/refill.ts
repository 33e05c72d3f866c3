import type { Db, SqlValue } from '../ports.js'
import { migrate } from './migrate.js'
import { indexRecovered } from './rebuild.js'
import { sql } from './sql.js'

/** Rows of a damaged database, as far as they can be read. */
export interface ReadableTables {
  /** `model` has the same table, sound. */
  readonly readableRows: (table: string, model: Db) => Iterable<Readonly<Record<string, SqlValue>>>
}

/** Record tables in the order in which rows refer to each other. */
const RECORDS = [
  'devices',
  'identities',
  'versions',
  'audit',
  'blacklist',
  'namespaces',
  'usage',
  'redactions',
  'belief_sources',
  'leases',
] as const

/**
 * Puts the records of a damaged database into a new one and derives the rest anew. Rows keep their ids, since they are the same
 * rows; the counter of the old device is closed by giving the file a new device when it is opened next. Answers how many versions.
 */
export const refill = (db: Db, damaged: ReadableTables): number => {
  migrate(db)
  return db.transaction(() => {
    for (const table of RECORDS) for (const row of damaged.readableRows(table, db)) insertRow(db, table, row)
    adoptLostReferences(db)
    // Numbers of memories that are gone are given anew.
    db.run(sql`delete from usage where memory not in (select memory from versions)`)
    db.run(sql`delete from belief_sources where derived not in (select memory from versions)
      or source not in (select memory from versions)`)
    indexRecovered(db)
    return db.get<{ n: number }>(sql`select count(*) as n from versions`)?.n ?? 0
  })
}

/** Columns come from our own schema, never from the damaged file. */
const insertRow = (db: Db, table: (typeof RECORDS)[number], row: Readonly<Record<string, SqlValue>>): void => {
  const columns = columnsOf(db, table).filter((column) => row[column] !== undefined)
  try {
    db.run({
      text: `insert or ignore into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      values: columns.map((column) => row[column] ?? null),
    })
  } catch {
    // A row that no longer fits its table was damaged in a way that only the table's own rules can see.
  }
}

const columnsOf = (db: Db, table: string): readonly string[] =>
  db.all<{ name: string }>(sql`select name from pragma_table_info(${table})`).map(({ name }) => name)

/** A version whose identity could not be read stands under no scope: better unseen than seen by the wrong user. */
const adoptLostReferences = (db: Db): void => {
  db.run(sql`insert or ignore into identities (identity, org, namespace, agent, user, session)
    select identity, '=lost', '=lost', '', '=lost', '=' || identity from
      (select identity from versions union select identity from blacklist union select identity from usage
        union select identity from audit where identity is not null)
    where identity not in (select identity from identities)`)
  db.run(sql`insert or ignore into devices (dev, device_id, last_dseq, last_ver)
    select distinct dev, 'lost-' || dev, 0, 0 from versions where dev not in (select dev from devices)`)
  db.run(sql`update devices set
    last_dseq = max(last_dseq, coalesce((select max(dseq) from versions v where v.dev = devices.dev), 0)),
    last_ver = max(last_ver, coalesce((select max(ver) from versions v where v.dev = devices.dev), 0))`)
}
