import type { Dialect } from './steps.js'

/** Raised with every change of the tables below. */
export const TABLES_VERSION = 1

/**
 * `account_id` leads every key, and no statement spans two accounts: so the tables can be spread over machines by it.
 *
 * - `account`: `next_seq` is the counter whose row lock makes the order of commits the order of places. `digest` sums up all rows.
 *   `erasures` counts what is in force, so that accounts without any pay nothing for it. `gen` is the key generation that is current.
 * - `sync_row`: immutable but for `body`, which redaction and erasure empty. `bytes` is what the body took when it came; `run_hash`
 *   the digest up to here; `extras` the fields that this build does not know, as canonical JSON.
 * - `keyslot`: the wrapped keys of bodies. Dropping one makes every copy of its body unreadable, in backups too, if this table's are
 *   kept for a short time only.
 * - `erasure`: `target` is a namespace, a key in it, or a row that was redacted, which may come later than its redaction.
 * - `token`: hashes of tokens.
 */
export const tablesOf = (dialect: Dialect): readonly string[] => {
  const sqlite = dialect === 'sqlite'
  const int = sqlite ? 'INTEGER' : 'BIGINT'
  const blob = sqlite ? 'BLOB' : 'BYTEA'
  // Byte by byte: the order and equality of ids must not depend on a server's language.
  const text = sqlite ? 'TEXT' : 'TEXT COLLATE "C"'
  const strict = sqlite ? ' STRICT' : ''
  const clustered = sqlite ? ' STRICT, WITHOUT ROWID' : ''
  return [
    `CREATE TABLE IF NOT EXISTS account (
      account_id ${text} NOT NULL PRIMARY KEY, next_seq ${int} NOT NULL, epoch ${text} NOT NULL, digest ${blob} NOT NULL,
      used_bytes ${int} NOT NULL, quota_bytes ${int} NOT NULL, erasures ${int} NOT NULL,
      gen ${int} NOT NULL, pending ${int}, rotated_at ${int}, settings ${text}, settings_version ${int} NOT NULL)${clustered}`,
    `CREATE TABLE IF NOT EXISTS sync_row (
      account_id ${text} NOT NULL, seq ${int} NOT NULL, dev ${text} NOT NULL, dseq ${int} NOT NULL, ver ${int} NOT NULL,
      kind ${text} NOT NULL, nc ${text} NOT NULL, kc ${text}, kepoch ${int} NOT NULL, parents ${text} NOT NULL, human ${int} NOT NULL,
      target ${text}, gen ${int} NOT NULL, bh ${blob}, bytes ${int} NOT NULL, run_hash ${blob} NOT NULL, extras ${text}, body ${blob},
      PRIMARY KEY (account_id, seq))${strict}`,
    'CREATE UNIQUE INDEX IF NOT EXISTS sync_row_id ON sync_row (account_id, dev, dseq)',
    'CREATE INDEX IF NOT EXISTS sync_row_key ON sync_row (account_id, nc, kc)',
    `CREATE TABLE IF NOT EXISTS keyslot (
      account_id ${text} NOT NULL, seq ${int} NOT NULL, gen ${int} NOT NULL, wrapped ${blob} NOT NULL,
      PRIMARY KEY (account_id, seq, gen))${clustered}`,
    `CREATE TABLE IF NOT EXISTS erasure (
      account_id ${text} NOT NULL, target ${text} NOT NULL, kepoch ${int} NOT NULL, PRIMARY KEY (account_id, target))${clustered}`,
    `CREATE TABLE IF NOT EXISTS device (
      account_id ${text} NOT NULL, dev ${text} NOT NULL, cursor ${int} NOT NULL, last_dseq ${int} NOT NULL, seen_at ${int} NOT NULL,
      PRIMARY KEY (account_id, dev))${clustered}`,
    `CREATE TABLE IF NOT EXISTS token (
      account_id ${text} NOT NULL, hash ${blob} NOT NULL, token_id ${text} NOT NULL, label ${text} NOT NULL, namespaces ${text},
      created_at ${int} NOT NULL, expires_at ${int}, revoked_at ${int}, PRIMARY KEY (account_id, hash))${clustered}`,
  ]
}
