import { canonicalJson } from '../../src/domain/canonical.js'
import type { KeyDerivation, KeyRing } from '../../src/schema/sync-keys.js'
import { type Bytes, fromBase64Url, randomBytes, toBase64Url, toUtf8 } from './bytes.js'
import { type Argon2id, isAcceptable, lockingKey, newDerivation, type Secret } from './derivation.js'

/** An account's keys as a device holds them: none can be read out of the browser. */
export interface SyncKeys {
  readonly gen: number
  /** The generation a rotation is on its way to, or null. */
  readonly next: number | null
  /** Commits to names of namespaces and keys. */
  readonly index: CryptoKey
  /** Vouches for the key ring. */
  readonly mac: CryptoKey
  /** Wrap the keys of rows, by generation. */
  readonly wraps: ReadonlyMap<number, CryptoKey>
}

export type RingRefusal =
  /** The passphrase or key is another one, or somebody changed what it wraps. */
  | 'wrong_secret'
  /** The ring asks for a derivation that is too cheap to guess, or too dear to carry out. */
  | 'weak_derivation'
  /** Its parts do not belong together. */
  | 'forged'
  /** It is older than what this device has seen. */
  | 'older'

export type OpenedRing = { readonly keys: SyncKeys } | { readonly refused: RingRefusal }

const HMAC = { name: 'HMAC', hash: 'SHA-256', length: 256 }
const MASTER_BYTES = 32

const derive = async (
  material: CryptoKey,
  info: string,
  to: AesKeyAlgorithm | typeof HMAC,
  usages: KeyUsage[],
): Promise<CryptoKey> => {
  const how = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: toUtf8(`palimpsest ${info}`) }
  return crypto.subtle.deriveKey(how, material, to, false, usages)
}

const asMaterial = (raw: Bytes): Promise<CryptoKey> => crypto.subtle.importKey('raw', raw, 'HKDF', false, ['deriveKey'])

const macKey = async (index: Bytes): Promise<CryptoKey> => derive(await asMaterial(index), 'mac', HMAC, ['sign', 'verify'])

const wrapKey = async (master: Bytes): Promise<CryptoKey> =>
  derive(await asMaterial(master), 'wrap', { name: 'AES-KW', length: 256 }, ['wrapKey', 'unwrapKey'])

/** Secrets of a ring, in the open: for as long as it takes to make another ring of them. */
interface Masters {
  readonly index: Bytes
  readonly byGen: ReadonlyMap<number, Bytes>
}

const keysOf = async ({ index, byGen }: Masters, { gen, next }: Pick<KeyRing, 'gen' | 'next'>): Promise<SyncKeys> => ({
  gen,
  next,
  index: await derive(await asMaterial(index), 'index', HMAC, ['sign']),
  mac: await macKey(index),
  wraps: new Map(await Promise.all([...byGen].map(async ([of, raw]) => [of, await wrapKey(raw)] as const))),
})

const wrapped = async (raw: Bytes, by: CryptoKey): Promise<string> => {
  const key = await crypto.subtle.importKey('raw', raw, HMAC, true, ['sign'])
  return toBase64Url(new Uint8Array(await crypto.subtle.wrapKey('raw', key, by, 'AES-KW')))
}

const unwrapped = async (text: string, by: CryptoKey): Promise<Bytes | null> => {
  const bytes = fromBase64Url(text)
  if (bytes === null) return null
  try {
    const key = await crypto.subtle.unwrapKey('raw', bytes, by, 'AES-KW', HMAC, true, ['sign'])
    return new Uint8Array(await crypto.subtle.exportKey('raw', key))
  } catch {
    // Wrapped by another key, or changed: AES-KW tells no more.
    return null
  }
}

const macText = ({ mac: _, ...rest }: KeyRing): Bytes => toUtf8(`palimpsest ring ${canonicalJson(rest)}`)

const sealed = async (ring: Omit<KeyRing, 'mac'>, index: Bytes): Promise<KeyRing> => {
  const mac = await crypto.subtle.sign('HMAC', await macKey(index), macText({ ...ring, mac: '' }))
  return { ...ring, mac: toBase64Url(new Uint8Array(mac)) }
}

/** What rings are made and opened with. */
export interface RingTools {
  /** Loads Argon2id where a ring asks for it. */
  readonly argon2id: () => Promise<Argon2id>
}

const lockedRing = async (
  masters: Masters,
  place: Pick<KeyRing, 'gen' | 'next'>,
  derivation: KeyDerivation,
  by: CryptoKey,
): Promise<KeyRing> => {
  const entries = [...masters.byGen].sort(([a], [b]) => a - b)
  const list = await Promise.all(entries.map(async ([gen, raw]) => ({ gen, wrapped: await wrapped(raw, by) })))
  return sealed(
    { v: 1, derivation, gen: place.gen, next: place.next, index: await wrapped(masters.index, by), masters: list },
    masters.index,
  )
}

/** Makes the ring of a new account. */
export const createRing = async (
  secret: Secret,
  tools: RingTools,
  kdf: KeyDerivation['kdf'] = 'pbkdf2-sha256',
): Promise<{ readonly ring: KeyRing; readonly keys: SyncKeys }> => {
  const derivation = newDerivation(kdf)
  const masters: Masters = { index: randomBytes(MASTER_BYTES), byGen: new Map([[1, randomBytes(MASTER_BYTES)]]) }
  const place = { gen: 1, next: null }
  const ring = await lockedRing(masters, place, derivation, await lockingKey(secret, derivation, tools.argon2id))
  return { ring, keys: await keysOf(masters, place) }
}

const unlock = async (
  ring: KeyRing,
  secret: Secret,
  tools: RingTools,
): Promise<{ readonly masters: Masters; readonly by: CryptoKey } | { readonly refused: RingRefusal }> => {
  if (!isAcceptable(ring.derivation)) return { refused: 'weak_derivation' }
  const by = await lockingKey(secret, ring.derivation, tools.argon2id)
  const index = await unwrapped(ring.index, by)
  if (index === null) return { refused: 'wrong_secret' }
  const byGen = new Map<number, Bytes>()
  for (const { gen, wrapped: text } of ring.masters) {
    const master = await unwrapped(text, by)
    if (master === null || byGen.has(gen)) return { refused: 'forged' }
    byGen.set(gen, master)
  }
  const mac = fromBase64Url(ring.mac)
  const isOurs = mac !== null && (await crypto.subtle.verify('HMAC', await macKey(index), mac, macText(ring)))
  if (!isOurs || !byGen.has(ring.gen) || (ring.next !== null && !byGen.has(ring.next))) return { refused: 'forged' }
  return { masters: { index, byGen }, by }
}

/**
 * Opens the ring that a server handed out.
 *
 * @param seenGen the highest generation that this device has used; 0 before the first
 */
export const openRing = async (ring: KeyRing, secret: Secret, tools: RingTools, seenGen = 0): Promise<OpenedRing> => {
  const opened = await unlock(ring, secret, tools)
  if ('refused' in opened) return opened
  return ring.gen < seenGen ? { refused: 'older' } : { keys: await keysOf(opened.masters, ring) }
}

export type ChangedRing = { readonly ring: KeyRing; readonly keys: SyncKeys } | { readonly refused: RingRefusal }

/** The same keys under another passphrase: no row changes. Who kept the old ring and the old passphrase can still read. */
export const relockRing = async (
  ring: KeyRing,
  from: Secret,
  to: Secret,
  tools: RingTools,
  kdf: KeyDerivation['kdf'] = ring.derivation.kdf,
): Promise<ChangedRing> => {
  const opened = await unlock(ring, from, tools)
  if ('refused' in opened) return opened
  const derivation = newDerivation(kdf)
  const by = await lockingKey(to, derivation, tools.argon2id)
  return { ring: await lockedRing(opened.masters, ring, derivation, by), keys: await keysOf(opened.masters, ring) }
}

/** What a step of a rotation does to the generations of a ring. */
export type RingStep =
  /** Adds a generation that rows are to be wrapped with. */
  | 'prepare'
  /** From here on rows are wrapped with it. */
  | 'flip'
  /** Takes the generations before away, once no row is left under them. */
  | 'retire'

export const stepRing = async (ring: KeyRing, secret: Secret, tools: RingTools, step: RingStep): Promise<ChangedRing> => {
  const opened = await unlock(ring, secret, tools)
  if ('refused' in opened) return opened
  const byGen = new Map(opened.masters.byGen)
  let { gen, next } = ring
  if (step === 'prepare' && next === null) {
    next = Math.max(...byGen.keys()) + 1
    byGen.set(next, randomBytes(MASTER_BYTES))
  } else if (step === 'flip' && next !== null) {
    gen = next
    next = null
  } else if (step === 'retire') {
    for (const old of [...byGen.keys()]) if (old < gen) byGen.delete(old)
  }
  const masters: Masters = { index: opened.masters.index, byGen }
  const changed = await lockedRing(masters, { gen, next }, ring.derivation, opened.by)
  return { ring: changed, keys: await keysOf(masters, changed) }
}
