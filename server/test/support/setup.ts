import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.js'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** Builds what the tests start as a process, and starts one PostgreSQL for all of them: accounts keep them apart. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const build = fileURLToPath(new URL('../../build.mjs', import.meta.url))
  if (spawnSync(process.execPath, [build], { stdio: 'inherit' }).status !== 0) throw new Error('The server does not build.')
  const postgres = await startPostgres()
  project.provide('postgresUrl', postgres.url)
  return postgres.stop
}
