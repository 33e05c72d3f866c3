import { epochsOf, erasedAt, isErased } from '../../../src/domain/sync/epochs.js'
import type { PageEnds, ServerView } from '../../../src/domain/sync/exchange.js'
import type { RowAnswer } from '../../../src/domain/sync/refusals.js'
import { isBeyondGate } from '../../../src/domain/sync/stamp.js'
import type { SyncRow } from '../../../src/domain/sync/sync-row.js'

/** A row of the model. The tag follows a write through all that becomes of it. */
export interface ModelRow extends SyncRow {
  readonly tag: number
  /** The server will not take it. */
  readonly poison: boolean
}

/** A quick hash of 53 bits: enough to tell the rows of a scenario apart. */
export const quickHash = (text: string): string => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return ((2097151 & b) * 2 ** 32 + (a >>> 0)).toString()
}

export const addHash = (digest: string, hash: string): string => ((Number(digest) + Number(hash)) % 2 ** 53).toString()

/** How rows are hashed and their hashes summed: quickly, or as on the wire. */
export interface Hashing {
  readonly hashOf: (row: Omit<ModelRow, 'hash'>) => string
  readonly add: (digest: string, hash: string) => string
  readonly empty: string
}

const hashOf = (row: Omit<ModelRow, 'hash'>): string =>
  quickHash(
    [
      ...[row.id, row.ver, row.kind, row.nc, row.kc, row.kepoch, row.parents.join(), row.human, row.target, row.tag],
      JSON.stringify(row.content, (_, value) => (typeof value === 'bigint' ? value.toString() : value)),
    ].join('|'),
  )

export const QUICK: Hashing = { hashOf, add: addHash, empty: '0' }

interface Stored {
  readonly row: ModelRow
  readonly digest: string
}

export interface Page {
  readonly rows: readonly ModelRow[]
  readonly ends: PageEnds
  readonly isLast: boolean
}

/** A server of the model: what it took is a log with a running digest; it can be set back to what it was, or wiped. */
export const createModelServer = ({ add, empty }: Hashing = QUICK) => {
  let log: readonly Stored[] = []
  let epoch = 1
  let backups: (readonly Stored[])[] = [[]]
  /** Every hash that any row was ever taken with, also by what is lost since. */
  const accepted = new Map<string, Set<string>>()

  const bare = (row: ModelRow): ModelRow => ({ ...row, content: null })
  const digestAt = (seq: number): string => (seq === 0 ? empty : (log[seq - 1] as Stored).digest)

  const take = (row: ModelRow): void => {
    const epochs = epochsOf([...log.map((stored) => stored.row), row])
    const redactions = [...log.map((stored) => stored.row), row].filter(({ kind }) => kind === 'redact')
    const isRedacted = (held: ModelRow): boolean =>
      redactions.some(({ target, kc, kepoch }) => target === held.id && kc === held.kc && kepoch >= held.kepoch)
    log = [...log, { row, digest: add(digestAt(log.length), row.hash) }].map((stored) =>
      stored.row.content !== null && stored.row.kind !== 'erase' && (isErased(stored.row, epochs) || isRedacted(stored.row))
        ? { ...stored, row: bare(stored.row) }
        : stored,
    )
    const hashes = accepted.get(row.id) ?? new Set()
    accepted.set(row.id, hashes.add(row.hash))
  }

  const answer = (row: ModelRow, nowMs: number): RowAnswer => {
    const known = log.find((stored) => stored.row.id === row.id)
    if (known !== undefined) return known.row.hash === row.hash ? 'dup' : 'collision'
    if (row.poison) return 'too_large'
    const { epoch: erased, blocked } = erasedAt(epochsOf(log.map((stored) => stored.row)), row)
    if (row.kind !== 'erase' && (blocked || row.kepoch < erased)) return 'erased'
    if (isBeyondGate(row.ver, nowMs)) return 'skew'
    take(row)
    return 'ok'
  }

  return {
    accepted,
    rows: (): readonly ModelRow[] => log.map(({ row }) => row),
    head: () => ({ seq: log.length, digest: digestAt(log.length) }),
    view: (seq: number): ServerView => ({
      epoch: `e${epoch}`,
      head: log.length,
      digestAtCursor: seq > log.length ? null : digestAt(seq),
    }),
    push: (rows: readonly ModelRow[], nowMs: number): readonly RowAnswer[] => {
      const answers = rows.map((row) => answer(row, nowMs))
      backups.push(log)
      return answers
    },
    pull: (after: number, limit: number): Page => {
      const page = log.slice(after, after + limit)
      const upTo = after + page.length
      return {
        rows: page.map(({ row }) => row),
        ends: { after, upTo, digestUpTo: digestAt(upTo) },
        isLast: upTo === log.length,
      }
    },
    /** Puts an old backup in place, with the texts that it holds; `told` when whoever did it also raised the epoch. */
    setBack: (pick: number, told: boolean): void => {
      backups = backups.slice(0, 1 + (pick % backups.length))
      log = backups.at(-1) as readonly Stored[]
      if (told) epoch++
    },
    wipe: (told: boolean): void => {
      log = []
      backups = [[]]
      if (told) epoch++
    },
  }
}
export type ModelServer = ReturnType<typeof createModelServer>
