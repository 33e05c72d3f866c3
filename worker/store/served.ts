import type { Db } from '../ports.js'
import { among, sql } from './sql.js'

/** Notes sentences that were handed out under an identity, and forgets what is too old or too much. */
export const noteServedHashes = (
  db: Db,
  identity: number,
  hashes: readonly number[],
  bounds: { readonly nowMs: number; readonly since: number; readonly most: number },
): void => {
  for (const hash of hashes)
    db.run(sql`insert or replace into served_sentences (identity, hash, at) values (${identity}, ${hash}, ${bounds.nowMs})`)
  db.run(sql`delete from served_sentences where identity = ${identity} and at < ${bounds.since}`)
  db.run(sql`delete from served_sentences where identity = ${identity} and hash in (select hash from served_sentences
    where identity = ${identity} order by at desc, hash limit -1 offset ${bounds.most})`)
}

/** How many of some sentences were handed out under any of some identities since a moment. */
export const countServed = (db: Db, identities: readonly number[], hashes: readonly number[], since: number): number =>
  db.get<{ n: number }>(
    sql`select count(distinct hash) as n from served_sentences where identity in ${among(identities)}
      and hash in ${among(hashes)} and +at >= ${since}`,
  )?.n ?? 0
