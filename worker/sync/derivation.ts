import type { KeyDerivation } from '../../src/schema/sync-keys.js'
import { type Bytes, fromBase64Url, randomBytes, toBase64Url, toUtf8 } from './bytes.js'

/** Argon2id, from wherever it is loaded. */
export type Argon2id = (
  passphrase: Bytes,
  salt: Bytes,
  cost: { readonly memoryKiB: number; readonly passes: number; readonly lanes: number },
) => Promise<Uint8Array>

const SALT_BYTES = 16
const ITERATIONS = 600_000
const MEMORY_KIB = 65_536
const PASSES = 3
/** Above these a hostile server could stop a device by the mere cost. */
const MOST = { iterations: 20_000_000, memoryKiB: 1_048_576, passes: 32, lanes: 16 }

/** How passphrases become keys where nothing else was asked for. */
export const newDerivation = (kdf: KeyDerivation['kdf'] = 'pbkdf2-sha256'): KeyDerivation => {
  const salt = toBase64Url(randomBytes(SALT_BYTES))
  return kdf === 'argon2id'
    ? { kdf, salt, memoryKiB: MEMORY_KIB, passes: PASSES, lanes: 1 }
    : { kdf: 'pbkdf2-sha256', salt, iterations: ITERATIONS }
}

/** Whether a derivation that came from outside costs who guesses enough, and who knows not too much. */
export const isAcceptable = (derivation: KeyDerivation): boolean => {
  const salt = fromBase64Url(derivation.salt)
  if (salt === null || salt.length < SALT_BYTES) return false
  switch (derivation.kdf) {
    case 'pbkdf2-sha256':
      return between(derivation.iterations, ITERATIONS, MOST.iterations)
    case 'argon2id':
      return (
        between(derivation.memoryKiB, MEMORY_KIB, MOST.memoryKiB) &&
        between(derivation.passes, PASSES, MOST.passes) &&
        between(derivation.lanes, 1, MOST.lanes)
      )
    default:
      return false
  }
}

const between = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most

/** What a key ring is locked with: a passphrase, or 32 bytes of the app's own. */
export type Secret = { readonly passphrase: string } | { readonly key: Uint8Array }

/** The key that wraps what is in the ring; it can be used for nothing else and cannot be read. */
export const lockingKey = async (
  secret: Secret,
  derivation: KeyDerivation,
  argon2id: () => Promise<Argon2id>,
): Promise<CryptoKey> => {
  const salt = fromBase64Url(derivation.salt) as Bytes
  const usages: readonly KeyUsage[] = ['wrapKey', 'unwrapKey']
  const locking = { name: 'AES-KW', length: 256 }
  if ('key' in secret) {
    const material = await crypto.subtle.importKey('raw', new Uint8Array(secret.key), 'HKDF', false, ['deriveKey'])
    const how = { name: 'HKDF', hash: 'SHA-256', salt, info: toUtf8('palimpsest lock') }
    return crypto.subtle.deriveKey(how, material, locking, false, [...usages])
  }
  // The same letters typed on another keyboard are the same passphrase.
  const words = toUtf8(secret.passphrase.normalize('NFKC'))
  if (derivation.kdf === 'argon2id') {
    const raw = new Uint8Array(await (await argon2id())(words, salt, derivation))
    return crypto.subtle.importKey('raw', raw, locking, false, [...usages])
  }
  const material = await crypto.subtle.importKey('raw', words, 'PBKDF2', false, ['deriveKey'])
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: derivation.iterations }
  return crypto.subtle.deriveKey(how, material, locking, false, [...usages])
}
