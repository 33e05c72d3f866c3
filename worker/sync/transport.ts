import { batchStep } from '../../src/domain/sync/refusals.js'
import {
  type HeadsRequest,
  HeadsResponse,
  Hint,
  type HistoryRequest,
  HistoryResponse,
  MAX_PUSH_COMPRESSED,
  MAX_PUSH_RAW,
  MAX_PUSH_ROWS,
  PROTOCOL_HEADER,
  type PullRequest,
  PullResponse,
  PushResponse,
  Refusal,
  SYNC_PROTOCOL,
  type WireRow,
} from '../../src/schema/sync-wire.js'
import { gzipped } from './gzip.js'
import { linesOf } from './lines.js'
import { retryAfterMs } from './retry-after.js'

/** Why an exchange did not happen. None of it is about a single row. */
export type Failure =
  /** The server takes the token no more, and not the one after it either. */
  | { readonly why: 'needs_auth' }
  | { readonly why: 'forbidden' }
  /** The server speaks other versions of the protocol. */
  | { readonly why: 'version'; readonly min: number | null; readonly max: number | null }
  /** It refuses what was asked, and would again. */
  | { readonly why: 'refused'; readonly status: number; readonly error: string }
  /** No answer, a broken one, or the server's word that now is not the time. Worth another attempt. */
  | { readonly why: 'unreachable'; readonly status: number; readonly retryAfterMs: number | null }
  /** The caller has ended it. */
  | { readonly why: 'ended' }

export type Answer<T> = { readonly value: T } | { readonly failure: Failure }

export interface Pushed extends PushResponse {
  /** How many of the rows that were offered went with it: the first ones. */
  readonly sent: number
}

/** The server's side of an account, as a client sees it. Every outcome is a value. */
export interface Transport {
  /** Sends as many of the rows, from the first, as one message takes. */
  readonly push: (dev: string, rows: readonly WireRow[]) => Promise<Answer<Pushed>>
  readonly pull: (request: PullRequest) => Promise<Answer<PullResponse>>
  readonly heads: (request: HeadsRequest) => Promise<Answer<HeadsResponse>>
  readonly history: (request: HistoryRequest) => Promise<Answer<HistoryResponse>>
  /** Tells of every change of the head until the connection ends, which is answered. */
  readonly hints: (tell: (hint: Hint) => void) => Promise<Failure>
}

export interface TransportParts {
  readonly url: string
  /** Asked once at first, and once more for each answer that the token no longer holds. */
  readonly token: () => Promise<string>
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly nowMs: () => number
  /** How long an answer may take; hints may take for ever. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** What tells a good answer from another. */
interface Shape<T> {
  readonly safeParse: (value: unknown) => { readonly success: true; readonly data: T } | { readonly success: false }
}

/** Smaller bodies are not worth the header. */
const GZIP_FROM = 1_024

export const createTransport = (parts: TransportParts): Transport => {
  const base = parts.url.replace(/\/+$/, '')
  let token: Promise<string> | null = null
  /** Fewer after a server said that a batch was too large. */
  let mostRows = MAX_PUSH_ROWS

  const ended = (): Failure | null => (parts.signal.aborted ? { why: 'ended' } : null)
  const unreachable = (status: number, wait: number | null = null): Failure =>
    ended() ?? { why: 'unreachable', status, retryAfterMs: wait }

  const ask = async (
    path: string,
    body: BodyInit | null,
    packed: boolean,
    signal: AbortSignal,
  ): Promise<Answer<Response>> => {
    for (let refreshed = false; ; refreshed = true) {
      let response: Response
      try {
        token ??= parts.token()
        const headers: Record<string, string> = {
          authorization: `Bearer ${await token}`,
          [PROTOCOL_HEADER]: String(SYNC_PROTOCOL),
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...(packed ? { 'content-encoding': 'gzip' } : {}),
        }
        // No cookies: the token alone says who asks.
        const init: RequestInit = {
          method: body === null ? 'GET' : 'POST',
          headers,
          body,
          credentials: 'omit',
          cache: 'no-store',
          signal,
        }
        response = await parts.fetch(base + path, init)
      } catch {
        // Also when the app has no token to give at the moment.
        token = null
        return { failure: unreachable(0) }
      }
      if (response.ok) return { value: response }
      const step = batchStep(response.status, 1, refreshed)
      if (step.do === 'refresh_token' || step.do === 'needs_auth') token = null
      if (step.do !== 'refresh_token') return { failure: await failureOf(response) }
    }
  }

  const failureOf = async (response: Response): Promise<Failure> => {
    const { status } = response
    const said = Refusal.safeParse(await json(response))
    const { error, min, max } = said.success ? said.data : { error: '', min: undefined, max: undefined }
    const step = batchStep(status, 1, true)
    if (step.do === 'needs_auth') return { why: 'needs_auth' }
    if (step.do === 'back_off') return unreachable(status, retryAfterMs(response.headers.get('retry-after'), parts.nowMs()))
    if (step.do === 'stop' && step.why === 'forbidden') return { why: 'forbidden' }
    if (step.do === 'stop' && step.why === 'version') return { why: 'version', min: min ?? null, max: max ?? null }
    return { why: 'refused', status, error }
  }

  /** Undefined for what is no JSON, as after the connection broke. */
  const json = async (response: Response): Promise<unknown> => {
    try {
      return await response.json()
    } catch {
      return undefined
    }
  }

  const limited = (): AbortSignal => AbortSignal.any([parts.signal, AbortSignal.timeout(parts.timeoutMs)])

  const post = async <T>(path: string, body: BodyInit, packed: boolean, shape: Shape<T>): Promise<Answer<T>> => {
    const asked = await ask(path, body, packed, limited())
    if ('failure' in asked) return asked
    const read = shape.safeParse(await json(asked.value))
    // An answer that cannot be read tells nothing: whether it was carried out shows with the next one.
    return read.success ? { value: read.data } : { failure: unreachable(asked.value.status) }
  }

  const push: Transport['push'] = async (dev, rows) => {
    for (let count = Math.min(rows.length, mostRows); ; count = Math.ceil(count / 2)) {
      const text = JSON.stringify({ dev, rows: rows.slice(0, count) })
      const packed = text.length >= GZIP_FROM ? await gzipped(text) : null
      const fits = text.length <= MAX_PUSH_RAW && (packed?.length ?? text.length) <= MAX_PUSH_COMPRESSED
      // A single row is sent whatever its size, for the server to say what is wrong with it.
      if (!fits && count > 1) continue
      const answer = await post('/v1/push', packed ?? text, packed !== null, PushResponse)
      if ('failure' in answer) {
        const { failure } = answer
        if (failure.why !== 'refused' || failure.status !== 413 || count === 1) return answer
        mostRows = Math.ceil(count / 2)
        continue
      }
      if (answer.value.results.length !== count) return { failure: unreachable(200) }
      return { value: { ...answer.value, sent: count } }
    }
  }

  return {
    push,
    pull: (request) => post('/v1/pull', JSON.stringify(request satisfies PullRequest), false, PullResponse),
    heads: (request) => post('/v1/heads', JSON.stringify(request satisfies HeadsRequest), false, HeadsResponse),
    history: (request) => post('/v1/history', JSON.stringify(request satisfies HistoryRequest), false, HistoryResponse),
    hints: async (tell) => {
      const asked = await ask('/v1/hints', null, false, parts.signal)
      if ('failure' in asked) return asked.failure
      try {
        for await (const line of linesOf(asked.value)) {
          const hint = Hint.safeParse(line)
          if (hint.success) tell(hint.data)
        }
      } catch {
        // The connection broke: what ends is what is told.
      }
      return unreachable(0)
    },
  }
}
