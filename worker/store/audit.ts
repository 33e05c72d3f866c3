import { sha256Hex } from '../../src/domain/sha256.js'
import type { Db } from '../ports.js'
import { sql } from './sql.js'

/** One thing that was done or refused, by hashes only. */
export interface AuditEntry {
  readonly at: number
  readonly actor: string
  readonly identity: number | null
  readonly action: string
  readonly memoryId: string | null
  readonly key: string | null
  readonly contentSha256: string | null
  /** `ok` or the code of the refusal. */
  readonly outcome: string
}

/** Adds a row to the audit. Keys are hashed with a salt of this file, since a bare hash of a short key can be guessed. */
export const insertAudit = (db: Db, salt: string, entry: AuditEntry): void => {
  const keyHash = entry.key === null ? null : sha256Hex(`${salt}/${entry.key}`).slice(0, 32)
  db.run(
    sql`insert into audit (at, actor, identity, action, memory_id, key_hash, content_sha256, outcome) values (${entry.at},
      ${entry.actor}, ${entry.identity}, ${entry.action}, ${entry.memoryId}, ${keyHash}, ${entry.contentSha256},
      ${entry.outcome})`,
  )
}
