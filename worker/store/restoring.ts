import type { Db } from '../ports.js'
import { readMeta, writeMeta } from './devices.js'
import { sql } from './sql.js'

const NAME = 'restoring'

/** What is written while an archive is restored. Before it, all of these are empty. */
const FILLED =
  'versions heads head_tags passages vectors vector_blocks vector_gaps unjudged reviews recalls usage redactions belief_sources served_sentences'

/** Marks an empty store as being filled from an archive, so that who opens it after a crash finds it and empties it again. */
export const markRestoring = (db: Db): void => {
  const highest = db.get<{ identities: number; devices: number }>(
    sql`select (select coalesce(max(identity), 0) from identities) as identities, (select max(dev) from devices) as devices`,
  )
  writeMeta(db, NAME, JSON.stringify(highest))
}

/** Notes that all is there. */
export const markRestored = (db: Db): void => {
  db.run(sql`delete from meta where name = ${NAME}`)
}

/** Empties a store of which an archive was restored in part; answers whether it was. Nothing else can have been written since. */
export const undoRestoring = (db: Db): boolean => {
  const mark = readMeta(db, NAME)
  if (mark === null) return false
  const { identities, devices } = JSON.parse(String(mark)) as { readonly identities: number; readonly devices: number }
  db.transaction(() => {
    for (const table of FILLED.split(' ')) db.run({ text: `delete from ${table}`, values: [] })
    db.run(sql`insert into lexicon (lexicon) values ('delete-all')`)
    db.run(sql`delete from identities where identity > ${identities}`)
    db.run(sql`delete from devices where dev > ${devices}`)
    markRestored(db)
  })
  return true
}
