import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { EMPTY_DIGEST } from '../../src/domain/sync/row-digest.js'
import {
  DevicesResponse,
  ErasuresResponse,
  RotationResponse,
  SettingsResponse,
  SlotsReadResponse,
  SlotsResponse,
  StatusResponse,
} from '../../src/schema/sync-account.js'
import { HeadsResponse, HistoryResponse, PullResponse, PushResponse, Refusal } from '../../src/schema/sync-wire.js'
import { encryptedRows, idOf, newDevice, rowOf, rowsOf } from './support/rows.js'
import { type AskOptions, ORIGIN, startServer, type TestServer } from './support/serving.js'

const DEV = newDevice()
const pushed = (rows: readonly unknown[]): AskOptions => ({ json: { dev: DEV, rows } })
const pulled = (cursor = 0, digest = EMPTY_DIGEST, epoch: string | null = null) => ({
  json: { dev: DEV, cursor, digest, epoch },
})

const answered = async <Schema extends z.ZodMiniType>(
  response: Promise<Response>,
  schema: Schema,
): Promise<z.infer<Schema>> => {
  const found = await response
  expect(found.status).toBe(200)
  expect(found.headers.get('palimpsest-protocol')).toBe('1')
  return schema.parse(await found.json())
}

const refused = async (response: Promise<Response>): Promise<[number, Refusal]> => {
  const found = await response
  return [found.status, Refusal.parse(await found.json())]
}

describe('rows over HTTP', () => {
  test('go in by push and come out by pull, heads and history', async () => {
    const { ask } = await startServer()
    const rows = [...rowsOf(3), rowOf({ dev: newDevice(), kind: 'later-kind', later: ['kept'] })]
    const { results, epoch, head } = await answered(ask('/v1/push', { ...pushed(rows), gzip: true }), PushResponse)
    expect([results.map(({ status }) => status), head]).toEqual([['ok', 'ok', 'ok', 'ok'], 4])
    const page = await answered(ask('/v1/pull', pulled()), PullResponse)
    if ('rebase' in page) throw new Error('nothing was read before')
    expect(page.rows.map(({ row }) => row)).toEqual(rows)
    expect([page.cursor, page.cursorDigest, page.more]).toEqual([4, page.digest, false])
    const heads = await answered(ask('/v1/heads', { json: { dev: DEV, at: null, before: null } }), HeadsResponse)
    expect(heads.rows.map(({ seq }) => seq)).toEqual([3, 2, 1])
    expect([heads.at, heads.atDigest]).toEqual([4, page.digest])
    const history = await answered(ask('/v1/history', { json: { dev: DEV, before: 3, epoch, limit: 1 } }), HistoryResponse)
    if ('rebase' in history) throw new Error('the epoch is that of the server')
    expect([history.rows.map(({ seq }) => seq), history.before, history.more]).toEqual([[2], 2, true])
  })

  test('that are bad are refused alone', async () => {
    const { ask } = await startServer()
    const [good, other] = rowsOf(2)
    const { results } = await answered(ask('/v1/push', pushed([good, { ...other, ver: 'soon' }, 'row'])), PushResponse)
    expect(results).toEqual([
      { status: 'ok', seq: 1 },
      { status: 'invalid', reason: 'ver' },
      { status: 'invalid', reason: 'row' },
    ])
  })

  test('are asked for again from the start by who remembers others', async () => {
    const { ask } = await startServer()
    await ask('/v1/push', pushed(rowsOf(2)))
    expect(await answered(ask('/v1/pull', pulled(2)), PullResponse)).toMatchObject({ rebase: 'digest' })
    expect(await answered(ask('/v1/pull', pulled(3)), PullResponse)).toMatchObject({ rebase: 'cursor' })
    expect(await answered(ask('/v1/pull', pulled(0, EMPTY_DIGEST, 'old')), PullResponse)).toMatchObject({ rebase: 'epoch' })
    const history = ask('/v1/history', { json: { dev: DEV, before: 1, epoch: 'old' } })
    expect(await answered(history, HistoryResponse)).toMatchObject({ rebase: 'epoch' })
  })

  test('come compressed to who reads that', async () => {
    const { ask } = await startServer()
    await ask('/v1/push', pushed(rowsOf(20)))
    const packed = await ask('/v1/pull', pulled())
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    const plain = await ask('/v1/pull', { ...pulled(), headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(((await plain.json()) as { rows: unknown[] }).rows).toEqual(((await packed.json()) as { rows: unknown[] }).rows)
  })
})

describe('an account over HTTP', () => {
  test('tells of its devices, its erasures and how full it is', async () => {
    const { ask } = await startServer({ PALIMPSEST_QUOTA_BYTES: '5000' })
    await ask('/v1/push', pushed([rowOf()]))
    await ask('/v1/push', pushed([rowOf({ dev: newDevice(), kind: 'erase', kc: null, kepoch: 4, body: null })]))
    await ask('/v1/pull', pulled())
    const { devices } = await answered(ask('/v1/devices'), DevicesResponse)
    expect(devices).toHaveLength(3)
    const { erasures } = await answered(ask('/v1/erasures'), ErasuresResponse)
    expect(erasures).toMatchObject([{ kc: null, kepoch: 4 }])
    expect(await answered(ask('/v1/status'), StatusResponse)).toMatchObject({
      quotaBytes: 5_000,
      usedBytes: 800,
      devices: 3,
    })
  })

  test('keeps its wrapped keys and rotates them', async () => {
    const { ask } = await startServer()
    const rows = encryptedRows(2, 30)
    const { head, digest } = await answered(ask('/v1/push', pushed(rows)), PushResponse)
    expect(await answered(ask('/v1/account'), SettingsResponse)).toMatchObject({ version: 0, settings: null, pending: null })
    const put = { method: 'PUT', json: { expected: 0, settings: '{"kdf":"…"}' } }
    expect(await answered(ask('/v1/account', put), SettingsResponse)).toMatchObject({ stored: true, version: 1 })
    expect(await answered(ask('/v1/account', put), SettingsResponse)).toMatchObject({
      stored: false,
      settings: '{"kdf":"…"}',
    })
    const step = (json: object) =>
      answered(ask('/v1/rotation', { json: { gen: 2, head, digest, ...json } }), RotationResponse)
    expect(await step({ step: 'begin' })).toMatchObject({ outcome: 'done', pending: 2 })
    const slots = rows.map((row) => ({ id: idOf(row), slot: 'AAAA' }))
    expect(await answered(ask('/v1/keyslots', { json: { gen: 2, slots } }), SlotsResponse)).toMatchObject({ stored: 2 })
    const read = ask('/v1/keyslots/read', { json: { gen: 2, after: 0 } })
    expect((await answered(read, SlotsReadResponse)).slots.map(({ id, slot }) => ({ id, slot }))).toEqual(slots)
    const end = { step: 'commit', expected: 1, settings: 'new' }
    expect(await step(end)).toMatchObject({ outcome: 'done', gen: 2, version: 2, pending: null })
    expect(await step({ step: 'abort' })).toMatchObject({ outcome: 'generation' })
  })

  test('of a token for some namespaces keeps its keys to itself', async () => {
    const { ask, mint } = await startServer()
    const token = await mint({ namespaces: [rowOf().nc] })
    expect((await ask('/v1/push', { ...pushed([rowOf()]), token })).status).toBe(200)
    const put = ask('/v1/account', { method: 'PUT', json: { expected: 0, settings: '' }, token })
    expect(await refused(put)).toEqual([403, { error: 'namespaces' }])
  })

  test('hears that it moved', async () => {
    const server = await startServer()
    const response = await server.ask('/v1/hints')
    const lines = linesOf(response)
    expect(await lines.next()).toMatchObject({ value: { head: 0 } })
    await server.ask('/v1/push', pushed(rowsOf(3)))
    expect(await lines.next()).toMatchObject({ value: { head: 3 } })
    await server.ask('/v1/push', { ...pushed(rowsOf(1)), token: await server.mint({ account: 'bob' }) })
    await server.ask('/v1/push', pushed(rowsOf(1)))
    expect(await lines.next()).toMatchObject({ value: { head: 4 } })
    await server.stop()
    expect(await lines.next()).toMatchObject({ done: true })
  })
})

async function* linesOf(response: Response): AsyncGenerator<unknown> {
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString()
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line)
  }
}

describe('a whole request is refused', () => {
  test('that speaks another protocol, with those that are spoken', async () => {
    const { ask } = await startServer()
    for (const version of ['0', '2', 'x'])
      expect(await refused(ask('/v1/status', { headers: { 'palimpsest-protocol': version } }))).toEqual([
        426,
        { error: 'protocol', min: 1, max: 1 },
      ])
    expect((await fetch(`${(await startServer()).url}/v1/status`)).status).toBe(426)
  })

  test('that is larger than it may be, packed or unpacked', async () => {
    const { ask } = await startServer()
    const bomb = gzipSync(Buffer.alloc(5_000_000, ' '))
    expect(bomb.length).toBeLessThan(10_000)
    const lying = { body: bomb, headers: { 'content-encoding': 'gzip' } }
    expect(await refused(ask('/v1/push', lying))).toEqual([413, { error: 'too_large' }])
    const plain = { body: Buffer.alloc(4_194_305, ' ') }
    expect((await ask('/v1/push', plain)).status).toBe(413)
    const noise = gzipSync(Buffer.from(Array.from({ length: 1_300_000 }, (_, i) => (i * i * 31) ^ (i >> 3))), { level: 0 })
    expect((await ask('/v1/push', { body: noise, headers: { 'content-encoding': 'gzip' } })).status).toBe(413)
    expect((await ask('/v1/push', pushed(rowsOf(501)))).status).toBe(400)
    expect((await ask('/v1/push', pushed(rowsOf(500)))).status).toBe(200)
  })

  test.each<[string, AskOptions]>([
    ['is cut off within gzip', { body: gzipSync('{"dev":"x"}').subarray(0, 15), headers: { 'content-encoding': 'gzip' } }],
    ['is no gzip', { body: '{}', headers: { 'content-encoding': 'gzip' } }],
    ['is cut off within JSON', { body: '{"dev":"00000000000000aa","rows":[{' }],
    ['is no UTF-8', { body: new Uint8Array([34, 0xff, 34]) }],
    ['is no push', { json: { dev: DEV } }],
    ['has no rows', { json: { dev: DEV, rows: [] } }],
    ['has no device', { json: { dev: 'me', rows: [1] } }],
  ])('that %s', async (_, options) => {
    const { ask } = await startServer()
    expect((await ask('/v1/push', options)).status).toBe(400)
    expect((await (await ask('/v1/status')).json()) as object).toMatchObject({ head: 0 })
  })

  test('that stops in the middle, and takes nothing with it', async () => {
    const { url, token, ask } = await startServer()
    const { port } = new URL(url)
    const body = JSON.stringify({ dev: DEV, rows: rowsOf(2) })
    const head = `POST /v1/push HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\npalimpsest-protocol: 1\r\n`
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${head}content-length: ${body.length}\r\n\r\n${body.slice(0, -5)}`)
    await sleep(50)
    socket.destroy()
    const { results } = await answered(ask('/v1/push', pushed(rowsOf(1))), PushResponse)
    expect(results).toEqual([{ status: 'ok', seq: 1 }])
  })

  test('that comes too often, with the time to wait; each account by itself', async () => {
    const { ask, clock, mint } = await startServer({ PALIMPSEST_PUSHES_PER_MINUTE: '2', PALIMPSEST_PULLS_PER_MINUTE: '30' })
    const push = (token?: string) => ask('/v1/push', { ...pushed(rowsOf(1)), ...(token !== undefined && { token }) })
    for (let i = 0; i < 4; i++) expect((await push()).status).toBe(200)
    const late = await push()
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '30'])
    expect((await ask('/v1/pull', pulled())).status).toBe(200)
    expect((await push(await mint({ account: 'bob' }))).status).toBe(200)
    clock.nowMs += 29_999
    expect((await push()).status).toBe(429)
    clock.nowMs += 1
    expect((await push()).status).toBe(200)
  })

  test('of who has no token that works, whatever was asked for', async () => {
    const { ask, token, clock, mint } = await startServer()
    const forged = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    for (const wrong of [null, '', 'plm.', forged, 'plm.YWxpY2U.x', token.replace('YWxpY2U', 'Ym9i')]) {
      const response = await ask('/v1/pull', { ...pulled(), token: wrong })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    const short = await mint({ expiresAt: clock.nowMs + 1_000 })
    expect((await ask('/v1/status', { token: short })).status).toBe(200)
    clock.nowMs += 1_000
    expect((await ask('/v1/status', { token: short })).status).toBe(401)
  })

  test('that asks for what is not there', async () => {
    const { ask } = await startServer()
    expect((await ask('/v1/rows')).status).toBe(404)
    expect((await ask('/v1/push')).status).toBe(404)
  })
})

describe('pages of other origins', () => {
  const preflight = (server: TestServer, origin: string) =>
    server.ask('/v1/push', { method: 'OPTIONS', token: null, headers: { origin, 'access-control-request-method': 'POST' } })

  test('are let in by name only, without cookies', async () => {
    const server = await startServer()
    const let_in = await preflight(server, ORIGIN)
    expect(let_in.status).toBe(204)
    expect(let_in.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(let_in.headers.get('access-control-allow-headers')).toContain('palimpsest-protocol')
    expect(let_in.headers.get('access-control-allow-credentials')).toBeNull()
    for (const origin of ['null', 'https://app.example.evil.example', 'http://app.example', 'https://other.example']) {
      expect((await preflight(server, origin)).headers.get('access-control-allow-origin')).toBeNull()
      const asked = await server.ask('/v1/status', { headers: { origin } })
      expect(asked.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('can read refusals too', async () => {
    const server = await startServer()
    const response = await server.ask('/v1/status', { token: null, headers: { origin: ORIGIN } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, ORIGIN])
    expect(response.headers.get('access-control-expose-headers')).toContain('retry-after')
    expect(response.headers.get('vary')).toContain('origin')
  })
})
