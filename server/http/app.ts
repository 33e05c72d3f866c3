import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { PROTOCOL_HEADER, SYNC_PROTOCOL, SYNC_PROTOCOL_MIN } from '../../src/schema/sync-wire.js'
import type { Config } from '../config.js'
import type { Hints } from '../hints.js'
import { type Log, toldOf } from '../log.js'
import type { Metrics } from '../metrics.js'
import { ensureAccount } from '../store/accounts.js'
import type { Cursors } from '../store/devices.js'
import type { HeadIndex } from '../store/heads.js'
import { type Db, first } from '../store/steps.js'
import type { Authenticate, Caller } from './auth.js'
import { corsHeaders, preflight } from './cors.js'
import { openLimit } from './limits.js'
import { Refused, refuse } from './refused.js'
import { accountRoutes } from './routes-account.js'
import { rowRoutes } from './routes-rows.js'

export interface Parts {
  readonly db: Db
  readonly config: Config
  readonly log: Log
  readonly metrics: Metrics
  readonly hints: Hints
  readonly heads: HeadIndex
  readonly cursors: Cursors
  readonly authenticate: Authenticate
  readonly nowMs: () => number
  /** Ends when the server stops: what would go on for ever ends with it. */
  readonly stopping: AbortSignal
}

export interface Env {
  Bindings: HttpBindings
  Variables: { caller: Caller }
}
export type Asked = Context<Env>

/** Requests that write to an account count as pushes; all others as pulls. */
const WRITES = new Set(['/v1/push', '/v1/keyslots', '/v1/rotation'])

export const openApp = (parts: Parts): Hono<Env> => {
  const { db, config, log, metrics, authenticate, nowMs, stopping } = parts
  const pushes = openLimit(config.pushesPerMinute, nowMs)
  const pulls = openLimit(config.pullsPerMinute, nowMs)
  const app = new Hono<Env>()

  app.use(async (c, next) => {
    const start = performance.now()
    await next()
    const seconds = (performance.now() - start) / 1_000
    // The route as it is written here, never the path that was asked for.
    const route = KNOWN.has(c.req.path) ? c.req.path : 'other'
    const { status } = c.res
    metrics.count('palimpsest_requests_total', { route, method: METHODS.has(c.req.method) ? c.req.method : 'other', status })
    metrics.observe('palimpsest_request_seconds', seconds, { route })
    const caller = c.get('caller') as Caller | undefined
    const who = { account: caller?.account, token: caller?.tokenId }
    log(status >= 500 ? 'error' : 'info', 'request', { route, status, ms: Math.round(seconds * 1e5) / 100, ...who })
  })

  app.use(async (c, next) => {
    const origin = c.req.header('origin')
    if (c.req.method === 'OPTIONS') return preflight(config.origins, origin)
    await next()
    for (const [name, value] of corsHeaders(config.origins, origin)) c.res.headers.set(name, value)
    c.res.headers.set(PROTOCOL_HEADER, String(SYNC_PROTOCOL))
    return undefined
  })

  app.get('/healthz', (c) => c.text('ok'))
  app.get('/readyz', async (c) => {
    if (stopping.aborted) throw refuse(503, 'stopping')
    await db.read(() => first('SELECT 1 AS up'))
    return c.text('ok')
  })
  app.get('/metrics', (c) => {
    if (config.metricsToken !== null && c.req.header('authorization') !== `Bearer ${config.metricsToken}`)
      throw refuse(401, 'token')
    return c.text(metrics.text(), 200, { 'content-type': 'text/plain; version=0.0.4' })
  })

  app.use('/v1/*', async (c, next) => {
    const spoken = Number(c.req.header(PROTOCOL_HEADER))
    if (!(spoken >= SYNC_PROTOCOL_MIN && spoken <= SYNC_PROTOCOL))
      throw new Refused(426, { error: 'protocol', min: SYNC_PROTOCOL_MIN, max: SYNC_PROTOCOL }, { upgrade: PROTOCOL_HEADER })
    const caller = await authenticate(c.req.header('authorization'))
    c.set('caller', caller)
    const writes = WRITES.has(c.req.path) || c.req.method === 'PUT'
    ;(writes ? pushes : pulls).take(caller.account)
    if (caller.mayCreate) await db.write(caller.account, () => ensureAccount(caller.account, config.quotaBytes))
    await next()
  })
  rowRoutes(app, parts)
  accountRoutes(app, parts)

  app.notFound((c) => c.json({ error: 'not_found' }, 404))
  app.onError((error, c) => {
    if (error instanceof Refused) return c.json(error.body, error.status, { ...error.headers })
    log('error', 'failed', toldOf(error))
    return c.json({ error: 'internal' }, 500)
  })
  return app
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'OPTIONS'])
const KNOWN = new Set([
  '/healthz',
  '/readyz',
  '/metrics',
  '/v1/push',
  '/v1/pull',
  '/v1/heads',
  '/v1/history',
  '/v1/hints',
  '/v1/devices',
  '/v1/account',
  '/v1/keyslots',
  '/v1/keyslots/read',
  '/v1/rotation',
  '/v1/erasures',
  '/v1/status',
])
