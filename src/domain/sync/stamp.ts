import { nextVersion, writtenAt } from '../clock.js'
import { compareRows, type SyncRow } from './sync-row.js'

/** How far ahead of this device another's version may be and still move this device's own. */
export const ADOPT_AHEAD_MS = 5 * 60_000

/** How far ahead of the server's clock a version may be to be taken. */
const GATE_MS = 24 * 3_600_000

/** Whether a version is of a time that a server takes nothing of yet. */
export const isBeyondGate = (ver: bigint, serverNowMs: number): boolean => ver > BigInt(serverNowMs + GATE_MS) * 1_000_000n

/** What a device knows of time. */
export interface DeviceClock {
  /** What its wall clock lacks to the server's, in milliseconds. */
  readonly offsetMs: number
  /** The highest version it has given or adopted. */
  readonly last: bigint
}

export const correctedNow = ({ offsetMs }: DeviceClock, localNowMs: number): number => localNowMs + offsetMs

/** Takes the server's word for what time it is. */
export const corrected = (clock: DeviceClock, localNowMs: number, serverNowMs: number): DeviceClock => ({
  ...clock,
  offsetMs: serverNowMs - localNowMs,
})

/** The version of the next row, and the clock after it. A parent from the far future raises this row only, not those of other keys. */
export const stamp = (
  clock: DeviceClock,
  localNowMs: number,
  parents: readonly bigint[],
): { readonly ver: bigint; readonly clock: DeviceClock } => {
  const ver = nextVersion(correctedNow(clock, localNowMs), clock.last, parents)
  return { ver, clock: adopt(clock, localNowMs, ver) }
}

/** The clock after a row was seen. */
export const adopt = (clock: DeviceClock, localNowMs: number, ver: bigint): DeviceClock =>
  ver > clock.last && writtenAt(ver) <= correctedNow(clock, localNowMs) + ADOPT_AHEAD_MS ? { ...clock, last: ver } : clock

/**
 * Rows that get another version with those that were refused: what they stand on, as far as nobody but this device can have it: a parent
 * that is held back, or in quarantine, would hold its children in the future.
 */
export const withUnsentPast = (
  refused: readonly SyncRow[],
  held: (id: string) => SyncRow | undefined,
  mayChange: (id: string) => boolean,
): readonly SyncRow[] => {
  const found = new Map<string, SyncRow>()
  const edge = [...refused]
  for (let row = edge.pop(); row !== undefined; row = edge.pop()) {
    if (found.has(row.id)) continue
    found.set(row.id, row)
    for (const id of row.parents) {
      const parent = held(id)
      if (parent !== undefined && mayChange(id)) edge.push(parent)
    }
  }
  return [...found.values()]
}

/**
 * New versions for rows that the server refused for their time, in the order of the old ones. Ids and parents stay.
 *
 * @param versionOf versions of rows that are held, by id
 * @param accepted the highest version of this device's that a server took: what the clock falls back to
 */
export const restamped = (
  clock: DeviceClock,
  localNowMs: number,
  refused: readonly SyncRow[],
  versionOf: (id: string) => bigint | undefined,
  accepted: bigint,
): { readonly versions: ReadonlyMap<string, bigint>; readonly clock: DeviceClock } => {
  const versions = new Map<string, bigint>()
  // What this device gave while it was ahead would keep it ahead.
  let after: DeviceClock = { ...clock, last: accepted }
  for (const row of [...refused].sort(compareRows)) {
    const parents = row.parents.flatMap((id) => versions.get(id) ?? versionOf(id) ?? [])
    const next = stamp(after, localNowMs, parents)
    versions.set(row.id, next.ver)
    after = next.clock
  }
  return { versions, clock: after }
}
