import { runningDigest } from '../../src/domain/sync/row-digest.js'
import type { PushResult } from '../../src/schema/sync-wire.js'
import { type Checked, type CheckedRow, isUncounted, ROW_OVERHEAD } from './check-row.js'

/** No honest clock is a day ahead of this one. */
const MAX_AHEAD_NS = 24n * 60n * 60n * 1_000_000_000n
/** Largest deletion that goes into a full account. */
const SMALL = 2_048

/** How `erasure` names a namespace or a key in it. */
export const keyTarget = (nc: string, kc: string | null): string => `${nc}/${kc ?? ''}`
/** How it names a row: by its namespace too, so that no redaction reaches into another one. */
export const rowTarget = (nc: string, id: string): string => `${nc}/${id}`

interface Held {
  readonly seq: number
  readonly hash: Buffer
}

/** What the account holds that bears on a batch. */
export interface Known {
  readonly nextSeq: number
  readonly digest: Buffer
  readonly usedBytes: number
  readonly quotaBytes: number
  /** Rows of the batch that are here already, by id. */
  readonly rows: ReadonlyMap<string, Held>
  /** Epochs of what was erased, by target; 1 for rows that were redacted. */
  readonly erasures: ReadonlyMap<string, number>
}

export interface NewRow {
  readonly seq: number
  readonly checked: CheckedRow
  readonly runHash: Buffer
  /** Whether it comes without its body, which was redacted before it came. */
  readonly empty: boolean
  readonly bytes: number
}

export interface Erasure {
  readonly nc: string
  readonly kc: string | null
  readonly kepoch: number
}

export interface PushPlan {
  readonly results: readonly PushResult[]
  readonly rows: readonly NewRow[]
  readonly nextSeq: number
  readonly digest: Buffer
  readonly usedBytes: number
  /** What comes into force with this batch, for rows that are here already. */
  readonly erased: readonly Erasure[]
  readonly redacted: readonly { readonly nc: string; readonly target: string }[]
}

export interface Circumstances {
  readonly nowMs: number
  /** Namespaces that the token is for, or null for all. */
  readonly namespaces: ReadonlySet<string> | null
}

/**
 * What becomes of a batch: a pure decision, which the stores carry out. An erasure of the batch holds for all of it, wherever it stands in
 * it; a row that is here already is never asked again whether it may be.
 */
export const planPush = (batch: readonly Checked[], known: Known, circumstances: Circumstances): PushPlan => {
  const epochs = new Map(known.erasures)
  const refusal = (checked: CheckedRow) => refusalOf(checked, circumstances, epochs)
  const erased = new Map<string, Erasure>()
  const bringIntoForce = ({ nc, kc, kepoch }: Erasure) => {
    const target = keyTarget(nc, kc)
    if (kepoch <= (epochs.get(target) ?? 0)) return
    epochs.set(target, kepoch)
    erased.set(target, { nc, kc, kepoch })
  }
  for (const checked of firstOfEachId(batch))
    if (checked.row.kind === 'erase' && !known.rows.has(checked.id) && refusal(checked) === null) bringIntoForce(checked.row)

  const digest = runningDigest(known.digest)
  const seen = new Map<string, Held>(known.rows)
  const taken: Pick<NewRow, 'seq' | 'checked' | 'runHash'>[] = []
  const redacted = new Map<string, { readonly nc: string; readonly target: string }>()
  let { nextSeq, usedBytes } = known

  const take = (checked: CheckedRow): PushResult => {
    const found = seen.get(checked.id)
    if (found !== undefined)
      return found.hash.equals(checked.hash) ? { status: 'dup', seq: found.seq } : { status: 'collision' }
    const refused = refusal(checked)
    if (refused !== null) return refused
    const { row, bytes, hash, id } = checked
    const isFree = isUncounted(row.kind) || (row.kind === 'tomb' && bytes <= SMALL)
    if (usedBytes + bytes > known.quotaBytes && !isFree) return { status: 'quota' }
    const seq = nextSeq++
    usedBytes += bytes
    digest.add(hash)
    seen.set(id, { seq, hash })
    taken.push({ seq, checked, runHash: Buffer.from(digest.bytes()) })
    // Not known from above only if a row of the same id was refused before it.
    if (row.kind === 'erase') bringIntoForce(row)
    if (row.target !== null && !epochs.has(rowTarget(row.nc, row.target))) {
      epochs.set(rowTarget(row.nc, row.target), 1)
      redacted.set(row.target, { nc: row.nc, target: row.target })
    }
    return { status: 'ok', seq }
  }

  const results = batch.map((checked) => ('refused' in checked ? checked.refused : take(checked)))
  // Within a batch a redaction may follow its target.
  const rows = taken.map((each): NewRow => {
    const empty = isEmptied(each.checked, epochs)
    return { ...each, empty, bytes: empty ? ROW_OVERHEAD : each.checked.bytes }
  })
  return {
    results,
    rows,
    nextSeq,
    digest: Buffer.from(digest.bytes()),
    usedBytes: rows.reduce((used, { bytes }) => used + bytes, known.usedBytes),
    erased: [...erased.values()],
    redacted: [...redacted.values()],
  }
}

const firstOfEachId = (batch: readonly Checked[]): readonly CheckedRow[] => {
  const first = new Map<string, CheckedRow>()
  for (const checked of batch) if (!('refused' in checked) && !first.has(checked.id)) first.set(checked.id, checked)
  return [...first.values()]
}

const refusalOf = (
  { row }: CheckedRow,
  { nowMs, namespaces }: Circumstances,
  epochs: ReadonlyMap<string, number>,
): PushResult | null => {
  if (namespaces !== null && !namespaces.has(row.nc)) return { status: 'invalid', reason: 'namespace' }
  if (BigInt(row.ver) > BigInt(Math.trunc(nowMs)) * 1_000_000n + MAX_AHEAD_NS) return { status: 'skew' }
  const ofNamespace = epochs.get(keyTarget(row.nc, null)) ?? 0
  const ofKey = row.kc === null ? 0 : (epochs.get(keyTarget(row.nc, row.kc)) ?? 0)
  return row.kind !== 'erase' && row.kepoch < Math.max(ofNamespace, ofKey) ? { status: 'erased' } : null
}

/** What says that something goes has nothing in it that could. */
const isEmptied = ({ row, id }: CheckedRow, epochs: ReadonlyMap<string, number>): boolean =>
  !isUncounted(row.kind) && epochs.has(rowTarget(row.nc, id))
