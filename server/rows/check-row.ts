import { hash } from 'node:crypto'
import { canonicalJson } from '../../src/domain/canonical.js'
import { hashedText } from '../../src/domain/sync/row-digest.js'
import {
  extrasOf,
  extrasProblem,
  MAX_BODY_BYTES,
  MAX_PARENTS,
  type PushResult,
  type WireRow,
} from '../../src/schema/sync-wire.js'

/** A row that was found to be one, with what is needed to store it. */
export interface CheckedRow {
  readonly id: string
  readonly row: WireRow
  readonly body: Buffer | null
  readonly slot: Buffer | null
  readonly bodyHash: Buffer | null
  readonly hash: Buffer
  /** Unknown fields as canonical JSON, or null. */
  readonly extras: string | null
  /** What it counts for in the account. */
  readonly bytes: number
}

export type Checked = CheckedRow | { readonly refused: Pick<PushResult, 'status' | 'reason'> }

/** What a row takes beside its body: header, hashes, indexes. */
export const ROW_OVERHEAD = 400

/** Rows by which space is given back go in however full an account is, and must be small for it. */
export const isUncounted = (kind: string): boolean => kind === 'erase' || kind === 'redact'
const MAX_UNCOUNTED = 8_192

const DEVICE = /^[0-9a-f]{16}$/
const ROW_ID = /^[0-9a-f]{16}\.[1-9]\d{0,9}$/
const VERSION = /^[1-9]\d{0,18}$/
const MAX_VERSION = '9223372036854775807'
const KIND = /^[a-z][a-z0-9_-]{0,31}$/
const COMMITMENT = /^[A-Za-z0-9_-]{16,64}$/
const BASE64URL = /^[A-Za-z0-9_-]+$/
const SHA256 = /^[0-9a-f]{64}$/
const MAX_EPOCH = 2_147_483_647
const MAX_COUNTER = 9_999_999_999
const MAX_BODY_TEXT = Math.ceil((MAX_BODY_BYTES * 4) / 3)
const MAX_SLOT_TEXT = 256

const isText = (value: unknown, form: RegExp): value is string => typeof value === 'string' && form.test(value)
const isWholeIn = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
const isBase64url = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length > 1 && value.length <= max && value.length % 4 !== 1 && BASE64URL.test(value)
const isParents = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= MAX_PARENTS && value.every((id) => isText(id, ROW_ID))

/**
 * The first field that is not as it must be, or null. The schema of the wire says the same and takes several times as long, which
 * for whole pages of rows is most of a push; a test holds the two together.
 */
const wrongField = (row: Record<string, unknown>): string | null => {
  if (!isText(row.dev, DEVICE)) return 'dev'
  if (!isWholeIn(row.dseq, 1, MAX_COUNTER)) return 'dseq'
  if (!isText(row.ver, VERSION) || (row.ver.length === 19 && row.ver > MAX_VERSION)) return 'ver'
  if (!isText(row.kind, KIND)) return 'kind'
  if (!isText(row.nc, COMMITMENT)) return 'nc'
  if (row.kc !== null && !isText(row.kc, COMMITMENT)) return 'kc'
  if (!isWholeIn(row.kepoch, 0, MAX_EPOCH)) return 'kepoch'
  if (!isParents(row.parents)) return 'parents'
  if (row.human !== 0 && row.human !== 1) return 'human'
  if (row.kind === 'redact' ? !isText(row.target, ROW_ID) : row.target !== null) return 'target'
  if (!isWholeIn(row.gen, 0, MAX_EPOCH)) return 'gen'
  if (row.slot !== null && (row.gen === 0 || !isBase64url(row.slot, MAX_SLOT_TEXT))) return 'slot'
  if (row.bh !== null && !isText(row.bh, SHA256)) return 'bh'
  if (row.body !== null && (row.bh === null || !isBase64url(row.body, MAX_BODY_TEXT))) return 'body'
  return null
}

const refused = (status: PushResult['status'], reason: string): Checked => ({ refused: { status, reason } })

/** What a row of a push is, without what is stored already. Reasons name fields, never what stands in them. */
export const checkRow = (given: unknown): Checked => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return refused('invalid', 'row')
  const fields = given as Record<string, unknown>
  if (typeof fields.body === 'string' && fields.body.length > MAX_BODY_TEXT) return refused('too_large', 'body')
  const wrong = wrongField(fields)
  if (wrong !== null) return refused('invalid', wrong)
  const unknown = extrasOf(fields)
  const problem = unknown === null ? null : extrasProblem(unknown)
  if (problem !== null) return refused('invalid', 'unknown fields')
  const row = given as WireRow
  const body = row.body === null ? null : Buffer.from(row.body, 'base64url')
  if (body !== null && hash('sha256', body, 'hex') !== row.bh) return refused('invalid', 'bh')
  const extras = unknown === null ? null : canonicalJson(unknown)
  const bytes = ROW_OVERHEAD + (body?.length ?? 0) + (extras?.length ?? 0)
  if (isUncounted(row.kind) && bytes > MAX_UNCOUNTED) return refused('too_large', 'body')
  return {
    id: `${row.dev}.${row.dseq}`,
    row,
    body,
    slot: row.slot === null ? null : Buffer.from(row.slot, 'base64url'),
    bodyHash: row.bh === null ? null : Buffer.from(row.bh, 'hex'),
    hash: hash('sha256', hashedText(row, extras ?? ''), 'buffer'),
    extras,
    bytes,
  }
}
