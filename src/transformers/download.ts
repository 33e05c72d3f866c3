import { WEB_PAGE } from './check-file.js'

export interface DownloadOptions {
  readonly fetch: typeof fetch
  /** Without a byte for so long, a part counts as failed. */
  readonly stallMs: number
  readonly pause: (milliseconds: number) => Promise<void>
  readonly onBytes: (loaded: number, total: number | null) => void
}

/** A whole file, or the answer of a server that refuses it for good. */
export type Download = { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string } | { readonly refusal: Response }

/** Attempts in a row that may bring nothing new. */
const ATTEMPTS = 4
const FIRST_PAUSE_MS = 300

/**
 * Downloads a file. A part that breaks off or stalls is taken up where it ended; only what brings nothing new, several times in a
 * row, ends it. Throws an error whose message is the rest of a sentence about the file.
 */
export const download = async (url: string, options: DownloadOptions): Promise<Download> => {
  const file: PartialFile = { parts: [], received: 0, total: null, version: null, type: '' }
  let furthest = 0
  for (let failures = 0; ; ) {
    const outcome = await fetchPart(url, file, options)
    if (outcome === 'complete') return { bytes: joined(file), type: file.type }
    if (typeof outcome !== 'string') return { refusal: outcome.refusal }
    failures = file.received > furthest ? 1 : failures + 1
    furthest = Math.max(furthest, file.received)
    if (failures === ATTEMPTS) throw new Error(outcome)
    await options.pause(FIRST_PAUSE_MS * 2 ** (failures - 1))
  }
}

interface PartialFile {
  parts: Uint8Array<ArrayBuffer>[]
  received: number
  total: number | null
  /** Tells two versions of a file apart. */
  version: string | null
  type: string
}

type Part = 'complete' | (string & {}) | { readonly refusal: Response }

/** One request for what is missing. Answers with what went wrong, in words, if it may go better the next time. */
const fetchPart = async (url: string, file: PartialFile, { fetch, stallMs, onBytes }: DownloadOptions): Promise<Part> => {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let stalled = false
  const wait = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      stalled = true
      controller.abort()
    }, stallMs)
  }
  wait()
  try {
    const headers: Record<string, string> = file.received > 0 ? { range: `bytes=${file.received}-` } : {}
    // What is right is kept in a cache of our own, what is wrong must not come back from another.
    const response = await fetch(url, { headers, cache: 'no-store', signal: controller.signal })
    const refused = refusalOf(response)
    if (refused !== null) return refused
    if (!(await continues(file, response))) return 'changed while it was downloaded'
    const reader = response.body?.getReader()
    for (;;) {
      wait()
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done || value === undefined) break
      file.parts.push(value)
      file.received += value.length
      onBytes(file.received, file.total)
    }
    return file.total !== null && file.received < file.total
      ? `ended after ${file.received} of ${file.total} bytes`
      : 'complete'
  } catch (error) {
    if (error instanceof Error && error.message === WEB_PAGE) throw error
    if (stalled) return `stalled: nothing came for ${stallMs} ms after ${file.received} bytes`
    return file.received === 0 ? 'cannot be reached' : `broke off after ${file.received} bytes`
  } finally {
    clearTimeout(timer)
  }
}

/** Busy servers are asked again, others are believed. */
const refusalOf = (response: Response): Part | null => {
  const { status } = response
  if (status === 416) return null
  if (status >= 500 || status === 408 || status === 429) return `answers ${status}`
  if (!response.ok) return { refusal: response }
  if (response.headers.get('content-type')?.startsWith('text/html')) throw new Error(WEB_PAGE)
  return null
}

/** Whether the answer goes on where the file ended. If not, the file starts anew: with this answer if it is the whole file. */
const continues = async (file: PartialFile, response: Response): Promise<boolean> => {
  const { headers } = response
  const version = headers.get('etag') ?? headers.get('last-modified')
  const from = Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? 0)
  const follows = response.status === 206 && from === file.received && version === file.version
  if (!follows) Object.assign(file, { parts: [], received: 0, total: null })
  if (response.status !== 200 && !follows) {
    await response.body?.cancel()
    return false
  }
  // The length of what is compressed on the way is not that of the file.
  const length = headers.has('content-encoding') ? null : headers.get('content-length')
  file.total = length === null ? null : file.received + Number(length)
  file.version = version
  file.type = headers.get('content-type') ?? ''
  return true
}

const joined = ({ parts, received }: PartialFile): Uint8Array<ArrayBuffer> => {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  const bytes = new Uint8Array(received)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
