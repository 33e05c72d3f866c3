import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { revokeToken } from '../store/tokens.js'
import { newDevice, rowOf, rowsOf } from './support/rows.js'
import { startServer } from './support/serving.js'

describe('whoever runs a server', () => {
  test('sees whether it is up and what it does, in numbers', async () => {
    const { ask, url } = await startServer()
    expect(await (await fetch(`${url}/healthz`)).text()).toBe('ok')
    expect(await (await fetch(`${url}/readyz`)).text()).toBe('ok')
    await ask('/v1/push', { json: { dev: newDevice(), rows: [...rowsOf(2), 1] } })
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toContain('palimpsest_pushed_rows_total{status="ok"} 2')
    expect(text).toContain('palimpsest_pushed_rows_total{status="invalid"} 1')
    expect(text).toMatch(/palimpsest_request_seconds_bucket\{route="\/v1\/push",le="\+Inf"\} 1/)
    for (const line of text.trim().split('\n')) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^{}]*\})? [\d.e+-]+)$/)
  })

  test('can keep the numbers to those with a token', async () => {
    const { url } = await startServer({ PALIMPSEST_METRICS_TOKEN: 'watch' })
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    expect((await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer watch' } })).status).toBe(200)
  })

  test('finds nothing in the log of what anybody wrote, sent or holds', async () => {
    const { ask, log, token } = await startServer()
    const row = rowOf({ body: 'a secret', later: 'a field' })
    await ask('/v1/push', { json: { dev: row.dev, rows: [row, { ...row, dseq: 'a counter' }] } })
    await ask('/v1/push', { body: 'a body that is no JSON' })
    await ask('/v1/pull?why=a-question', { json: { dev: row.dev, cursor: 0, digest: '0'.repeat(64), epoch: null } })
    await ask('/a-path')
    await ask('/v1/status', { token: 'a-wrong-token' })
    const lines = log.map((line) => JSON.parse(line))
    expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(5)
    expect(lines).toContainEqual(expect.objectContaining({ route: '/v1/push', status: 200, account: 'alice' }))
    for (const word of [
      'secret',
      row.body,
      row.bh,
      row.kc,
      row.nc,
      row.dev,
      'a field',
      'a counter',
      'no JSON',
      'question',
      'a-path',
    ])
      expect(log.join('')).not.toContain(word)
    expect(log.join('')).not.toContain('a-wrong-token')
    expect(log.join('')).not.toContain(token)
  })

  test('takes a token back at once', async () => {
    const { ask, db, tokenId } = await startServer()
    expect((await ask('/v1/status')).status).toBe(200)
    expect(await db.write('alice', () => revokeToken(tokenId, 1))).toBe(true)
    expect((await ask('/v1/push', { json: { dev: newDevice(), rows: rowsOf(1) } })).status).toBe(401)
    expect(await db.write('alice', () => revokeToken(tokenId, 1))).toBe(false)
  })

  test('stops it without cutting off who is being answered', async () => {
    const server = await startServer()
    const pushes = Array.from({ length: 8 }, () =>
      server.ask('/v1/push', { json: { dev: newDevice(), rows: rowsOf(500) }, gzip: true }),
    )
    await pushes[0]
    const [outcomes] = await Promise.all([Promise.allSettled(pushes), server.stop()])
    for (const outcome of outcomes) {
      // A connection that was not made in time is refused as a whole; what was begun is answered.
      if (outcome.status === 'fulfilled') expect(outcome.value.status).toBe(200)
      else expect(String(outcome.reason.cause?.code)).toMatch(/ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET/)
    }
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
  })
})

describe('tokens that others issue', () => {
  const issuer = async () => {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true })
    const pem = await exportSPKI(publicKey)
    const env = {
      PALIMPSEST_JWT_PUBLIC_KEY: pem,
      PALIMPSEST_JWT_ISSUER: 'https://id.example',
      PALIMPSEST_JWT_AUDIENCE: 'sync',
    }
    const server = await startServer(env)
    const sign = (claims: Record<string, unknown> = {}, key: Parameters<SignJWT['sign']>[0] = privateKey, alg = 'EdDSA') =>
      new SignJWT({
        account: 'carol',
        sub: 'user-1',
        iss: 'https://id.example',
        aud: 'sync',
        exp: server.clock.nowMs / 1_000 + 60,
        ...claims,
      })
        .setProtectedHeader({ alg })
        .sign(key)
    const statusOf = async (token: string) => (await server.ask('/v1/status', { token })).status
    return { server, sign, statusOf, pem }
  }

  test('open the account they name, which is made for them', async () => {
    const { server, sign, statusOf } = await issuer()
    const token = await sign()
    expect(await statusOf(token)).toBe(200)
    const push = await server.ask('/v1/push', { token, json: { dev: newDevice(), rows: rowsOf(1) } })
    expect(push.status).toBe(200)
    server.clock.nowMs += 61_000
    expect(await statusOf(token)).toBe(401)
  })

  test('open the namespaces they name', async () => {
    const { server, sign } = await issuer()
    const row = rowOf()
    const token = await sign({ namespaces: ['A'.repeat(43)] })
    const response = await server.ask('/v1/push', { token, json: { dev: row.dev, rows: [row] } })
    expect(await response.json()).toMatchObject({ results: [{ status: 'invalid', reason: 'namespace' }] })
  })

  test('are refused when they are of others, for others, without end, or signed in a way that was not agreed on', async () => {
    const { sign, statusOf, pem } = await issuer()
    const stranger = await generateKeyPair('EdDSA')
    const none = [{ alg: 'none' }, { account: 'carol', sub: 'x', exp: 9e9 }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    expect(await statusOf(await sign({}, stranger.privateKey))).toBe(401)
    expect(await statusOf(await sign({ iss: 'https://other.example' }))).toBe(401)
    expect(await statusOf(await sign({ aud: 'mail' }))).toBe(401)
    expect(await statusOf(await sign({ exp: undefined }))).toBe(401)
    expect(await statusOf(await sign({ sub: undefined }))).toBe(401)
    expect(await statusOf(`${none.join('.')}.`)).toBe(401)
    // The public key taken for a shared secret.
    expect(await statusOf(await sign({}, new TextEncoder().encode(pem), 'HS256'))).toBe(401)
    const es256 = await generateKeyPair('ES256')
    expect(await statusOf(await sign({}, es256.privateKey, 'ES256'))).toBe(401)
  })

  test('are forbidden when they name no account', async () => {
    const { sign, statusOf } = await issuer()
    expect(await statusOf(await sign({ account: undefined }))).toBe(403)
    expect(await statusOf(await sign({ account: 'a b' }))).toBe(403)
    expect(await statusOf(await sign({ namespaces: 'all' }))).toBe(403)
  })
})
