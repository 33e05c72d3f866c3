import { EMPTY_DIGEST } from '../../src/domain/sync/row-digest.js'
import { MAX_PULL_BYTES, type REBASE_REASONS } from '../../src/schema/sync-wire.js'
import type { Account } from './accounts.js'
import { isOneOf } from './lists.js'
import { type ServedSlot, wireJson } from './rows.js'
import { all, bytes, type Db, first, int, type SqlRow, type Steps, text } from './steps.js'

/** Rows as JSON of the wire, with what stands where the page ends. */
export interface Page {
  readonly rows: readonly string[]
  /** Place of the row that was read last. */
  readonly last: number
  readonly more: boolean
}

export interface Reading {
  readonly limit: number
  /** Namespaces that may be read, or null for all; rows of others come sealed, so that sums still hold. */
  readonly namespaces: ReadonlySet<string> | null
}

const COLUMNS = 'seq, dev, dseq, ver, kind, nc, kc, kepoch, parents, human, target, gen, bh, extras, body'

/** Sum of the hashes up to a place, in hexadecimal; null if there is no such place. */
export function* digestAt(accountId: string, seq: number): Steps<string | null> {
  if (seq === 0) return EMPTY_DIGEST
  const row = yield* first('SELECT run_hash FROM sync_row WHERE account_id = ? AND seq = ?', accountId, seq)
  return row === null ? null : bytes(row.run_hash).toString('hex')
}

/** Why a reader has to begin anew, or null: what it remembers must be what is here. */
export function* rebaseReason(
  account: Account,
  { epoch, cursor, digest }: { readonly epoch: string | null; readonly cursor: number; readonly digest: string },
): Steps<(typeof REBASE_REASONS)[number] | null> {
  if (epoch !== null && epoch !== account.epoch) return 'epoch'
  if (cursor > account.head) return 'cursor'
  return (yield* digestAt(account.id, cursor)) === digest ? null : 'digest'
}

/** Rows after a place, oldest first. */
export function* pageAfter(account: Account, cursor: number, reading: Reading): Steps<Page> {
  const to = yield* endOfPage('seq > ? AND seq <= ? ORDER BY seq', [cursor, account.head], 'max', account, reading)
  const last = to ?? cursor
  const found = yield* all(
    `SELECT ${COLUMNS} FROM sync_row WHERE account_id = ? AND seq > ? AND seq <= ? ORDER BY seq`,
    account.id,
    cursor,
    last,
  )
  return { rows: yield* onWire(account, found, reading), last, more: last < account.head }
}

/** Rows before a place, newest first. */
export function* pageBefore(account: Account, before: number, reading: Reading): Steps<Page> {
  const from = yield* endOfPage('seq < ? ORDER BY seq DESC', [before], 'min', account, reading)
  const last = from ?? 1
  const found = yield* all(
    `SELECT ${COLUMNS} FROM sync_row WHERE account_id = ? AND seq < ? AND seq >= ? ORDER BY seq DESC`,
    account.id,
    before,
    last,
  )
  return { rows: yield* onWire(account, found, reading), last, more: last > 1 }
}

/** Rows at given places, newest first. */
export function* rowsAt(db: Db, account: Account, places: readonly number[], reading: Reading): Steps<readonly string[]> {
  const found = yield* all(
    `SELECT ${COLUMNS} FROM sync_row WHERE account_id = ? AND seq ${isOneOf(db, 'bigint')} ORDER BY seq DESC`,
    account.id,
    places,
  )
  return yield* onWire(account, found, reading)
}

/** Where a page ends that holds at least one row, and no more bytes or rows than a page may. Reads no bodies. */
function* endOfPage(
  which: string,
  values: readonly number[],
  end: 'min' | 'max',
  account: Account,
  { limit }: Reading,
): Steps<number | null> {
  const order = end === 'max' ? 'seq' : 'seq DESC'
  const row = yield* first(
    `SELECT ${end}(seq) AS last FROM (
       SELECT seq, bytes, sum(bytes) OVER (ORDER BY ${order}) AS run, row_number() OVER (ORDER BY ${order}) AS place
       FROM (SELECT seq, bytes FROM sync_row WHERE account_id = ? AND ${which} LIMIT ?) AS near
     ) AS page WHERE run <= ${MAX_PULL_BYTES} OR place = 1`,
    account.id,
    ...values,
    limit,
  )
  return row === null || row.last === null ? null : int(row.last)
}

function* onWire(account: Account, found: readonly SqlRow[], { namespaces }: Reading): Steps<readonly string[]> {
  const slots = yield* slotsOf(account, found)
  return found.map((columns) =>
    wireJson(columns, slots.get(int(columns.seq)), namespaces !== null && !namespaces.has(text(columns.nc))),
  )
}

/** The slot of each row that is served: of the current generation, else of the nearest one before it, else the first there is. */
function* slotsOf(account: Account, rows: readonly SqlRow[]): Steps<ReadonlyMap<number, ServedSlot>> {
  const places = rows.filter(({ gen }) => gen !== 0n).map(({ seq }) => int(seq))
  const slots = new Map<number, ServedSlot>()
  if (places.length === 0) return slots
  const wanted = new Set(places)
  const found = yield* all(
    'SELECT seq, gen, wrapped FROM keyslot WHERE account_id = ? AND seq >= ? AND seq <= ? ORDER BY seq, gen',
    account.id,
    places.reduce((low, seq) => Math.min(low, seq)),
    places.reduce((high, seq) => Math.max(high, seq)),
  )
  for (const { seq, gen, wrapped } of found) {
    const place = int(seq)
    if (wanted.has(place) && (int(gen) <= account.gen || !slots.has(place)))
      slots.set(place, { gen: int(gen), wrapped: bytes(wrapped) })
  }
  return slots
}
