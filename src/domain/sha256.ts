import { sha256 as digest } from '@noble/hashes/sha2.js'

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** SHA-256 of bytes. Synchronous, since the hash chain is computed inside a transaction. */
export const sha256 = (bytes: Uint8Array): Uint8Array => digest(bytes)

/** SHA-256 of what comes in pieces. */
export interface RunningSha256 {
  readonly update: (bytes: Uint8Array) => void
  /** Of all pieces so far; more may follow. */
  readonly hex: () => string
}

export const runningSha256 = (): RunningSha256 => {
  const state = digest.create()
  return { update: (bytes) => void state.update(bytes), hex: () => hex(state.clone().digest()) }
}

/** UTF-8 bytes of a text. Spelled out, since this layer has no platform types. */
export const utf8 = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length * 3)
  let length = 0
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i)
    if (code >= 0xd800 && code < 0xdc00 && i + 1 < text.length)
      code = 0x10000 + ((code - 0xd800) << 10) + (text.charCodeAt(++i) - 0xdc00)
    if (code < 0x80) bytes[length++] = code
    else if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >> 6)
      bytes[length++] = 0x80 | (code & 63)
    } else if (code < 0x10000) {
      bytes[length++] = 0xe0 | (code >> 12)
      bytes[length++] = 0x80 | ((code >> 6) & 63)
      bytes[length++] = 0x80 | (code & 63)
    } else {
      bytes[length++] = 0xf0 | (code >> 18)
      bytes[length++] = 0x80 | ((code >> 12) & 63)
      bytes[length++] = 0x80 | ((code >> 6) & 63)
      bytes[length++] = 0x80 | (code & 63)
    }
  }
  return bytes.subarray(0, length)
}

/** Lower-case hexadecimal. */
export const hex = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}

/** SHA-256 of a text's UTF-8 bytes, in hexadecimal. */
export const sha256Hex = (text: string): string => hex(sha256(utf8(text)))
