import type { Hono } from 'hono'
import {
  HeadsRequest,
  HistoryRequest,
  MAX_PULL_BYTES,
  MAX_PULL_ROWS,
  PullRequest,
  PushRequest,
  type REBASE_REASONS,
} from '../../src/schema/sync-wire.js'
import { checkRow } from '../rows/check-row.js'
import { type Account, readAccount } from '../store/accounts.js'
import { digestAt, pageAfter, pageBefore, rebaseReason, rowsAt } from '../store/pages.js'
import { push } from '../store/push.js'
import type { Steps } from '../store/steps.js'
import type { Env, Parts } from './app.js'
import { jsonAnswer, readBody } from './body.js'
import { hintStream } from './hint-stream.js'

/** What every answer says, as the inside of a JSON object. */
export const standing = ({ epoch, head, digest, gen }: Account, nowMs: number): string =>
  `"epoch":"${epoch}","head":${head},"digest":"${digest.toString('hex')}","gen":${gen},"now":${Math.trunc(nowMs)}`

type Rebase = { readonly account: Account; readonly rebase: (typeof REBASE_REASONS)[number] }

export const rowRoutes = (app: Hono<Env>, parts: Parts): void => {
  const { db, metrics, hints, heads, cursors, nowMs } = parts

  const rebased = ({ account, rebase }: Rebase): string => {
    metrics.count('palimpsest_rebases_total', { reason: rebase })
    return `{${standing(account, nowMs())},"rebase":"${rebase}"}`
  }
  const handedOut = (rows: readonly string[]): string => {
    metrics.count('palimpsest_pulled_rows_total', {}, rows.length)
    return `[${rows.join()}]`
  }

  app.post('/v1/push', async (c) => {
    const { account: id, namespaces } = c.get('caller')
    const { dev, rows } = await readBody(c.env.incoming, PushRequest)
    const { account, results } = await push(db, id, dev, rows.map(checkRow), { nowMs: nowMs(), namespaces })
    const counts = new Map<string, number>()
    for (const { status } of results) counts.set(status, (counts.get(status) ?? 0) + 1)
    for (const [status, count] of counts) metrics.count('palimpsest_pushed_rows_total', { status }, count)
    if (counts.has('ok')) hints.moved(id, account)
    return jsonAnswer(c.env.incoming, `{${standing(account, nowMs())},"results":${JSON.stringify(results)}}`)
  })

  app.post('/v1/pull', async (c) => {
    const { account: id, namespaces } = c.get('caller')
    const request = await readBody(c.env.incoming, PullRequest)
    const reading = { limit: request.limit ?? MAX_PULL_ROWS, namespaces }
    const answer = await db.read(function* (): Steps<string> {
      const account = yield* readAccount(id)
      const rebase = yield* rebaseReason(account, request)
      if (rebase !== null) return rebased({ account, rebase })
      const { rows, last, more } = yield* pageAfter(account, request.cursor, reading)
      const sum = yield* digestAt(id, last)
      cursors.note(id, request.dev, last, nowMs())
      return `{${standing(account, nowMs())},"rows":${handedOut(rows)},"cursor":${last},"cursorDigest":"${sum}","more":${more}}`
    })
    return jsonAnswer(c.env.incoming, answer)
  })

  app.post('/v1/history', async (c) => {
    const { account: id, namespaces } = c.get('caller')
    const request = await readBody(c.env.incoming, HistoryRequest)
    const reading = { limit: request.limit ?? MAX_PULL_ROWS, namespaces }
    const answer = await db.read(function* (): Steps<string> {
      const account = yield* readAccount(id)
      if (request.epoch !== account.epoch) return rebased({ account, rebase: 'epoch' })
      if (request.before > account.head + 1) return rebased({ account, rebase: 'cursor' })
      const { rows, last, more } = yield* pageBefore(account, request.before, reading)
      const before = rows.length === 0 ? request.before : last
      const below = yield* digestAt(id, Math.max(0, before - 1))
      return `{${standing(account, nowMs())},"rows":${handedOut(rows)},"before":${before},"below":"${below}","more":${more}}`
    })
    return jsonAnswer(c.env.incoming, answer)
  })

  app.post('/v1/heads', async (c) => {
    const { account: id, namespaces } = c.get('caller')
    const { limit = MAX_PULL_ROWS, at, before } = await readBody(c.env.incoming, HeadsRequest)
    const account = await db.read(() => readAccount(id))
    const page = await heads.page(account, { at, before, limit, maxBytes: MAX_PULL_BYTES })
    const rows = await db.read(() => rowsAt(db, account, page.places, { limit, namespaces }))
    const where = `"at":${page.at},"atDigest":"${page.atDigest}","before":${page.before},"more":${page.more}`
    return jsonAnswer(c.env.incoming, `{${standing(account, nowMs())},"rows":${handedOut(rows)},${where}}`)
  })

  app.get('/v1/hints', (c) => hintStream(c, parts))
}
