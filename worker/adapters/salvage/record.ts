import type { SqlValue } from '../../ports.js'

/** A number of one to nine bytes, and where it ends. */
export const varint = (bytes: Uint8Array, at: number): { readonly value: bigint; readonly end: number } => {
  let value = 0n
  for (let i = 0; i < 8; i++) {
    const byte = byteAt(bytes, at + i)
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return { value, end: at + i + 1 }
  }
  return { value: BigInt.asIntN(64, (value << 8n) | BigInt(byteAt(bytes, at + 8))), end: at + 9 }
}

/** The values of one row. Throws a RangeError when the bytes are not a record. */
export const decodeRecord = (bytes: Uint8Array): SqlValue[] => {
  const header = varint(bytes, 0)
  const headerEnd = Number(header.value)
  if (headerEnd < header.end || headerEnd > bytes.length) throw new RangeError('Header of a record')
  const types: number[] = []
  for (let at = header.end; at < headerEnd; ) {
    const { value, end } = varint(bytes, at)
    types.push(Number(value))
    at = end
  }
  let at = headerEnd
  const values = types.map((type) => {
    const size = sizeOf(type)
    if (at + size > bytes.length) throw new RangeError('Value of a record')
    const value = decodeValue(bytes.subarray(at, at + size), type)
    at += size
    return value
  })
  if (at !== bytes.length) throw new RangeError('Length of a record')
  return values
}

/** Bytes of each serial type below 12; 10 and 11 are reserved. */
const SIZES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

const sizeOf = (type: number): number => {
  if (type >= 12) return Math.floor((type - 12) / 2)
  const size = SIZES[type]
  if (size === undefined) throw new RangeError('Type of a value')
  return size
}

const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const decodeValue = (bytes: Uint8Array, type: number): SqlValue => {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type === 7) return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0)
  if (type < 7) return integer(bytes)
  if (type % 2 === 0) return bytes.slice()
  try {
    return text.decode(bytes)
  } catch {
    throw new RangeError('Text of a record')
  }
}

/** Big-endian, signed. A bigint only where a number would lose digits, as the engine's own answers are. */
const integer = (bytes: Uint8Array): number | bigint => {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return asNumber(BigInt.asIntN(bytes.length * 8, value))
}

export const asNumber = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value

const byteAt = (bytes: Uint8Array, at: number): number => {
  const byte = bytes[at]
  if (byte === undefined) throw new RangeError('End of the bytes')
  return byte
}
