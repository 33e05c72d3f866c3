const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * A new memory id: 26 characters of Crockford base 32, 10 of time and 16 of chance, so that ids sort by creation (the ULID
 * layout).
 *
 * @param random at least 16 random bytes; five bits of each are used
 */
export const memoryId = (nowMs: number, random: Uint8Array): string => {
  let time = ''
  let rest = Math.max(0, Math.trunc(nowMs))
  for (let i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  let chance = ''
  for (let i = 0; i < 16; i++) chance += ALPHABET[(random[i] ?? 0) & 31]
  return time + chance
}
