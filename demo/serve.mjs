// @ts-check
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// What `npm start` runs, from a fresh clone on: installs what is missing, builds what is old, serves the chat demo.

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const FIRST_PORT = 4173
const HOST = '127.0.0.1'
const INPUTS = ['src', 'worker', 'model/static-256.bin', 'tsdown.config.ts', 'package-lock.json']
const OUTPUTS = ['index.js', 'index.d.ts', 'worker.js', 'sqlite3.wasm', 'static-256.bin'].map((name) => join('dist', name))

/** @type {Readonly<Record<string, string>>} */
const TYPES = {
  '.bin': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** Nothing from elsewhere, nothing inline; WebAssembly is the database. */
const HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** @type {(...args: string[]) => void} */
const npm = (...args) => {
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status === 0) return
  console.error(`npm ${args.join(' ')} failed.`)
  process.exit(status ?? 1)
}

/** When something, or the newest thing in a folder, was last changed. @type {(path: string) => number} */
const newest = (path) => {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry === undefined) return 0
  if (!entry.isDirectory()) return entry.mtimeMs
  return Math.max(entry.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

const isInstalled = () => ['vite', 'tsdown'].every((name) => existsSync(join('node_modules', name, 'package.json')))

const isBuilt = () =>
  OUTPUTS.every((path) => existsSync(path)) && newest(join('dist', 'index.js')) >= Math.max(...INPUTS.map(newest))

/**
 * The demo as files in memory: nothing is left behind, and two servers are never in each other's way.
 *
 * @returns {Promise<ReadonlyMap<string, string | Uint8Array>>}
 */
const bundle = async () => {
  // Imported late: on a fresh clone it is not there when this script starts.
  const { build } = await import('vite')
  const built = await build({ configFile: 'demo/vite.config.ts', logLevel: 'warn', build: { write: false } })
  const { output } = /** @type {import('vite').Rolldown.RolldownOutput} */ (Array.isArray(built) ? built[0] : built)
  return new Map(output.map((file) => [`/${file.fileName}`, file.type === 'asset' ? file.source : file.code]))
}

/** @type {(files: ReadonlyMap<string, string | Uint8Array>) => import('node:http').Server} */
const serverOf = (files) =>
  createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    const body = files.get(path)
    const type = body === undefined ? 'text/plain' : (TYPES[extname(path)] ?? 'application/octet-stream')
    response.writeHead(body === undefined ? 404 : 200, { ...HEADERS, 'content-type': type })
    response.end(request.method === 'HEAD' ? undefined : (body ?? `No file at ${path}.`))
  })

/**
 * Listens on the port asked for, or on the first free one.
 *
 * @type {(server: import('node:http').Server) => Promise<number>}
 */
const listen = (server) => {
  const asked = process.env.PORT
  return new Promise((resolve, reject) => {
    let port = asked ? Number(asked) : FIRST_PORT
    server.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code !== 'EADDRINUSE' || asked || port >= FIRST_PORT + 100) reject(error)
      else server.listen(++port, HOST)
    })
    server.on('listening', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
    server.listen(port, HOST)
  })
}

if (!isInstalled()) npm('ci', '--no-audit', '--no-fund', '--loglevel=warn')
if (!isBuilt()) npm('run', 'build', '--silent')
const server = serverOf(await bundle())
try {
  console.log(`http://${HOST}:${await listen(server)}/`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    server.close()
    server.closeAllConnections()
  })
