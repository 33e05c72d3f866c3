import { hashedText } from '../../src/domain/sync/row-digest.js'
import { MAX_BODY_BYTES, type WireRow } from '../../src/schema/sync-wire.js'
import { type Bytes, concat, fromBase64Url, randomBytes, toBase64Url, toUtf8 } from './bytes.js'
import type { SyncKeys } from './key-ring.js'
import { pad, unpad } from './padding.js'

/** What a row says in the clear, before it has a body. */
export type ClearHeader = Omit<WireRow, 'gen' | 'slot' | 'bh' | 'body'>

export type SealedRow = { readonly row: WireRow } | { readonly refused: 'too_large' }

export type OpenedRow =
  | { readonly text: Bytes }
  /**
   * `gone`: it has no body any more, and nobody can vouch for its header; it counts once a removal explains it. `plain`: it is not
   * encrypted although this account is. `no_key`: of a generation that this device has no key of. `forged`: header, key and body do not
   * belong together, or somebody changed one of them.
   */
  | { readonly refused: 'gone' | 'plain' | 'no_key' | 'forged' }

const SALT_BYTES = 16
/** Each key encrypts one body and no more, so that the same first block is safe. */
const IV = new Uint8Array(12)
const CONTENT = { name: 'AES-GCM', length: 256 }

/** All that stands in the clear but what rotation and removal change. */
const associated = (header: ClearHeader): Bytes => {
  const { gen: _gen, slot: _slot, bh: _bh, body: _body, ...clear } = header as Partial<WireRow> & ClearHeader
  return toUtf8(hashedText({ ...clear, bh: null } as WireRow))
}

const bodyHashOf = async (body: Bytes): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * A row as it is sent. With keys every row gets a body, also one that has nothing to hide: it is the body that vouches for the header.
 * Without keys the body is the text behind a salt, so that its hash tells nothing once the body is gone.
 */
export const sealRow = async (keys: SyncKeys | null, header: ClearHeader, text: Uint8Array): Promise<SealedRow> => {
  if (keys === null) return withBody(header, 0, null, concat(randomBytes(SALT_BYTES), text))
  const key = await crypto.subtle.generateKey(CONTENT, true, ['encrypt'])
  const how = { name: 'AES-GCM', iv: IV, additionalData: associated(header) }
  const body = new Uint8Array(await crypto.subtle.encrypt(how, key, pad(text)))
  const slot = new Uint8Array(await crypto.subtle.wrapKey('raw', key, wrapOf(keys, keys.gen), 'AES-KW'))
  return withBody(header, keys.gen, toBase64Url(slot), body)
}

const wrapOf = (keys: SyncKeys, gen: number): CryptoKey => keys.wraps.get(gen) as CryptoKey

const withBody = async (header: ClearHeader, gen: number, slot: string | null, body: Bytes): Promise<SealedRow> =>
  body.length > MAX_BODY_BYTES
    ? { refused: 'too_large' }
    : { row: { ...header, gen, slot, bh: await bodyHashOf(body), body: toBase64Url(body) } as WireRow }

/** What a row that arrived says. */
export const openRow = async (keys: SyncKeys | null, row: WireRow): Promise<OpenedRow> => {
  if (row.body === null) return { refused: 'gone' }
  const body = fromBase64Url(row.body)
  if (body === null || row.bh !== (await bodyHashOf(body))) return { refused: 'forged' }
  if (keys === null) {
    if (row.gen !== 0) return { refused: 'no_key' }
    return body.length < SALT_BYTES ? { refused: 'forged' } : { text: body.slice(SALT_BYTES) }
  }
  if (row.gen === 0) return { refused: 'plain' }
  const wrap = keys.wraps.get(row.gen)
  if (wrap === undefined) return { refused: 'no_key' }
  const slot = row.slot === null ? null : fromBase64Url(row.slot)
  if (slot === null) return { refused: 'gone' }
  try {
    const key = await crypto.subtle.unwrapKey('raw', slot, wrap, 'AES-KW', CONTENT, false, ['decrypt'])
    const how = { name: 'AES-GCM', iv: IV, additionalData: associated(row) }
    const text = unpad(new Uint8Array(await crypto.subtle.decrypt(how, key, body)))
    return text === null ? { refused: 'forged' } : { text: new Uint8Array(text) }
  } catch {
    // Neither AES-KW nor AES-GCM says more than that something was changed.
    return { refused: 'forged' }
  }
}

/** A row's key wrapped for another generation; null when it is not what the old generation wrapped. The body stays as it is. */
export const rewrapSlot = async (keys: SyncKeys, slot: string, from: number, to: number): Promise<string | null> => {
  const [old, young] = [keys.wraps.get(from), keys.wraps.get(to)]
  const bytes = fromBase64Url(slot)
  if (old === undefined || young === undefined || bytes === null) return null
  try {
    const key = await crypto.subtle.unwrapKey('raw', bytes, old, 'AES-KW', CONTENT, true, ['decrypt'])
    return toBase64Url(new Uint8Array(await crypto.subtle.wrapKey('raw', key, young, 'AES-KW')))
  } catch {
    return null
  }
}
