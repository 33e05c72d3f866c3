import type { Bytes } from './bytes.js'

const PREFIX = 4
const SMALLEST = 64

/**
 * The length that hides a length: of the bits of the number only about as many as its size has digits in binary stay free, so that it tells
 * no more than its own size does (Padmé). At most 12 % longer, and nothing is shorter than 64 bytes.
 */
export const paddedLength = (length: number): number => {
  if (length <= SMALLEST) return SMALLEST
  const exponent = Math.floor(Math.log2(length))
  const free = exponent - (Math.floor(Math.log2(exponent)) + 1)
  const mask = 2 ** free - 1
  return Math.ceil(length / (mask + 1)) * (mask + 1)
}

/** The bytes behind their length, filled up with zeros. */
export const pad = (bytes: Uint8Array): Bytes => {
  const padded = new Uint8Array(paddedLength(PREFIX + bytes.length))
  new DataView(padded.buffer).setUint32(0, bytes.length)
  padded.set(bytes, PREFIX)
  return padded
}

/** What was padded, or null when it was not padded this way. */
export const unpad = (padded: Uint8Array): Uint8Array | null => {
  if (padded.length < SMALLEST) return null
  const length = new DataView(padded.buffer, padded.byteOffset).getUint32(0)
  if (PREFIX + length > padded.length || paddedLength(PREFIX + length) !== padded.length) return null
  return padded.subarray(PREFIX + length).every((byte) => byte === 0) ? padded.subarray(PREFIX, PREFIX + length) : null
}
