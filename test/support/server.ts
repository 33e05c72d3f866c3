import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.bin': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
}

/** An answer to put in place of a file's, or on top of it. */
export interface Override {
  readonly status?: number
  /** Added to those of the file; the same name replaces. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent instead of the file. */
  readonly body?: string | Uint8Array
  /** Answers by itself: in parts, late, or not at all. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void
}

/** Decides per request path, without the query. Undefined serves the file; a promise lets the request wait. */
export type Overrides = (path: string) => Override | undefined | Promise<Override | undefined>

export interface ServerOptions {
  /** Folder per path prefix, the longest prefix first. Default: `/dist/` is the built package, `/pages/` the test pages. */
  readonly mounts?: Readonly<Record<string, string>>
  readonly overrides?: Overrides
}

export interface TestServer {
  readonly origin: string
  /** Paths asked for so far, in order. */
  readonly requests: readonly string[]
  /** Replaces the overrides of a running server. */
  readonly setOverrides: (overrides: Overrides) => void
  readonly close: () => Promise<void>
}

/** The built package and the pages of the tests. */
export const PACKAGE_MOUNTS = { '/dist/': join(ROOT, 'dist'), '/pages/': join(ROOT, 'test/browser/pages') }

/** A static server on a free port of the loopback address, where browsers grant all that they grant to https. */
export const startServer = async (options: ServerOptions = {}): Promise<TestServer> => {
  const mounts = options.mounts ?? PACKAGE_MOUNTS
  const requests: string[] = []
  let overrides: Overrides = options.overrides ?? (() => undefined)

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    requests.push(path)
    const override = (await overrides(path)) ?? {}
    if (override.answer !== undefined) return override.answer(request, response)
    const refused = (override.status ?? 200) >= 400
    const file = override.body === undefined && !refused ? await fileAt(mounts, path) : null
    const found = file !== null || override.body !== undefined
    response.writeHead(override.status ?? (found ? 200 : 404), { ...headersOf(path, found), ...lowerCase(override.headers) })
    response.end(request.method === 'HEAD' ? undefined : (override.body ?? file ?? `No file at ${path}.`))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' })
      response.end(String(error))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    setOverrides: (next) => {
      overrides = next
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const fileAt = async (mounts: Readonly<Record<string, string>>, path: string): Promise<Buffer | null> => {
  const prefix = Object.keys(mounts)
    .sort((a, b) => b.length - a.length)
    .find((start) => path.startsWith(start))
  const folder = prefix === undefined ? undefined : mounts[prefix]
  if (prefix === undefined || folder === undefined) return null
  const rest = path.slice(prefix.length)
  const file = resolve(folder, rest === '' || rest.endsWith('/') ? `${rest}index.html` : rest)
  if (!file.startsWith(resolve(folder) + sep)) return null
  return readFile(file).catch(() => null)
}

const headersOf = (path: string, found: boolean): Record<string, string> => ({
  'cache-control': 'no-store',
  'content-type': found ? (TYPES[extname(path) || '.html'] ?? 'application/octet-stream') : 'text/plain; charset=utf-8',
})

const lowerCase = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
