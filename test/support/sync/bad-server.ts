import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: { readonly rows?: readonly unknown[] } & Readonly<Record<string, unknown>>
  /** Bytes on the wire. */
  readonly size: number
}

/** What the server does with the n-th request, counted from 0. */
export type Deed = (asked: Asked, answer: ServerResponse, n: number) => void

export interface BadServer {
  readonly url: string
  readonly asked: Asked[]
  readonly close: () => Promise<void>
}

/** A server that does what a test says, however wrong. */
export const startBadServer = async (deed: Deed): Promise<BadServer> => {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const raw = Buffer.concat(parts)
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
      const body = text.length === 0 ? {} : JSON.parse(text.toString())
      const one = { path: request.url ?? '', headers: request.headers, body, size: raw.length }
      asked.push(one)
      deed(one, response, asked.length - 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    asked,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

export const STANDING = { epoch: 'e1', head: 7, digest: '0'.repeat(64), gen: 0, now: 1_796_000_000_000 }

export const answerJson = (
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

/** Takes every row. */
export const answerPush: Deed = ({ body }, response) =>
  answerJson(response, { ...STANDING, results: (body.rows ?? []).map((_, i) => ({ status: 'ok', seq: i + 1 })) })
