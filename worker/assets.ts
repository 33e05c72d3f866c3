import { MemoryError } from '../src/protocol/errors.js'
import { digestHex } from './digest.js'

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
  const found = await digestHex(bytes)
  if (found !== null && found !== __WASM_SHA256__) throw failed('it is not the file this build was made with')
  return bytes
}
