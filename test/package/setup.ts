import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

const run = promisify(execFile)

declare module 'vitest' {
  interface ProvidedContext {
    /** The package as npm would publish it. */
    tarball: string
  }
}

/** Packs the package once for all tests of this folder. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  if (!existsSync('dist/index.js') || !existsSync('dist/worker.js'))
    throw new Error('Nothing to test: run `npm run build` first.')
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-pack-'))
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder])
  const [packed] = JSON.parse(stdout) as [{ filename: string }]
  project.provide('tarball', join(folder, packed.filename))
  return () => rm(folder, { recursive: true, force: true })
}
