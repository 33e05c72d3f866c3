import { createHash, randomBytes } from 'node:crypto'
import { all, first, int, type SqlRow, type Steps, text, textOrNull } from './steps.js'

/**
 * `plm.<account>.<secret>`: the account in it makes its row findable within the account's shard. Only a hash of the whole is kept, so
 * that whoever reads the database gets no token.
 */
const TOKEN = /^plm\.([A-Za-z0-9_-]{1,200})\.[A-Za-z0-9_-]{43}$/

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

export interface Token {
  readonly id: string
  readonly account: string
  readonly label: string
  readonly namespaces: readonly string[] | null
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

const timeOrNull = (value: unknown): number | null => (value === null ? null : int(value))

const tokenOf = (row: SqlRow): Token => ({
  id: text(row.token_id),
  account: text(row.account_id),
  label: text(row.label),
  namespaces: textOrNull(row.namespaces)?.split(',') ?? null,
  createdAt: int(row.created_at),
  expiresAt: timeOrNull(row.expires_at),
  revokedAt: timeOrNull(row.revoked_at),
})

export interface Minting {
  readonly account: string
  readonly label: string
  readonly namespaces: readonly string[] | null
  readonly nowMs: number
  readonly expiresAt: number | null
}

/** Returned once and never again. */
export interface Minted {
  readonly id: string
  readonly token: string
}

export function* mintToken({ account, label, namespaces, nowMs, expiresAt }: Minting): Steps<Minted> {
  const id = `t_${randomBytes(6).toString('hex')}`
  const token = `plm.${Buffer.from(account).toString('base64url')}.${randomBytes(32).toString('base64url')}`
  yield {
    sql: `INSERT INTO token (account_id, hash, token_id, label, namespaces, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    values: [account, hashOf(token), id, label, namespaces?.join() ?? null, nowMs, expiresAt],
  }
  return { id, token }
}

/** The token, if it is one that still opens its account. */
export function* findToken(token: string, nowMs: number): Steps<Token | null> {
  const [, encoded] = TOKEN.exec(token) ?? []
  if (encoded === undefined) return null
  const account = Buffer.from(encoded, 'base64url').toString()
  const row = yield* first('SELECT * FROM token WHERE account_id = ? AND hash = ?', account, hashOf(token))
  if (row === null) return null
  const found = tokenOf(row)
  return found.revokedAt === null && (found.expiresAt === null || found.expiresAt > nowMs) ? found : null
}

export function* listTokens(): Steps<readonly Token[]> {
  return (yield* all('SELECT * FROM token ORDER BY account_id, created_at')).map(tokenOf)
}

/** Whether there was such a token that still worked. */
export function* revokeToken(id: string, nowMs: number): Steps<boolean> {
  const rows = yield* all(
    'UPDATE token SET revoked_at = ? WHERE token_id = ? AND revoked_at IS NULL RETURNING token_id',
    nowMs,
    id,
  )
  return rows.length > 0
}
