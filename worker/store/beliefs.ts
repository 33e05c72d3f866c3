import { isConsolidated } from '../../src/domain/belief.js'
import { idsNamedIn } from '../../src/domain/lineage.js'
import type { Db } from '../ports.js'
import { among, sql } from './sql.js'
import { type Head, headOf, statementOf } from './versions.js'

/** One source of a memory that was made of several, with hashes of both as they were then. */
export interface BeliefSource {
  readonly source: number
  readonly sourceSha256: string
  readonly derivedSha256: string
}

export const beliefSourcesOf = (db: Db, derived: number): readonly BeliefSource[] =>
  db.all<{ source: number; sourceSha256: string; derivedSha256: string }>(
    sql`select source, source_sha256 as sourceSha256, derived_sha256 as derivedSha256 from belief_sources
      where derived = ${derived} order by source`,
  )

/** Memories that were made of some others. */
export const derivedFrom = (db: Db, memories: readonly number[]): readonly number[] =>
  db
    .all<{ derived: number }>(
      sql`select distinct derived from belief_sources where source in ${among(memories)} order by derived`,
    )
    .map(({ derived }) => derived)

/** Notes what a memory was made of, in place of what was noted before. */
export const keepBeliefSources = (
  db: Db,
  derived: number,
  derivedSha256: string,
  sources: readonly { readonly memory: number; readonly sha256: string }[],
): void => {
  dropBeliefSources(db, derived)
  for (const { memory, sha256 } of sources)
    db.run(
      sql`insert into belief_sources (derived, source, source_sha256, derived_sha256) values (${derived}, ${memory}, ${sha256},
        ${derivedSha256})`,
    )
}

/** Forgets what a memory was made of: it speaks for itself. */
export const dropBeliefSources = (db: Db, derived: number): void => {
  db.run(sql`delete from belief_sources where derived = ${derived}`)
}

/** Notes anew what memories were made of, from what they name: in a store that was filled from elsewhere. */
export const rebuildBeliefSources = (db: Db): void => {
  const rows = db.all<{ memory: number }>(sql`select memory from heads where type = 'summary'`)
  for (const { memory } of rows) {
    const head = headOf(db, memory) as Head
    if (!isConsolidated(head.body)) continue
    const { ver } = statementOf(db, head)
    const sources = idsNamedIn(head.body.sourceResourceId).flatMap((id) =>
      db.all<{ memory: number; sha256: string }>(
        sql`select v.memory, v.body ->> '$.contentSha256' as sha256 from heads h join versions v on v.memory = h.memory
          where h.memory_id = ${id} and v.ver < ${ver} and v.body is not null order by v.ver desc limit 1`,
      ),
    )
    keepBeliefSources(db, memory, head.body.contentSha256, sources)
  }
}
