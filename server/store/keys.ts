import type { ROTATION_OUTCOMES, RotationRequest } from '../../src/schema/sync-account.js'
import { type Account, readAccount } from './accounts.js'
import { isOneOf } from './lists.js'
import { all, bytes, type Db, first, int, type SqlRow, type Steps, text } from './steps.js'

/** How long slots of a generation that is no longer current are kept: for devices that were away when keys were rotated. */
export const OLD_SLOTS_MS = 30 * 24 * 60 * 60 * 1_000
/** Rows without a slot that are named at once. */
const MAX_MISSING = 500

export function* storeSettings(
  accountId: string,
  expected: number,
  settings: string,
): Steps<{ readonly stored: boolean; readonly account: Account }> {
  const account = yield* readAccount(accountId)
  if (account.settingsVersion !== expected) return { stored: false, account }
  yield {
    sql: 'UPDATE account SET settings = ?, settings_version = ? WHERE account_id = ?',
    values: [settings, expected + 1, accountId],
  }
  return { stored: true, account: yield* readAccount(accountId) }
}

interface GivenSlot {
  readonly id: string
  readonly slot: string
}

export interface StoredSlots {
  readonly account: Account
  readonly refused: boolean
  readonly stored: number
  readonly unknown: readonly string[]
}

/** Slots for rows that have one already; a row whose keys were dropped gets none again. */
export function* storeSlots(db: Db, accountId: string, gen: number, slots: readonly GivenSlot[]): Steps<StoredSlots> {
  const account = yield* readAccount(accountId)
  if (gen !== account.pending && gen !== account.gen) return { account, refused: true, stored: 0, unknown: [] }
  const places = yield* placesWithSlot(db, accountId, slots)
  const known = slots.flatMap(({ id, slot }) => {
    const seq = places.get(id)
    return seq === undefined ? [] : [[accountId, seq, gen, Buffer.from(slot, 'base64url')]]
  })
  yield {
    sql: `INSERT INTO keyslot (account_id, seq, gen, wrapped) VALUES (?, ?, ?, ?)
      ON CONFLICT (account_id, seq, gen) DO UPDATE SET wrapped = excluded.wrapped`,
    many: known,
  }
  const unknown = slots.filter(({ id }) => !places.has(id)).map(({ id }) => id)
  return { account, refused: false, stored: known.length, unknown }
}

function* placesWithSlot(db: Db, accountId: string, slots: readonly GivenSlot[]): Steps<ReadonlyMap<string, number>> {
  const byDevice = new Map<string, number[]>()
  for (const { id } of slots) {
    const [dev = '', dseq = ''] = id.split('.')
    byDevice.set(dev, [...(byDevice.get(dev) ?? []), Number(dseq)])
  }
  const places = new Map<string, number>()
  for (const [dev, counters] of byDevice) {
    const found = yield* all(
      `SELECT seq, dseq FROM sync_row r WHERE account_id = ? AND dev = ? AND dseq ${isOneOf(db, 'bigint')} AND ${HAS_SLOT}`,
      accountId,
      dev,
      counters,
    )
    for (const { seq, dseq } of found) places.set(`${dev}.${dseq}`, int(seq))
  }
  return places
}

const HAS_SLOT = 'EXISTS (SELECT 1 FROM keyslot k WHERE k.account_id = r.account_id AND k.seq = r.seq)'

export interface ReadSlots {
  readonly slots: readonly { readonly seq: number; readonly id: string; readonly slot: string }[]
  readonly after: number
  readonly more: boolean
}

export function* readSlots(accountId: string, gen: number, after: number, limit: number): Steps<ReadSlots> {
  const found = yield* all(
    `SELECT k.seq, r.dev, r.dseq, k.wrapped FROM keyslot k JOIN sync_row r ON r.account_id = k.account_id AND r.seq = k.seq
     WHERE k.account_id = ? AND k.gen = ? AND k.seq > ? ORDER BY k.seq LIMIT ?`,
    accountId,
    gen,
    after,
    limit + 1,
  )
  const page = found.slice(0, limit)
  const slots = page.map((row: SqlRow) => ({
    seq: int(row.seq),
    id: `${row.dev}.${row.dseq}`,
    slot: bytes(row.wrapped).toString('base64url'),
  }))
  return { slots, after: slots.at(-1)?.seq ?? after, more: found.length > limit }
}

export interface Rotated {
  readonly account: Account
  readonly outcome: (typeof ROTATION_OUTCOMES)[number]
  readonly missing: readonly string[]
}

/**
 * One step of a rotation. Nothing depends on a generation until it is complete: until then readers get the slots they had, and whoever
 * stops half way leaves nothing to repair. Only who knows every row may begin or end one, or keys of others' rows would be lost.
 */
export function* rotate(accountId: string, request: RotationRequest, nowMs: number): Steps<Rotated> {
  const account = yield* readAccount(accountId)
  const as = (outcome: Rotated['outcome'], missing: readonly string[] = []): Rotated => ({ account, outcome, missing })
  if (request.step === 'abort') {
    if (request.gen !== account.pending) return as('generation')
    yield* dropPending(accountId, request.gen)
    return { account: yield* readAccount(accountId), outcome: 'done', missing: [] }
  }
  if (request.head !== account.head || request.digest !== account.digest.toString('hex')) return as('behind')
  if (request.step === 'begin') {
    if (request.gen !== account.gen + 1) return as('generation')
    yield { sql: 'UPDATE account SET pending = ? WHERE account_id = ?', values: [request.gen, accountId] }
    return { account: yield* readAccount(accountId), outcome: 'done', missing: [] }
  }
  if (request.gen !== account.pending) return as('generation')
  if (request.expected !== account.settingsVersion) return as('settings')
  const missing = yield* withoutSlot(accountId, request.gen)
  if (missing.length > 0) return as('missing', missing)
  yield {
    sql: `UPDATE account SET gen = ?, pending = NULL, rotated_at = ?, settings = ?, settings_version = settings_version + 1
      WHERE account_id = ?`,
    values: [request.gen, nowMs, request.settings, accountId],
  }
  return { account: yield* readAccount(accountId), outcome: 'done', missing: [] }
}

function* dropPending(accountId: string, gen: number): Steps<void> {
  yield { sql: 'DELETE FROM keyslot WHERE account_id = ? AND gen = ?', values: [accountId, gen] }
  yield { sql: 'UPDATE account SET pending = NULL WHERE account_id = ?', values: [accountId] }
}

function* withoutSlot(accountId: string, gen: number): Steps<readonly string[]> {
  const found = yield* all(
    `SELECT r.dev, r.dseq FROM sync_row r WHERE r.account_id = ? AND ${HAS_SLOT} AND NOT EXISTS (
       SELECT 1 FROM keyslot k WHERE k.account_id = r.account_id AND k.seq = r.seq AND k.gen = ?
     ) ORDER BY r.seq LIMIT ${MAX_MISSING}`,
    accountId,
    gen,
  )
  return found.map(({ dev, dseq }) => `${text(dev)}.${text(dseq)}`)
}

/** Drops slots of generations that were current long ago, where the row has one of the current generation. */
export function* dropOldSlots(accountId: string, nowMs: number): Steps<void> {
  const row = yield* first('SELECT gen, rotated_at FROM account WHERE account_id = ?', accountId)
  if (row === null || row.rotated_at === null || int(row.rotated_at) > nowMs - OLD_SLOTS_MS) return
  yield {
    sql: `DELETE FROM keyslot WHERE account_id = ? AND gen < ? AND EXISTS (
        SELECT 1 FROM keyslot k WHERE k.account_id = keyslot.account_id AND k.seq = keyslot.seq AND k.gen = ?)`,
    values: [accountId, int(row.gen), int(row.gen)],
  }
  yield { sql: 'UPDATE account SET rotated_at = NULL WHERE account_id = ?', values: [accountId] }
}
