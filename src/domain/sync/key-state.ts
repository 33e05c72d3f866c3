import { RESTORE_WINDOW_MS } from '../version.js'
import { type Descent, descentOf } from './descent.js'
import { type Epochs, erasedAt, isErased } from './epochs.js'
import { type GuardState, guardingOf } from './guard.js'
import { redactedIn } from './redaction.js'
import { isLife, keyOf, mustBeUnderstood, type SyncRow } from './sync-row.js'
import { type Candidate, compareCandidates, isBare } from './winner.js'

/**
 * How a head stands to the winner: it says the same; it contradicts; it was written without knowledge of a pin or against a lock; it lies
 * under a tombstone and waits for review; it is a deletion that lost; or its body is gone.
 */
export type Standing =
  | 'winner'
  | 'agrees'
  | 'conflicted'
  | 'pinned_conflict'
  | 'locked_conflict'
  | 'buried'
  | 'overruled'
  | 'bare'

export interface Head {
  readonly id: string
  readonly standing: Standing
}

/** What a set of rows says of one key. */
export interface KeyState {
  readonly epoch: number
  readonly blocked: boolean
  /** Rows of the life lane that nothing replaces, the winner first. Empty when nothing shows. */
  readonly heads: readonly Head[]
  /** The winner is a tombstone. */
  readonly deleted: boolean
  /** Ids of the heads that contradict one another, the winner among them. */
  readonly conflict: readonly string[]
  /** How often what the winner says was said. */
  readonly reinforcement: number
  readonly guard: GuardState
  /** Ids of the reviews that no other review replaces, the one that counts first. */
  readonly reviews: readonly string[]
  /** Values without a text: redacted, or of a body that cannot be read here. */
  readonly bare: readonly string[]
  /** Rows that do not show yet, for what they were written on top of has not come. */
  readonly waiting: readonly string[]
  /** There is a row that this version of the software must not pass over. */
  readonly readOnly: boolean
}

/**
 * The state of one key, a function of the set of its rows: neither their order nor erased or repeated rows change it.
 *
 * @param isComplete false while the past of what is here is still being read: the answer is then provisional, and so are its conflicts
 */
export const stateOfKey = (rows: readonly SyncRow[], epochs: Epochs, isComplete = true): KeyState => {
  const [first] = rows
  const { epoch, blocked } = first === undefined ? { epoch: 0, blocked: false } : erasedAt(epochs, first)
  const alive = rows.filter((row) => row.kind !== 'erase' && !isErased(row, epochs))
  const redacted = redactedIn(alive)
  const admissible = alive.map((row) => (redacted.has(row.id) ? { ...row, content: null } : row))
  const descent = descentOf(admissible, epoch, isComplete)
  const byId = new Map(descent.visible.map((row) => [row.id, row]))
  const life = descent.visible.filter((row) => isLife(row) && !isLateRestore(row, byId))
  const guarding = guardingOf(descent, life)

  const replaced = descent.before(life)
  const heads = new Map([...life.filter(({ id }) => !replaced.has(id)), ...guarding.held].map((row) => [row.id, row]))
  const candidates = [...heads.values()]
    .map((row): Candidate => {
      const { id } = row
      return { row, bare: isBare(row), pin: guarding.pinOn(id), locked: guarding.isLocked(id) }
    })
    .sort(compareCandidates)
  const [winner] = candidates
  const standings = candidates.map((head) => ({ id: head.row.id, standing: standingOf(head, winner as Candidate) }))
  const isConflict = standings.some(({ standing }) => standing === 'conflicted')
  return {
    epoch,
    blocked,
    heads: standings,
    deleted: winner?.row.kind === 'tomb',
    conflict: isConflict
      ? standings.filter(({ standing }) => standing === 'winner' || standing === 'conflicted').map(({ id }) => id)
      : [],
    reinforcement: reinforcementOf(candidates, byId),
    guard: guarding.state,
    reviews: reviewsOf(descent),
    bare: descent.visible
      .filter(isBare)
      .map(({ id }) => id)
      .sort(),
    waiting: [...descent.waiting].sort(),
    readOnly: admissible.some(mustBeUnderstood),
  }
}

const WINDOW_NS = BigInt(RESTORE_WINDOW_MS) * 1_000_000n

/** A restore that came too late for its tombstone, by the versions of both: it does not count, but what was written on top of it does. */
const isLateRestore = (row: SyncRow, byId: ReadonlyMap<string, SyncRow>): boolean =>
  row.kind === 'restore' &&
  row.parents.some((id) => {
    const parent = byId.get(id)
    return parent?.kind === 'tomb' && !mayRestore(parent.ver, row.ver)
  })

/** Whether a restore of this version can take back a tombstone of that one. */
export const mayRestore = (tombstone: bigint, restore: bigint): boolean => restore - tombstone <= WINDOW_NS

const sha256Of = ({ content }: SyncRow): string | null => (content?.of === 'life' ? content.sha256 : null)

const standingOf = (head: Candidate, winner: Candidate): Standing => {
  if (head === winner) return 'winner'
  if (winner.row.kind === 'tomb') return head.row.kind === 'tomb' ? 'agrees' : head.bare ? 'bare' : 'buried'
  if (head.row.kind === 'tomb') return 'overruled'
  if (head.bare) return 'bare'
  if (sha256Of(head.row) === sha256Of(winner.row)) return 'agrees'
  if (winner.locked && !head.locked) return 'locked_conflict'
  return winner.pin !== null && head.pin === null ? 'pinned_conflict' : 'conflicted'
}

/** Counts each row that says what the winner says once, back to the last deletion, on however many branches it lies. */
const reinforcementOf = (heads: readonly Candidate[], byId: ReadonlyMap<string, SyncRow>): number => {
  const [winner] = heads
  if (winner === undefined || winner.bare || winner.row.kind === 'tomb') return 0
  const said = sha256Of(winner.row)
  const seen = new Set<string>()
  const edge = heads.filter(({ row, bare }) => !bare && sha256Of(row) === said).map(({ row }) => row)
  let count = 0
  for (let row = edge.pop(); row !== undefined; row = edge.pop()) {
    if (seen.has(row.id)) continue
    seen.add(row.id)
    if (row.content?.of === 'life' && row.content.sha256 === said) count += row.content.adds
    for (const id of row.parents) {
      const parent = byId.get(id)
      if (parent !== undefined && parent.kind !== 'tomb') edge.push(parent)
    }
  }
  return count
}

const reviewsOf = (descent: Descent): readonly string[] => {
  const rows = descent.visible.filter(({ kind }) => kind === 'review')
  const replaced = descent.before(rows)
  return rows
    .filter(({ id }) => !replaced.has(id))
    .map((row): Candidate => ({ row, bare: false, pin: null, locked: false }))
    .sort(compareCandidates)
    .map(({ row }) => row.id)
}

/** Rows by the key they stand under; erasures of keys go with them, what stands under no key does not. */
export const rowsByKey = (rows: Iterable<SyncRow>): ReadonlyMap<string, readonly SyncRow[]> => {
  const keys = new Map<string, SyncRow[]>()
  for (const row of rows) {
    const key = keyOf(row)
    if (key === null) continue
    const known = keys.get(key)
    if (known === undefined) keys.set(key, [row])
    else known.push(row)
  }
  return keys
}
