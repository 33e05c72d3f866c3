/** Long enough for readable names, short enough for file systems that stop at 255 bytes and for SQLite's own limit. */
const LONGEST = 100

/**
 * A store name in lower-case letters, digits and `-`, everything else as `_` and hex bytes. File systems differ in which
 * letters they tell apart, and SQLite wants plain names for its file systems. Long names end in a hash.
 */
export const safeName = (name: string): string => {
  const bytes = new TextEncoder().encode(name)
  const spelled = [...bytes].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `_${hex(byte)}`)).join('')
  return spelled.length <= LONGEST ? spelled : `${spelled.slice(0, LONGEST - 30)}--${fnv128(bytes)}`
}

const isPlain = (byte: number): boolean => /[a-z0-9-]/.test(String.fromCharCode(byte))

const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

/** FNV-1a with 128 bits: two stores must never share a directory. */
const fnv128 = (bytes: Uint8Array): string => {
  let hash = 0x6c62272e07bb014262b821756295c58dn
  for (const byte of bytes) hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * 0x1000000000000000000013bn)
  return hash.toString(36)
}
