import type { Descent } from './descent.js'
import { compareRows, type GuardContent, isValue, type SyncRow } from './sync-row.js'

/** What protects a key: the guards that no other guard replaces, taken together. */
export interface GuardState {
  readonly heads: readonly string[]
  readonly pinned: boolean
  readonly lockMode: GuardContent['lockMode']
  readonly lockUntil: bigint | null
}

/** What a key's guards do to its life lane. */
export interface Guarding {
  readonly state: GuardState
  /** Values that stay heads although something was written on top of them. */
  readonly held: readonly SyncRow[]
  /** By id of a row: whether a pin covers it, and whether a person's does. */
  readonly pinOn: (id: string) => 'human' | 'agent' | null
  readonly isLocked: (id: string) => boolean
}

interface Guard {
  readonly row: SyncRow
  readonly content: GuardContent
  /** What its author saw as the value, and had it protected. */
  readonly base: readonly SyncRow[]
  readonly seenBy: ReadonlySet<string>
}

/**
 * Reads the guard lane. Among guards that do not know of each other a person's count alone, and of those the most protective words.
 *
 * @param life visible rows of the life lane that count
 */
export const guardingOf = (descent: Descent, life: readonly SyncRow[]): Guarding => {
  const rows = descent.visible.filter(({ kind, content }) => kind === 'guard' && content?.of === 'guard')
  const replaced = descent.before(rows)
  const heads = rows.filter(({ id }) => !replaced.has(id)).sort(compareRows)
  const human = heads.filter((row) => row.human)
  const guards = (human.length > 0 ? human : heads).map((row) => guardOf(row, descent, life))
  const contents = guards.map(({ content }) => content)
  const pins = guards.filter(({ content }) => content.pinned)
  const locks = guards.filter(({ content }) => content.lockMode !== null)
  const strongest = contents.some(({ lockMode }) => lockMode === 'read_only')
    ? 'read_only'
    : (locks[0]?.content.lockMode ?? null)
  const held = new Map<string, SyncRow>()
  const locked = new Set<string>()
  for (const guard of guards) {
    const released = descent.before(life.filter((row) => mayReplace(row, guard)))
    for (const row of guard.base) if (!released.has(row.id)) held.set(row.id, row)
    if (guard.content.lockMode !== null) for (const row of guard.base) if (!released.has(row.id)) locked.add(row.id)
  }
  const covers = ({ base, seenBy }: Guard, id: string): boolean => seenBy.has(id) || base.some((row) => row.id === id)
  return {
    state: {
      heads: heads.map(({ id }) => id),
      pinned: pins.length > 0,
      lockMode: strongest,
      lockUntil: latest(locks.map(({ content }) => content.lockUntil)),
    },
    held: [...held.values()],
    pinOn: (id) => {
      const on = pins.filter((pin) => covers(pin, id))
      return on.length === 0 ? null : on.some(({ row }) => row.human) ? 'human' : 'agent'
    },
    isLocked: (id) => locked.has(id),
  }
}

const guardOf = (row: SyncRow, descent: Descent, life: readonly SyncRow[]): Guard => {
  const seen = descent.before([row])
  const known = life.filter(({ id }) => seen.has(id))
  const replaced = descent.before(known)
  return {
    row,
    content: row.content as GuardContent,
    base: known.filter((value) => isValue(value) && !replaced.has(value.id)),
    seenBy: descent.after(row),
  }
}

/** A pin yields to what was written in its knowledge, a lock to what was written after its end. */
const mayReplace = (row: SyncRow, { content, seenBy }: Guard): boolean => {
  if (content.pinned && !seenBy.has(row.id)) return false
  const forbids = content.lockMode === 'read_only' || (content.lockMode === 'no_delete' && row.kind === 'tomb')
  return !forbids || (content.lockUntil !== null && row.ver > content.lockUntil)
}

/** The last of some ends; null, which has none, is later than all. */
const latest = (ends: readonly (bigint | null)[]): bigint | null =>
  ends.includes(null)
    ? null
    : (ends as readonly bigint[]).reduce<bigint | null>((a, b) => (a === null || b > a ? b : a), null)
