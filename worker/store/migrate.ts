import { MemoryError } from '../../src/protocol/errors.js'
import type { Db } from '../ports.js'
import { core } from './migrations/0001-core.js'
import { search } from './migrations/0002-search.js'
import { blacklist } from './migrations/0003-blacklist.js'
import { policies } from './migrations/0004-policies.js'
import { moments } from './migrations/0005-moments.js'
import { usage } from './migrations/0006-usage.js'
import { history } from './migrations/0007-history.js'
import { erasures } from './migrations/0008-erasures.js'
import { keeping } from './migrations/0009-keeping.js'
import { mentions } from './migrations/0010-mentions.js'
import { neighbours } from './migrations/0011-neighbours.js'
import { learning } from './migrations/0013-learning.js'
import { offloads } from './migrations/0014-offloads.js'
import { sql } from './sql.js'

/** In order; the n-th brings a database to version n. */
export const MIGRATIONS: readonly (readonly string[])[] = [
  core,
  search,
  blacklist,
  policies,
  moments,
  usage,
  history,
  erasures,
  keeping,
  mentions,
  neighbours,
  learning,
  offloads,
]

/** Brings a database to the newest version, each step with its number in one transaction. Refuses a newer database. */
export const migrate = (db: Db): { readonly from: number; readonly to: number } => {
  const from = db.get<{ user_version: number }>(sql`pragma user_version`)?.user_version ?? 0
  if (from > MIGRATIONS.length)
    throw new MemoryError('SCHEMA_TOO_NEW', 'This store was written by a newer version of the library. Reload the page.', {
      supported: MIGRATIONS.length,
      found: from,
    })
  MIGRATIONS.slice(from).forEach((statements, i) => {
    db.transaction(() => {
      for (const statement of statements) db.script(statement)
      db.script(`pragma user_version = ${from + i + 1}`)
    })
  })
  return { from, to: MIGRATIONS.length }
}
