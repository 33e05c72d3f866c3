import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type * as z from 'zod/mini'
import { MAX_PUSH_COMPRESSED, MAX_PUSH_RAW } from '../../src/schema/sync-wire.js'
import { refuse } from './refused.js'

const inflate = promisify(gunzip)
const deflate = promisify<Buffer, { level: number }, Buffer>(gzip)

/** Smaller answers are not worth it. */
const MIN_GZIP = 1_024

const collected = async (incoming: IncomingMessage, limit: number): Promise<Buffer> => {
  const declared = Number(incoming.headers['content-length'] ?? 0)
  if (declared > limit) throw refuse(413, 'too_large', { connection: 'close' })
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      length += (chunk as Buffer).length
      if (length > limit) break
      chunks.push(chunk as Buffer)
    }
  } catch {
    throw refuse(400, 'truncated')
  }
  if (length > limit) throw refuse(413, 'too_large', { connection: 'close' })
  return Buffer.concat(chunks)
}

/** The bytes of a request. What is compressed is counted while it is inflated, whatever it says of itself. */
const bytesOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const encoding = incoming.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return await collected(incoming, MAX_PUSH_RAW)
  if (encoding !== 'gzip') throw refuse(415, 'encoding')
  const compressed = await collected(incoming, MAX_PUSH_COMPRESSED)
  try {
    return await inflate(compressed, { maxOutputLength: MAX_PUSH_RAW })
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw refuse(413, 'too_large')
    throw refuse(400, 'gzip')
  }
}

/** A request's body as what it must be. */
export const readBody = async <Schema extends z.ZodMiniType>(
  incoming: IncomingMessage,
  schema: Schema,
): Promise<z.infer<Schema>> => {
  const bytes = await bytesOf(incoming)
  if (!isUtf8(bytes)) throw refuse(400, 'json')
  let given: unknown
  try {
    given = JSON.parse(bytes.toString())
  } catch {
    throw refuse(400, 'json')
  }
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw refuse(400, 'request')
  return parsed.data
}

/** An answer in JSON, compressed for whoever reads that. */
export const jsonAnswer = async (incoming: IncomingMessage, json: string): Promise<Response> => {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'cache-control': 'no-store', vary: 'origin' }
  const plain = Buffer.from(json)
  if (plain.length < MIN_GZIP || !/\bgzip\b/.test(String(incoming.headers['accept-encoding'] ?? '')))
    return new Response(plain, { headers })
  // The fastest level: most of an answer is ciphertext.
  const packed = await deflate(plain, { level: 1 })
  return new Response(new Uint8Array(packed), { headers: { ...headers, 'content-encoding': 'gzip' } })
}
