import type { LinkedMemory } from '../../src/domain/lineage.js'
import type { Status } from '../../src/schema/records.js'
import type { Db } from '../ports.js'
import { among, sql } from './sql.js'

/** What a memory says of others, without its value. */
export interface LinkRow extends LinkedMemory {
  readonly memory: number
  readonly key: string
  readonly status: Status
  readonly isSensitive: boolean
  readonly sourceTrace: string | null
  readonly conflictWith: readonly string[]
  readonly entities: readonly string[]
}

interface StoredLinks {
  memory: number
  memory_id: string
  key: string
  status: Status
  sensitive: number
  resource: string | null
  trace: string | null
  superseded_by: string | null
  duplicate_of: string | null
  conflict_with: string | null
  entities: string | null
}

/** What the heads of some identities say of others, in the order of their memories: a page of them after one. */
export const linksAfter = (db: Db, identities: readonly number[], memory: number, limit: number): readonly LinkRow[] =>
  db
    .all<StoredLinks>(
      // Not indexed: by row id. The planner would sort all heads of the identities for every page instead.
      sql`select h.memory, h.memory_id, h.key, h.status, h.sensitive, v.body ->> '$.sourceResourceId' as resource,
        v.body ->> '$.sourceTrace' as trace, v.body ->> '$.supersededBy' as superseded_by, v.body ->> '$.duplicateOf' as duplicate_of,
        v.body -> '$.conflictWith' as conflict_with, v.body -> '$.entities' as entities
        from heads h not indexed join versions v on v.row = h.row
        where h.memory > ${memory} and h.identity in ${among(identities)} order by h.memory limit ${limit}`,
    )
    .map((row) => ({
      memory: row.memory,
      id: row.memory_id,
      key: row.key,
      status: row.status,
      isSensitive: row.sensitive === 1,
      sourceResourceId: row.resource,
      sourceTrace: row.trace,
      supersededBy: row.superseded_by,
      duplicateOf: row.duplicate_of,
      conflictWith: row.conflict_with === null ? [] : (JSON.parse(row.conflict_with) as string[]),
      entities: row.entities === null ? [] : (JSON.parse(row.entities) as string[]),
    }))
