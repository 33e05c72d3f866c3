// @ts-check
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Bundles the server with what it takes of ../src, so that nothing of the library has to be installed beside it.

const here = fileURLToPath(new URL('.', import.meta.url))
process.chdir(here)

// From a fresh clone on: better-sqlite3 compiles itself here where there is no ready build of it.
if (!existsSync('node_modules/esbuild')) {
  const { status } = spawnSync('npm', ['ci'], { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

const { build } = await import('esbuild')
await build({
  entryPoints: ['main.ts', 'cli.ts'],
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: true,
  logLevel: 'warning',
  // What ../src imports is found here where the library itself is not installed.
  nodePaths: ['node_modules'],
  external: ['better-sqlite3', 'pg', 'pg-native', 'hono', '@hono/node-server', 'jose'],
})
