import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { configOf } from '../../config.js'
import { openLog } from '../../log.js'
import { type Serving, serve } from '../../serve.js'
import { ensureAccount } from '../../store/accounts.js'
import { mintToken } from '../../store/tokens.js'

export const ORIGIN = 'https://app.example'

export interface TestServer extends Serving {
  readonly token: string
  readonly tokenId: string
  readonly log: readonly string[]
  /** Moved by tests. */
  readonly clock: { nowMs: number }
  readonly ask: (path: string, options?: AskOptions) => Promise<Response>
  readonly mint: (options?: { account?: string; namespaces?: readonly string[]; expiresAt?: number }) => Promise<string>
}

export interface AskOptions {
  readonly method?: string
  readonly json?: unknown
  readonly body?: Uint8Array | string
  readonly gzip?: boolean
  readonly token?: string | null
  readonly headers?: Record<string, string>
}

/** A server on a port of its own, for as long as a test runs. */
export const startServer = async (env: Record<string, string> = {}, database = ':memory:'): Promise<TestServer> => {
  const log: string[] = []
  const clock = { nowMs: Date.UTC(2026, 5, 1) }
  const config = configOf({ PORT: '0', DATABASE_URL: database, PALIMPSEST_ORIGINS: ORIGIN, ...env })
  const serving = await serve({ config, log: openLog((line) => void log.push(line), 'debug'), nowMs: () => clock.nowMs })
  onTestFinished(() => serving.stop())
  const minted = async ({
    account = 'alice',
    namespaces = null as readonly string[] | null,
    expiresAt = null as number | null,
  }) => {
    await serving.db.write(account, () => ensureAccount(account, config.quotaBytes))
    const minting = { account, label: '', namespaces, nowMs: clock.nowMs, expiresAt }
    return await serving.db.write(account, () => mintToken(minting))
  }
  const first = await minted({})
  return {
    ...serving,
    token: first.token,
    tokenId: first.id,
    log,
    clock,
    mint: async (options = {}) => (await minted(options)).token,
    ask: async (path, { method, json, body, gzip = false, token = first.token, headers = {} } = {}) => {
      const plain = json === undefined ? body : JSON.stringify(json)
      const sent = plain !== undefined && gzip ? gzipSync(plain) : plain
      return await fetch(`${serving.url}${path}`, {
        method: method ?? (sent === undefined ? 'GET' : 'POST'),
        headers: {
          'palimpsest-protocol': '1',
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(sent !== undefined && { 'content-type': 'application/json' }),
          ...(gzip && { 'content-encoding': 'gzip' }),
          ...headers,
        },
        ...(sent !== undefined && { body: typeof sent === 'string' ? sent : new Uint8Array(sent) }),
      })
    },
  }
}
