import { afterEach, describe, expect, test } from 'vitest'
import type { WireRow } from '../../../src/schema/sync-wire.js'
import { retryAfterMs } from '../../../worker/sync/retry-after.js'
import { createTransport, type Transport, type TransportParts } from '../../../worker/sync/transport.js'
import {
  answerJson,
  answerPush,
  type BadServer,
  type Deed,
  STANDING,
  startBadServer,
} from '../../support/sync/bad-server.js'
import { sealedText } from '../../support/sync/sealed.js'

const NOW = Date.UTC(2026, 5, 1)
const DEV = '00000000000000aa'
const PULL = { dev: DEV, cursor: 0, digest: '0'.repeat(64), epoch: null }

let server: BadServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const against = async (
  deed: Deed,
  over: Partial<TransportParts> = {},
): Promise<Transport & { readonly asked: BadServer['asked'] }> => {
  server = await startBadServer(deed)
  const parts = {
    url: server.url,
    token: async () => 'token',
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    nowMs: () => NOW,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  }
  return { ...createTransport({ ...parts, ...over }), asked: server.asked }
}

const rows = (count: number, text = 'text'): Promise<WireRow[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => sealedText(null, text, { dseq: i + 1 })))

const unreachable = (status: number, wait: number | null = null) => ({
  failure: { why: 'unreachable', status, retryAfterMs: wait },
})

describe('a push', () => {
  test('goes compressed, with token and protocol, and is answered row by row', async () => {
    const transport = await against(answerPush)
    const answer = await transport.push(DEV, await rows(40))
    expect(answer).toMatchObject({ value: { sent: 40, head: 7 } })
    expect('value' in answer && answer.value.results).toHaveLength(40)
    const [asked] = transport.asked
    expect(asked?.path).toBe('/v1/push')
    expect(asked?.headers).toMatchObject({
      authorization: 'Bearer token',
      'content-encoding': 'gzip',
      'palimpsest-protocol': '1',
    })
    expect(asked?.size).toBeLessThan(JSON.stringify(asked?.body).length)
  })

  test('takes no more rows than a message may hold', async () => {
    const transport = await against(answerPush)
    expect(await transport.push(DEV, await rows(501))).toMatchObject({ value: { sent: 500 } })
    // Chance does not compress: a quarter of these is more than a mebibyte.
    const noise = Array.from(crypto.getRandomValues(new Uint8Array(60_000)), (byte) =>
      String.fromCharCode(33 + (byte % 90)),
    ).join('')
    const answer = await transport.push(DEV, await rows(60, noise))
    expect('value' in answer && answer.value.sent).toBeLessThan(60)
    for (const { size } of transport.asked) expect(size).toBeLessThanOrEqual(1_048_576)
  })

  test('is halved until the server takes it, and stays at that', async () => {
    const transport = await against((asked, response, n) =>
      (asked.body.rows ?? []).length > 3
        ? answerJson(response, { error: 'too_large' }, 413)
        : answerPush(asked, response, n),
    )
    expect(await transport.push(DEV, await rows(20))).toMatchObject({ value: { sent: 3 } })
    expect(transport.asked.map(({ body }) => body.rows?.length)).toEqual([20, 10, 5, 3])
    await transport.push(DEV, await rows(20))
    expect(transport.asked).toHaveLength(5)
  })

  test('of one row that is too large is refused', async () => {
    const transport = await against((_, response) => answerJson(response, { error: 'too_large' }, 413))
    expect(await transport.push(DEV, await rows(2))).toEqual({
      failure: { why: 'refused', status: 413, error: 'too_large' },
    })
  })

  test('whose answer has not one word for each row says nothing', async () => {
    const transport = await against((_, response) =>
      answerJson(response, { ...STANDING, results: [{ status: 'ok', seq: 1 }] }),
    )
    expect(await transport.push(DEV, await rows(2))).toEqual(unreachable(200))
  })
})

describe('an answer that is none', () => {
  test.each<[string, Deed, unknown]>([
    [
      'is cut off',
      (_, response) => response.writeHead(200, { 'content-length': '500' }).write('{"epoch":"e', () => response.destroy()),
      unreachable(200),
    ],
    ['is cut off in its JSON', (_, response) => response.end('{"epoch":"e'), unreachable(200)],
    ['is no JSON', (_, response) => response.end('<html>Sign in to the hotel</html>'), unreachable(200)],
    ['is of another shape', (_, response) => answerJson(response, { ...STANDING, rows: 'none' }), unreachable(200)],
    [
      'holds a row that is none',
      (_, response) =>
        answerJson(response, {
          ...STANDING,
          rows: [{ seq: 1, row: {} }],
          cursor: 1,
          cursorDigest: STANDING.digest,
          more: false,
        }),
      unreachable(200),
    ],
    ['is a redirect without an aim', (_, response) => response.writeHead(302).end(), unreachable(302)],
    ['is an error of the server', (_, response) => response.writeHead(500).end('oops'), unreachable(500)],
    ['is a broken gateway', (_, response) => response.writeHead(502).end(), unreachable(502)],
    [
      'asks for patience',
      (_, response) => answerJson(response, { error: 'limit' }, 429, { 'retry-after': '7' }),
      unreachable(429, 7_000),
    ],
    [
      'asks for patience until a date',
      (_, response) => response.writeHead(503, { 'retry-after': new Date(NOW + 90_000).toUTCString() }).end(),
      unreachable(503, 90_000),
    ],
    ['takes too long', (_, response) => response.writeHead(408).end(), unreachable(408)],
    ['breaks the connection', (_, response) => void response.destroy(), unreachable(0)],
    ['forbids', (_, response) => answerJson(response, { error: 'forbidden' }, 403), { failure: { why: 'forbidden' } }],
    [
      'wants another version',
      (_, response) => answerJson(response, { error: 'protocol', min: 2, max: 3 }, 426),
      { failure: { why: 'version', min: 2, max: 3 } },
    ],
    [
      'wants another version and does not say which',
      (_, response) => response.writeHead(426).end(),
      { failure: { why: 'version', min: null, max: null } },
    ],
    [
      'refuses',
      (_, response) => answerJson(response, { error: 'invalid' }, 400),
      { failure: { why: 'refused', status: 400, error: 'invalid' } },
    ],
  ])('%s', async (_, deed, outcome) => {
    const transport = await against(deed)
    expect(await transport.pull(PULL)).toEqual(outcome)
    expect(transport.asked).toHaveLength(1)
  })

  test('never comes', async () => {
    const transport = await against(() => undefined, { timeoutMs: 20 })
    expect(await transport.pull(PULL)).toEqual(unreachable(0))
  })

  test('is no longer waited for once the caller has ended it', async () => {
    const caller = new AbortController()
    const transport = await against(() => caller.abort(), { signal: caller.signal })
    expect(await transport.pull(PULL)).toEqual({ failure: { why: 'ended' } })
  })
})

describe('a token', () => {
  const pulled: Deed = (_, response) =>
    answerJson(response, { ...STANDING, rows: [], cursor: 0, cursorDigest: STANDING.digest, more: false })

  test('is asked for once, and anew when it no longer holds', async () => {
    let given = 0
    const transport = await against(
      (asked, response, n) =>
        asked.headers.authorization === 'Bearer t1'
          ? answerJson(response, { error: 'token' }, 401)
          : pulled(asked, response, n),
      { token: async () => `t${++given}` },
    )
    expect(await transport.pull(PULL)).toHaveProperty('value')
    expect(await transport.pull(PULL)).toHaveProperty('value')
    expect(transport.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t2'])
  })

  test('that does not hold twice needs the person, and is asked for again afterwards', async () => {
    let given = 0
    const transport = await against((_, response) => answerJson(response, { error: 'token' }, 401), {
      token: async () => `t${++given}`,
    })
    expect(await transport.pull(PULL)).toEqual({ failure: { why: 'needs_auth' } })
    expect([transport.asked.length, given]).toEqual([2, 2])
    await transport.pull(PULL)
    expect([transport.asked.length, given]).toEqual([4, 4])
  })

  test('that the app cannot give now is worth another attempt', async () => {
    let given = 0
    const transport = await against(pulled, {
      token: async () => {
        if (++given === 1) throw new Error('offline')
        return 'token'
      },
    })
    expect(await transport.pull(PULL)).toEqual(unreachable(0))
    expect(await transport.pull(PULL)).toHaveProperty('value')
  })
})

describe('hints', () => {
  test('are told as they come, without what is none, until the connection ends', async () => {
    const transport = await against((_, response) => {
      response.write('\n{"epoch":"e1","he')
      response.write('ad":3}\n\nnonsense\n{"head":"x"}\n')
      response.end('{"epoch":"e1","head":4}\n')
    })
    const heads: number[] = []
    expect(await transport.hints(({ head }) => heads.push(head))).toEqual({
      why: 'unreachable',
      status: 0,
      retryAfterMs: null,
    })
    expect(heads).toEqual([3, 4])
    expect(transport.asked[0]?.path).toBe('/v1/hints')
  })

  test('end with the caller, with a broken connection, and with a line without an end', async () => {
    const caller = new AbortController()
    const transport = await against(
      (_, response, n) => {
        if (n === 0) response.write('{"epoch":"e1","head":3}\n')
        else if (n === 1) response.write('x'.repeat(100), () => response.destroy())
        else for (let i = 0; i < 20; i++) response.write('x'.repeat(10_000))
      },
      { signal: caller.signal },
    )
    const broken = { why: 'unreachable', status: 0, retryAfterMs: null }
    const first = transport.hints(() => caller.abort())
    expect(await first).toEqual({ why: 'ended' })
    const again = createTransport({
      url: server?.url ?? '',
      token: async () => 't',
      fetch,
      nowMs: () => NOW,
      timeoutMs: 1_000,
      signal: new AbortController().signal,
    })
    expect(await again.hints(() => undefined)).toEqual(broken)
    expect(await again.hints(() => undefined)).toEqual(broken)
  })
})

test('what a server asks to wait is read, and never taken for more than an hour', () => {
  const read = (text: string | null) => retryAfterMs(text, NOW)
  expect([null, '', 'soon', '0', ' 3 ', '999999'].map(read)).toEqual([null, null, null, 0, 3_000, 3_600_000])
  expect(read(new Date(NOW - 5_000).toUTCString())).toBe(0)
})
