import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { type Config, isPostgres } from './config.js'
import { openHints } from './hints.js'
import { openApp } from './http/app.js'
import { openAuthenticate } from './http/auth.js'
import { type Log, toldOf } from './log.js'
import { openMetrics } from './metrics.js'
import { openCursors } from './store/devices.js'
import { openHeadIndex } from './store/heads.js'
import { dropOldSlots } from './store/keys.js'
import { openPostgres } from './store/postgres.js'
import { openSqlite } from './store/sqlite.js'
import { all, type Db, text } from './store/steps.js'

const LOOK_MS = 1_000
const FLUSH_MS = 5_000
const TIDY_MS = 60 * 60 * 1_000
/** How long requests that are being answered may take when the server stops. */
const DRAIN_MS = 10_000

export interface Serving {
  readonly url: string
  readonly db: Db
  readonly stop: () => Promise<void>
}

export const openDb = async (database: string): Promise<Db> =>
  isPostgres(database) ? await openPostgres(database) : openSqlite(database)

export interface ServeOptions {
  readonly config: Config
  readonly log: Log
  readonly nowMs?: () => number
}

/** Puts the parts together and listens. */
export const serve = async ({ config, log, nowMs = Date.now }: ServeOptions): Promise<Serving> => {
  const db = await openDb(config.database)
  const stopping = new AbortController()
  const metrics = openMetrics()
  const hints = openHints(db)
  const cursors = openCursors(db)
  const authenticate = await openAuthenticate(db, config.jwt, nowMs)
  metrics.gauge('palimpsest_hint_streams', hints.open)
  metrics.gauge('palimpsest_resident_bytes', () => process.memoryUsage().rss)
  const parts = { db, config, log, metrics, hints, cursors, authenticate, nowMs, heads: openHeadIndex(db) }
  const app = openApp({ ...parts, stopping: stopping.signal })
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server
  // A client that sends a byte now and then must not hold a connection for good.
  server.requestTimeout = 30_000
  server.headersTimeout = 10_000

  const repeat = (ms: number, work: () => Promise<void>) =>
    setInterval(() => void work().catch((error) => log('error', 'background', toldOf(error))), ms)
  const timers = [repeat(LOOK_MS, hints.look), repeat(FLUSH_MS, cursors.flush), repeat(TIDY_MS, () => tidy(db, nowMs()))]

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
  log('info', 'listening', { url, store: db.dialect })

  const stop = async () => {
    stopping.abort()
    for (const timer of timers) clearInterval(timer)
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
    await closed
    clearTimeout(late)
    await cursors.flush()
    await db.close()
    log('info', 'stopped')
  }
  return { url, db, stop }
}

const tidy = async (db: Db, nowMs: number): Promise<void> => {
  const accounts = await db.read(() => all('SELECT account_id FROM account WHERE rotated_at IS NOT NULL'))
  for (const { account_id } of accounts) {
    const id = text(account_id)
    await db.locked(id, () => dropOldSlots(id, nowMs))
  }
}
