import { randomBytes } from 'node:crypto'
import { bytes, first, int, type SqlRow, type Steps, text } from './steps.js'

/** Where an account stands. */
export interface Account {
  readonly id: string
  readonly nextSeq: number
  readonly head: number
  readonly epoch: string
  readonly digest: Buffer
  readonly usedBytes: number
  readonly quotaBytes: number
  readonly erasures: number
  readonly gen: number
  readonly pending: number | null
  readonly settings: string | null
  readonly settingsVersion: number
}

const accountOf = (id: string, row: SqlRow): Account => ({
  id,
  nextSeq: int(row.next_seq),
  head: int(row.next_seq) - 1,
  epoch: text(row.epoch),
  digest: bytes(row.digest),
  usedBytes: int(row.used_bytes),
  quotaBytes: int(row.quota_bytes),
  erasures: int(row.erasures),
  gen: int(row.gen),
  pending: row.pending === null ? null : int(row.pending),
  settings: row.settings === null ? null : text(row.settings),
  settingsVersion: int(row.settings_version),
})

/** The account as it stands. Tokens are made for accounts that are there; one that a JWT names is made with its first request. */
export function* readAccount(id: string): Steps<Account> {
  const row = yield* first('SELECT * FROM account WHERE account_id = ?', id)
  if (row === null) throw new Error('There is no such account.')
  return accountOf(id, row)
}

export function* ensureAccount(id: string, quotaBytes: number): Steps<void> {
  if ((yield* first('SELECT 1 AS found FROM account WHERE account_id = ?', id)) !== null) return
  yield {
    sql: `INSERT INTO account (account_id, next_seq, epoch, digest, used_bytes, quota_bytes, erasures, gen, settings_version)
      VALUES (?, 1, ?, ?, 0, ?, 0, 1, 0) ON CONFLICT (account_id) DO NOTHING`,
    values: [id, randomBytes(8).toString('hex'), Buffer.alloc(32), quotaBytes],
  }
}

export function* setQuota(id: string, quotaBytes: number): Steps<void> {
  yield { sql: 'UPDATE account SET quota_bytes = ? WHERE account_id = ?', values: [quotaBytes, id] }
}

/** Says to all devices that what was acknowledged before no longer counts, as after a backup was put back. */
export function* renewEpoch(id: string): Steps<void> {
  yield { sql: 'UPDATE account SET epoch = ? WHERE account_id = ?', values: [randomBytes(8).toString('hex'), id] }
}
