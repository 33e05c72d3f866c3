#!/usr/bin/env node
import { ConfigError, configOf } from './config.js'
import { openLog } from './log.js'
import { serve } from './serve.js'
import { ensureAccount } from './store/accounts.js'
import type { Db } from './store/steps.js'
import { listTokens, mintToken } from './store/tokens.js'

const FIRST_ACCOUNT = 'default'

const log = openLog((line) => void process.stdout.write(line), process.env.LOG_LEVEL === 'debug' ? 'debug' : 'info')

/** Nobody could do anything with a server that knows no token, so a new one makes one, and shows it this once. */
const firstToken = async (db: Db, quotaBytes: number): Promise<void> => {
  if ((await db.read(listTokens)).length > 0) return
  await db.write(FIRST_ACCOUNT, () => ensureAccount(FIRST_ACCOUNT, quotaBytes))
  const minting = { account: FIRST_ACCOUNT, label: 'first', namespaces: null, nowMs: Date.now(), expiresAt: null }
  const { token } = await db.write(FIRST_ACCOUNT, () => mintToken(minting))
  // Not through the log, which is kept.
  process.stderr.write(`\nToken of the account "${FIRST_ACCOUNT}", shown this once:\n\n  ${token}\n\n`)
}

try {
  const config = configOf(process.env)
  const serving = await serve({ config, log })
  if (config.jwt === null) await firstToken(serving.db, config.quotaBytes)
  let isStopping = false
  const stop = () => {
    // A second signal does not wait.
    if (isStopping) process.exit(1)
    isStopping = true
    void serving.stop().then(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
} catch (error) {
  const told = error instanceof ConfigError || (error as { code?: string }).code === 'EADDRINUSE'
  process.stderr.write(`${told ? (error as Error).message : (error as Error).stack}\n`)
  process.exitCode = 1
}
