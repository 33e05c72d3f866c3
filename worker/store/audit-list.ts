import type { AuditRow } from '../../src/schema/provenance.js'
import type { Db } from '../ports.js'
import { among, join, sql } from './sql.js'

/** A row of the audit, with its place in it and the identity of who acted. */
export type AuditEntryRow = Omit<AuditRow, 'scope'> & { readonly entry: number; readonly identity: number }

/** Which rows are wanted; null wants all. */
export interface AuditRange {
  readonly from: number | null
  readonly to: number | null
  readonly action: string | null
  /** Only rows that were written before this one. */
  readonly before: number | null
  readonly limit: number
}

interface StoredEntry {
  entry: number
  at: number
  actor: string
  identity: number
  action: string
  memory_id: string | null
  key_hash: string | null
  content_sha256: string | null
  outcome: string
}

/**
 * Rows of the audit that some identities may see, newest first. Both who acted and what it was done to count: a handle of all users
 * deletes memories of one, and the hash of a short value can be guessed. An id that no memory has is that of a rule.
 */
export const auditBefore = (db: Db, identities: readonly number[], range: AuditRange): readonly AuditEntryRow[] => {
  const conditions = [
    sql`a.identity in ${among(identities)}`,
    sql`(a.memory_id is null
      or exists (select 1 from heads h where h.memory_id = a.memory_id and h.identity in ${among(identities)})
      or (a.content_sha256 is null and not exists (select 1 from heads h where h.memory_id = a.memory_id)))`,
    ...(range.before === null ? [] : [sql`a.entry < ${range.before}`]),
    ...(range.from === null ? [] : [sql`a.at >= ${range.from}`]),
    ...(range.to === null ? [] : [sql`a.at < ${range.to}`]),
    ...(range.action === null ? [] : [sql`a.action = ${range.action}`]),
  ]
  return db
    .all<StoredEntry>(
      sql`select a.entry, a.at, a.actor, a.identity, a.action, a.memory_id, a.key_hash, a.content_sha256, a.outcome from audit a
        where ${join(conditions, ' and ')} order by a.entry desc limit ${range.limit}`,
    )
    .map(({ memory_id, key_hash, content_sha256, ...row }) => ({
      ...row,
      memoryId: memory_id,
      keyHash: key_hash,
      contentSha256: content_sha256,
    }))
}

/** How many rows of the audit name a memory, of those that some identities may see. */
export const countAudited = (db: Db, identities: readonly number[], memoryId: string): number =>
  db.get<{ n: number }>(
    sql`select count(*) as n from audit where memory_id = ${memoryId} and identity in ${among(identities)}`,
  )?.n ?? 0
