import type { WireRow } from '../../schema/sync-wire.js'
import { canonicalJson } from '../canonical.js'
import { hex, sha256, utf8 } from '../sha256.js'

/** SHA-256 of a text's UTF-8 bytes. The server has a faster one than is at hand in a browser. */
export type HashText = (text: string) => Uint8Array

const hashText: HashText = (text) => sha256(utf8(text))

/** What a row's hash covers. Slot, generation and the body itself are missing: rotation and redaction take or change them. */
export type HashedRow = Pick<
  WireRow,
  'dev' | 'dseq' | 'ver' | 'kind' | 'nc' | 'kc' | 'kepoch' | 'parents' | 'human' | 'target' | 'bh'
>

const NOT_EXTRAS = new Set('dev dseq ver kind nc kc kepoch parents human target gen slot bh body'.split(' '))

const unknownFields = (row: object): string => {
  let extras: Record<string, unknown> | null = null
  for (const name in row) {
    if (NOT_EXTRAS.has(name)) continue
    extras ??= Object.create(null) as Record<string, unknown>
    extras[name] = (row as Record<string, unknown>)[name]
  }
  return extras === null ? '' : canonicalJson(extras)
}

/** The text that is hashed. No field but the last can hold a line break, so no two rows have the same one. */
export const hashedText = (row: HashedRow, extras: string = unknownFields(row)): string =>
  `palimpsest row 1\n${row.dev}\n${row.dseq}\n${row.ver}\n${row.kind}\n${row.nc}\n${row.kc ?? ''}\n${row.kepoch}\n${row.parents.join()}\n${
    row.human
  }\n${row.target ?? ''}\n${row.bh ?? ''}\n${extras}`

/** Hash of a row: the same before and after its body was redacted or its key rotated. */
export const rowHash = (row: HashedRow, hash: HashText = hashText): Uint8Array => hash(hashedText(row))

/** Hash of a body's bytes, as its row carries it. */
export const bodyHash = (body: Uint8Array): string => hex(sha256(body))

/** Sum of no rows. */
export const EMPTY_DIGEST = '0'.repeat(64)

const BYTES = 32

/**
 * Sum of rows' hashes, as numbers of 256 bits: the same whatever the order in which rows arrived, and what was added can be taken out.
 * It starts from a digest and is changed in place.
 */
export interface RunningDigest {
  readonly add: (rowHash: Uint8Array) => void
  readonly subtract: (rowHash: Uint8Array) => void
  readonly bytes: () => Uint8Array
  readonly hex: () => string
}

export const runningDigest = (from: string | Uint8Array = EMPTY_DIGEST): RunningDigest => {
  const sum = new Uint8Array(BYTES)
  for (let i = 0; i < BYTES; i++)
    sum[i] = typeof from === 'string' ? Number.parseInt(from.slice(2 * i, 2 * i + 2), 16) : (from[i] ?? 0)
  return {
    add: (rowHash) => {
      for (let i = BYTES - 1, carry = 0; i >= 0; i--) {
        carry += (sum[i] ?? 0) + (rowHash[i] ?? 0)
        sum[i] = carry & 255
        carry >>= 8
      }
    },
    subtract: (rowHash) => {
      for (let i = BYTES - 1, borrow = 0; i >= 0; i--) {
        borrow += (sum[i] ?? 0) - (rowHash[i] ?? 0)
        sum[i] = borrow & 255
        borrow >>= 8
      }
    },
    bytes: () => sum.slice(),
    hex: () => hex(sum),
  }
}
