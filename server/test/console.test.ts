import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { runTokens, startProcess } from './support/process.js'
import { newDevice, rowsOf } from './support/rows.js'

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'palimpsest-server-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const ask = (url: string, token: string, path = '/v1/status', json?: unknown) =>
  fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'palimpsest-protocol': '1' },
    ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
  })

test('a new server shows a token once, keeps its hash only, and has its rows when it starts again', async () => {
  const home = folder()
  const env = { DATABASE_URL: join(home, 'data', 'rows.sqlite') }
  const first = await startProcess(env)
  await expect.poll(first.errors, { timeout: 10_000 }).toMatch(/plm\./)
  const [token = ''] = /plm\.\S+/.exec(first.errors()) ?? []
  expect((await ask(first.url, token, '/v1/push', { dev: newDevice(), rows: rowsOf(3) })).status).toBe(200)
  expect(await first.end('SIGTERM')).toBe(0)
  const secret = token.split('.')[2] ?? ''
  for (const name of readdirSync(join(home, 'data')))
    expect(readFileSync(join(home, 'data', name)).includes(secret)).toBe(false)
  const second = await startProcess(env)
  onTestFinished(async () => void (await second.end('SIGTERM')))
  expect(await (await ask(second.url, token)).json()).toMatchObject({ head: 3 })
  expect(second.errors()).toBe('')
})

test.each(['SQLite', 'PostgreSQL'])(
  'tokens are made, listed and taken back beside a running server on %s',
  async (store) => {
    const env = { DATABASE_URL: store === 'SQLite' ? join(folder(), 'rows.sqlite') : inject('postgresUrl') }
    const account = `console-${newDevice()}`
    const server = await startProcess(env)
    onTestFinished(async () => void (await server.end('SIGTERM')))
    const minted = await runTokens(env, 'mint', '--account', account, '--label', 'a phone', '--days', '30')
    const [id = '', token = ''] = minted.out.split('\n')
    const { epoch } = (await (await ask(server.url, token)).json()) as { epoch: string }
    expect((await runTokens(env, 'list')).out).toContain([id, account, 'works', 'a phone'].join('\t'))
    expect((await runTokens(env, 'quota', '--account', account, '--bytes', '700')).out).toBe('700')
    expect(await (await ask(server.url, token)).json()).toMatchObject({ quotaBytes: 700 })
    expect((await runTokens(env, 'new-epoch', '--account', account)).out).not.toBe(epoch)
    expect((await runTokens(env, 'revoke', '--id', id)).code).toBe(0)
    expect((await ask(server.url, token)).status).toBe(401)
    expect((await runTokens(env, 'list')).out).toContain([id, account, 'revoked'].join('\t'))
    expect(await runTokens(env, 'revoke', '--id', id)).toMatchObject({ code: 1, out: '' })
  },
)

test('commands that make no sense say so', async () => {
  const env = { DATABASE_URL: join(folder(), 'rows.sqlite') }
  for (const args of [
    [],
    ['mint'],
    ['mint', '--account', 'a b'],
    ['quota', '--account', 'a', '--bytes', '-1'],
    ['--what'],
  ]) {
    const { code, err } = await runTokens(env, ...args)
    expect([code, err === '']).toEqual([1, false])
  }
})

test('a server that is told nonsense does not start', async () => {
  await expect(startProcess({ PALIMPSEST_ORIGINS: '*' })).rejects.toThrow(/exact origins/)
})
