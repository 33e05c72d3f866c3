import { HOLDS_KEY } from '../../src/domain/version.js'
import type { Db } from '../ports.js'
import { among, sql } from './sql.js'
import { type Head, type HeadRow, headColumns, rowToHead } from './versions.js'

/** What an identity holds that names one of these as its source. No index: it is asked when a document has changed, and few memories have one. */
export const headsFromSources = (db: Db, identity: number, sources: readonly string[]): readonly Head[] =>
  db
    .all<HeadRow>(
      sql`select ${headColumns} from heads h join versions v on v.row = h.row
        where h.identity = ${identity} and h.status in ${among(HOLDS_KEY)}
        and v.body ->> '$.sourceResourceId' in ${among(sources)} order by h.memory`,
    )
    .map(rowToHead)
