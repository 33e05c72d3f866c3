import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { runCrashContract } from './contracts/crash.contract.js'

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-crash-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

runCrashContract('SQLite', () => join(folder, 'rows.sqlite'))
