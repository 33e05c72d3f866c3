import { compareRows, isValue, type SyncRow } from './sync-row.js'

/** A head as far as the choice among heads goes. */
export interface Candidate {
  readonly row: SyncRow
  /** Its body is gone. */
  readonly bare: boolean
  readonly pin: 'human' | 'agent' | null
  /** A lock holds it against what was written on top. */
  readonly locked: boolean
}

/** A value whose content is not there; tombstones have none to miss. */
export const isBare = (row: SyncRow): boolean => isValue(row) && row.content === null

const isTombstone = ({ row }: Candidate): boolean => row.kind === 'tomb'

/** Who wins among heads that do not know of each other: the first line that is true of a head is its rank. */
const RANKS: readonly ((head: Candidate) => boolean)[] = [
  (head) => isTombstone(head) && head.row.human,
  (head) =>
    !head.bare && !isTombstone(head) && (head.pin === 'human' || head.locked || (head.pin !== null && head.row.human)),
  (head) => !head.bare && !isTombstone(head) && head.row.human,
  (head) => !head.bare && !isTombstone(head) && head.pin !== null,
  (head) => isTombstone(head),
  (head) => !head.bare,
]

const rankOf = (head: Candidate): number => {
  const rank = RANKS.findIndex((holds) => holds(head))
  return rank === -1 ? RANKS.length : rank
}

/** Puts the winner first: by rank, then the later. */
export const compareCandidates = (a: Candidate, b: Candidate): number => rankOf(a) - rankOf(b) || compareRows(b.row, a.row)
