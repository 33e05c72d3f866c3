import { MemoryError } from '../src/protocol/errors.js'

declare const __WASM_SHA256__: string

/** The bytes of `sqlite3.wasm`, checked against the build they belong to before they run. */
export const loadWasm = async (url: string): Promise<ArrayBuffer> => {
  const failed = (cause: string): MemoryError =>
    new MemoryError(
      'WORKER_FAILED',
      `${url} could not be used: ${cause}. Serve sqlite3.wasm beside the worker, or say where it is with assetBase.`,
      { url, cause },
    )
  const response = await fetch(url).catch((error: unknown) => {
    throw failed(error instanceof Error ? error.message : String(error))
  })
  if (!response.ok) throw failed(`the server answered ${response.status}`)
  const bytes = await response.arrayBuffer()
  const found = await sha256Hex(bytes)
  if (found !== null && found !== __WASM_SHA256__) throw failed('it is not the file this build was made with')
  return bytes
}

/** Null on pages without a secure context, which have no digest. */
const sha256Hex = async (bytes: ArrayBuffer): Promise<string | null> => {
  if (crypto.subtle === undefined) return null
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
