import { mentionsOf } from '../../src/domain/mention.js'
import type { VersionBody } from '../../src/schema/records.js'
import type { Db } from '../ports.js'
import { sql } from './sql.js'

/** Notes whom and what a memory names and which time it is about, in place of what was noted when it `replaces` a version. */
export const putMentions = (db: Db, memory: number, body: VersionBody, replaces: boolean): void => {
  if (replaces) {
    db.run(sql`delete from mentions where memory = ${memory}`)
    db.run(sql`delete from datings where memory = ${memory}`)
  }
  if (body.status === 'tombstoned' || body.status === 'rejected') return
  for (const [name, role] of mentionsOf(body))
    db.run(sql`insert or ignore into mentions (name, memory, role) values (${name}, ${memory}, ${role})`)
  const at = body.temporalAnchor ?? body.validAt
  if (at !== null) db.run(sql`insert into datings (memory, at) values (${memory}, ${at})`)
}
