import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { openDb } from '../serve.js'
import { ensureAccount } from '../store/accounts.js'
import { mintToken } from '../store/tokens.js'
import { startPostgres } from '../test/support/postgres.js'
import { encryptedRows, newDevice } from '../test/support/rows.js'

// How many rows a second a server takes and gives, over HTTP and gzip, from one client process over eight accounts.

const ACCOUNTS = 8
const ROWS_PER_PUSH = 500
const PUSHES = Number(process.env.PUSHES ?? 12)
/** Of an encrypted memory with its columns, padded. */
const BODY_BYTES = 384

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

interface Account {
  readonly token: string
  readonly dev: string
  readonly bodies: readonly Buffer[]
}

const listening = (database: string): Promise<{ url: string; stop: () => Promise<void> }> =>
  new Promise((resolve, reject) => {
    const limits = { PALIMPSEST_PUSHES_PER_MINUTE: '0', PALIMPSEST_PULLS_PER_MINUTE: '0' }
    const env = { ...process.env, ...limits, DATABASE_URL: database, PORT: '0' }
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const stop = () =>
      new Promise<void>((stopped) => {
        child.once('exit', () => stopped())
        child.kill('SIGTERM')
      })
    child.once('error', reject)
    child.stdout.on('data', (chunk) => {
      const [, url] = /"url":"([^"]+)"/.exec(String(chunk)) ?? []
      if (url !== undefined) resolve({ url, stop })
    })
  })

const prepare = async (database: string): Promise<Account[]> => {
  const db = await openDb(database)
  const accounts: Account[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const account = `bench-${i}`
    const dev = newDevice()
    await db.write(account, () => ensureAccount(account, 1e12))
    const minting = { account, label: '', namespaces: null, nowMs: Date.now(), expiresAt: null }
    const { token } = await db.write(account, () => mintToken(minting))
    const bodies = Array.from({ length: PUSHES }, (_, n) =>
      gzipSync(JSON.stringify({ dev, rows: encryptedRows(ROWS_PER_PUSH, BODY_BYTES, dev, n * ROWS_PER_PUSH + 1) })),
    )
    accounts.push({ token, dev, bodies })
  }
  await db.close()
  return accounts
}

const ask = async (url: string, token: string, path: string, body: Buffer | string): Promise<Record<string, unknown>> => {
  const packed = typeof body === 'string' ? gzipSync(body) : body
  const headers = {
    authorization: `Bearer ${token}`,
    'palimpsest-protocol': '1',
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  }
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: new Uint8Array(packed) })
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return (await response.json()) as Record<string, unknown>
}

const timed = async (work: () => Promise<number>): Promise<number> => {
  const start = performance.now()
  const rows = await work()
  return Math.round((rows * 1_000) / (performance.now() - start))
}

const pushAll = async (url: string, accounts: readonly Account[]): Promise<number> => {
  await Promise.all(
    accounts.map(async ({ token, bodies }) => {
      for (const body of bodies) {
        const { results } = await ask(url, token, '/v1/push', body)
        if (!(results as { status: string }[]).every(({ status }) => status === 'ok')) throw new Error('a row was refused')
      }
    }),
  )
  return accounts.length * PUSHES * ROWS_PER_PUSH
}

const pullAll = async (url: string, accounts: readonly Account[]): Promise<number> => {
  let rows = 0
  for (const { token, dev } of accounts) {
    let at = { cursor: 0, digest: '0'.repeat(64) }
    for (let more = true; more; ) {
      const page = await ask(url, token, '/v1/pull', JSON.stringify({ dev, epoch: null, ...at }))
      rows += (page.rows as unknown[]).length
      at = { cursor: page.cursor as number, digest: page.cursorDigest as string }
      more = page.more as boolean
    }
  }
  return rows
}

const measure = async (name: string, database: string): Promise<void> => {
  const accounts = await prepare(database)
  const { url, stop } = await listening(database)
  const pushed = await timed(() => pushAll(url, accounts))
  const repeated = await timed(() =>
    Promise.all(
      accounts.map(async ({ token, bodies }) => {
        for (const body of bodies) await ask(url, token, '/v1/push', body)
      }),
    ).then(() => accounts.length * PUSHES * ROWS_PER_PUSH),
  )
  const pulled = await timed(() => pullAll(url, accounts))
  await stop()
  const figures = `push ${pushed} rows/s   push again ${repeated} rows/s   pull ${pulled} rows/s`
  console.log(
    `${name.padEnd(12)}${figures}   (${ACCOUNTS} accounts, ${PUSHES * ROWS_PER_PUSH} rows each, ${BODY_BYTES} bytes)`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'))
await measure('SQLite', join(folder, 'bench.sqlite'))
rmSync(folder, { recursive: true, force: true })
const postgres = await startPostgres()
try {
  await measure('PostgreSQL', postgres.url)
} finally {
  await postgres.stop()
}
