import { parseArgs } from 'node:util'
import { configOf } from './config.js'
import { AccountName } from './http/auth.js'
import { openDb } from './serve.js'
import { ensureAccount, readAccount, renewEpoch, setQuota } from './store/accounts.js'
import type { Db } from './store/steps.js'
import { listTokens, mintToken, revokeToken } from './store/tokens.js'

const USAGE = `Usage:
  tokens mint --account NAME [--label TEXT] [--days N] [--namespaces A,B]
  tokens list
  tokens revoke --id ID
  tokens quota --account NAME --bytes N
  tokens new-epoch --account NAME      after a backup was put back
`

const DAY = 24 * 60 * 60 * 1_000

interface Options {
  readonly account?: string | undefined
  readonly label?: string | undefined
  readonly days?: string | undefined
  readonly namespaces?: string | undefined
  readonly id?: string | undefined
  readonly bytes?: string | undefined
}

class UsageError extends Error {}

const accountIn = ({ account }: Options): string => {
  const parsed = AccountName.safeParse(account)
  if (!parsed.success) throw new UsageError('--account must be 1 to 64 letters, digits and _ . : @ | -')
  return parsed.data
}

const positive = (value: string | undefined, name: string): number => {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1) throw new UsageError(`--${name} must be a positive whole number`)
  return number
}

const commands: Readonly<Record<string, (db: Db, options: Options, quotaBytes: number) => Promise<string>>> = {
  mint: async (db, options, quotaBytes) => {
    const account = accountIn(options)
    const nowMs = Date.now()
    const expiresAt = options.days === undefined ? null : nowMs + positive(options.days, 'days') * DAY
    const namespaces = options.namespaces?.split(',') ?? null
    await db.write(account, () => ensureAccount(account, quotaBytes))
    const minting = { account, label: options.label ?? '', namespaces, nowMs, expiresAt }
    const { id, token } = await db.write(account, () => mintToken(minting))
    return `${id}\n${token}`
  },
  list: async (db) => {
    const state = ({ revokedAt, expiresAt }: { revokedAt: number | null; expiresAt: number | null }) =>
      revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt <= Date.now() ? 'expired' : 'works'
    const tokens = await db.read(listTokens)
    return tokens.map((token) => [token.id, token.account, state(token), token.label].join('\t')).join('\n')
  },
  revoke: async (db, { id = '' }) => {
    if (await db.write('', () => revokeToken(id, Date.now()))) return `${id} is revoked`
    throw new UsageError('There is no such token, or it was revoked before.')
  },
  quota: async (db, options) => {
    const account = accountIn(options)
    await db.write(account, () => setQuota(account, positive(options.bytes, 'bytes')))
    return `${(await db.read(() => readAccount(account))).quotaBytes}`
  },
  'new-epoch': async (db, options) => {
    const account = accountIn(options)
    await db.write(account, () => renewEpoch(account))
    return (await db.read(() => readAccount(account))).epoch
  },
}

const string = { type: 'string' } as const

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { account: string, label: string, days: string, namespaces: string, id: string, bytes: string },
  })
  const command = commands[positionals[0] ?? '']
  if (command === undefined) throw new UsageError(USAGE)
  const config = configOf(process.env)
  const db = await openDb(config.database)
  try {
    process.stdout.write(`${await command(db, values, config.quotaBytes)}\n`)
  } finally {
    await db.close()
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
