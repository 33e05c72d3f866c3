import type { Llm } from '../protocol/asking-calls.js'
import { LlmError } from './llm-error.js'

/** How to reach an endpoint that speaks the chat completions of OpenAI: a hosted one, or one of this machine. */
export interface OpenAiOptions {
  /** Without `/chat/completions`, such as `http://localhost:11434/v1`. */
  readonly baseUrl: string | URL
  readonly model: string
  /** Sent as a bearer token. A key that stands in a page is known to all who read the page. */
  readonly apiKey?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds for one attempt, headers and body. Default 60,000. */
  readonly timeoutMs?: number
  /** Further attempts after 429, 500, 502, 503, 504 and a lost connection. Default 2. */
  readonly retries?: number
  readonly fetch?: typeof fetch
}

/** Bytes of an answer. */
const LARGEST = 1_048_576
/** Longest wait before another attempt, whatever the endpoint asks for. */
const LONGEST_WAIT_MS = 20_000
const FIRST_WAIT_MS = 500
const AGAIN: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

/** How an endpoint is told to answer with JSON, the strictest first: not every one knows them all. */
const FORMATS = [
  (schema: object): object => ({
    response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
  }),
  (): object => ({ response_format: { type: 'json_object' } }),
  (): object => ({}),
] as const

/**
 * A language model behind an endpoint that speaks the chat completions of OpenAI, for `ask` and `setFromMessages`. Waits and tries again
 * when it is busy, asks for JSON by the schema, and for less where the endpoint refuses that. Rejects with an {@link LlmError}.
 *
 * ```ts
 * const llm = openAiLlm({ baseUrl: 'http://localhost:11434/v1', model: 'qwen3:8b' })
 * await memory.setFromMessages(messages, { llm })
 * ```
 */
export const openAiLlm = (options: OpenAiOptions): Llm => {
  const url = `${String(options.baseUrl).replace(/\/+$/, '')}/chat/completions`
  const { model, apiKey, headers, timeoutMs = 60_000, retries = 2, fetch: send = globalThis.fetch } = options
  let format = 0

  const attempt = async (body: string, signal: AbortSignal): Promise<Answer> => {
    const ending = new AbortController()
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      ending.abort()
    }, timeoutMs)
    const stop = (): void => ending.abort()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const response = await send(url, {
        method: 'POST',
        // A redirect would carry what was said to somewhere else.
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
          ...headers,
        },
        body,
        signal: ending.signal,
      })
      return {
        ok: response.ok,
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        text: await textWithin(response, LARGEST),
      }
    } catch (error) {
      if (error instanceof LlmError) throw error
      if (signal.aborted) throw new LlmError('aborted', 'The call was stopped.', null, { cause: error })
      if (timedOut) throw new LlmError('timeout', `${url} gave no answer within ${timeoutMs} ms.`, null, { cause: error })
      throw new LlmError('network', `${url} could not be reached.`, null, { cause: error })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }

  return async (messages, { schema, signal }) => {
    for (let tries = 0; ; ) {
      if (signal.aborted) throw new LlmError('aborted', 'The call was stopped.')
      const body = JSON.stringify({ model, messages, temperature: 0, stream: false, ...FORMATS[format]?.(schema) })
      const answer = await attempt(body, signal).catch((error: LlmError) => error)
      if (answer instanceof LlmError) {
        if (answer.code !== 'network' || tries >= retries) throw answer
        await pause(FIRST_WAIT_MS * 2 ** tries++, signal)
        continue
      }
      if (answer.ok) return contentOf(answer.text)
      if (
        (answer.status === 400 || answer.status === 422) &&
        format < FORMATS.length - 1 &&
        /response_format|json_schema|schema|grammar/i.test(answer.text)
      ) {
        format++
        continue
      }
      if (!AGAIN.has(answer.status) || tries >= retries)
        throw new LlmError('http', `${url} answered ${answer.status}.`, answer.status)
      await pause(waitOf(answer.retryAfter, tries++), signal)
    }
  }
}

interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
}

const textWithin = async (response: Response, most: number): Promise<string> => {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  for (let size = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.length
    if (size > most) {
      await reader.cancel().catch(() => undefined)
      throw new LlmError('too_large', `The answer is larger than ${most} bytes.`, response.status)
    }
    text += decoder.decode(value, { stream: true })
  }
}

interface Completion {
  readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[]
}

const contentOf = (body: string): string => {
  let read: Completion | null
  try {
    read = JSON.parse(body) as Completion | null
  } catch (error) {
    throw new LlmError('shape', 'The answer is no JSON.', 200, { cause: error })
  }
  const content = read?.choices?.[0]?.message?.content
  if (typeof content === 'string') return content
  if (Array.isArray(content))
    return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('')
  throw new LlmError('shape', 'The answer holds no message.', 200)
}

const waitOf = (retryAfter: string | null, tries: number): number => {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter)
  const asked = Number.isFinite(seconds)
    ? seconds * 1000
    : retryAfter === null
      ? Number.NaN
      : Date.parse(retryAfter) - Date.now()
  return Math.min(Math.max(Number.isNaN(asked) ? FIRST_WAIT_MS * 2 ** tries : asked, 0), LONGEST_WAIT_MS)
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resume, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new LlmError('aborted', 'The call was stopped.'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resume()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
