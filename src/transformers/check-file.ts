import type { ExpectedFiles } from './messages.js'

/** What is wrong with a file, as the rest of a sentence about it, or null. Servers answer a wrong path with all sorts of things. */
export const faultOf = async (
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  expected: ExpectedFiles[string] = {},
): Promise<string | null> => {
  const start = new TextDecoder().decode(bytes.subarray(0, LOOKED_AT)).trimStart().toLowerCase()
  if (/^<(!doctype html|html|head)/.test(start)) return WEB_PAGE
  if (start.startsWith('version https://git-lfs.')) return 'is a Git LFS pointer and not the file that it stands for'
  if (expected.bytes !== undefined && bytes.length !== expected.bytes)
    return `has ${bytes.length} bytes instead of ${expected.bytes}`
  if (expected.sha256 !== undefined) {
    const found = await sha256Of(bytes)
    if (found !== null && found !== expected.sha256.toLowerCase())
      return `is not the file that is expected: its SHA-256 is ${found}`
  }
  const wanted = SHAPES.find(({ suffix }) => path.endsWith(suffix))
  return wanted === undefined || wanted.fits(bytes) ? null : `is not ${wanted.what}`
}

export const WEB_PAGE = 'is a web page, which servers send in place of a file that they do not have'

const LOOKED_AT = 256

const SHAPES: readonly { suffix: string; what: string; fits: (bytes: Uint8Array) => boolean }[] = [
  { suffix: '.json', what: 'JSON', fits: (bytes) => isJson(new TextDecoder().decode(bytes)) },
  { suffix: '.onnx', what: 'an ONNX model', fits: (bytes) => bytes.length > 16 && startsMessage(bytes[0] as number) },
  { suffix: '.wasm', what: 'a WebAssembly module', fits: (bytes) => WASM_MAGIC.every((byte, at) => bytes[at] === byte) },
]

const WASM_MAGIC = [0, 97, 115, 109]

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a protocol buffer can start so: a field of a model, being a number or a length. */
const startsMessage = (tag: number): boolean => tag >= 8 && (tag & 7) % 2 === 0 && (tag & 7) < 4

/** Null where the page may not compute it: without https, nothing else about the file can be trusted either. */
const sha256Of = async (bytes: Uint8Array<ArrayBuffer>): Promise<string | null> => {
  const { subtle } = globalThis.crypto ?? {}
  if (subtle === undefined) return null
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
