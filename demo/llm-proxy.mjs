// @ts-check
import { pipeline, Readable } from 'node:stream'

// The page speaks to its own server only, and the server to the endpoint: so the key of the endpoint is in no page.

const LARGEST = 1024 * 1024
const WAIT_MS = 120_000

/**
 * What of an endpoint that speaks the chat completions of OpenAI the environment names, or null: OPENAI_BASE_URL, OPENAI_MODEL and, where it
 * asks for one, OPENAI_API_KEY.
 *
 * @type {(env: NodeJS.ProcessEnv) => { url: string, model: string, key: string | undefined } | null}
 */
export const endpointIn = ({ OPENAI_BASE_URL: base, OPENAI_MODEL: model, OPENAI_API_KEY: key }) =>
  base && model ? { url: `${base.replace(/\/+$/, '')}/chat/completions`, model, key: key || undefined } : null

/**
 * Answers what begins with `/llm/`; false for all else.
 *
 * @type {(
 *   endpoint: ReturnType<typeof endpointIn>,
 *   path: string,
 *   request: import('node:http').IncomingMessage,
 *   response: import('node:http').ServerResponse,
 *   headers: Readonly<Record<string, string>>,
 * ) => Promise<boolean>}
 */
export const answerLlm = async (endpoint, path, request, response, headers) => {
  if (!path.startsWith('/llm/')) return false
  const json = { ...headers, 'content-type': 'application/json; charset=utf-8' }
  /** @type {(status: number, body: object) => true} */
  const end = (status, body) => {
    response.writeHead(status, json).end(JSON.stringify(body))
    return true
  }
  if (path === '/llm/model.json') return end(200, { model: endpoint?.model ?? null })
  if (endpoint === null) return end(404, { error: 'This server was started without a language model.' })
  if (path !== '/llm/chat/completions' || request.method !== 'POST') return end(404, { error: 'Nothing is here.' })
  // Another page that a person has open must not spend on this one's account.
  if (request.headers['sec-fetch-site'] !== 'same-origin') return end(403, { error: 'Only this page may ask.' })
  const body = await bodyOf(request)
  if (body === null) return end(413, { error: 'That is too long.' })
  try {
    const answer = await fetch(endpoint.url, {
      method: 'POST',
      redirect: 'error',
      headers: {
        'content-type': 'application/json',
        ...(endpoint.key !== undefined && { authorization: `Bearer ${endpoint.key}` }),
      },
      body: Uint8Array.from(body),
      signal: AbortSignal.timeout(WAIT_MS),
    })
    const wait = answer.headers.get('retry-after')
    response.writeHead(answer.status, { ...json, ...(wait !== null && { 'retry-after': wait }) })
    if (answer.body === null) response.end()
    else
      pipeline(
        Readable.fromWeb(/** @type {import('node:stream/web').ReadableStream} */ (answer.body)),
        response,
        () => undefined,
      )
  } catch (error) {
    return end(502, { error: `The language model could not be reached: ${error instanceof Error ? error.message : error}` })
  }
  return true
}

/** @type {(request: import('node:http').IncomingMessage) => Promise<Buffer | null>} */
const bodyOf = async (request) => {
  /** @type {Buffer[]} */
  const pieces = []
  let size = 0
  for await (const piece of request) {
    size += piece.length
    if (size > LARGEST) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
