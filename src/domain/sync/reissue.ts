import { compareRows, rowIdOf, rowIdParts, type SyncRow } from './sync-row.js'

/** What becomes of a row that has to be written again under another id. */
export interface Reissued {
  readonly from: string
  readonly to: string
  readonly parents: readonly string[]
  readonly target: string | null
  /** The old row goes on counting: a redaction names copies that others made as well. */
  readonly keepsOld: boolean
}

/**
 * Two devices used one id, as after a profile was copied: the server has the other's row, and this one's is written again. What was
 * written on top of it goes with it, also where the server has taken that already: there it stands on the other's row.
 *
 * @param collided ids under which the server has other bytes
 * @param dev the device id to write under: a new one when it was this device's id that two used
 * @param firstDseq its next counter
 */
export const reissue = (
  held: readonly SyncRow[],
  collided: ReadonlySet<string>,
  dev: string,
  firstDseq: number,
): readonly Reissued[] => {
  const renamed = new Map<string, string>()
  const made: Reissued[] = []
  for (const row of [...held].sort(compareRows)) {
    const isOnTop = row.parents.some((id) => renamed.has(id))
    if (!collided.has(row.id) && !isOnTop && !(row.target !== null && renamed.has(row.target))) continue
    const keepsOld = row.kind === 'redact' && !collided.has(row.id) && !collided.has(row.target ?? '')
    const again = (target: string | null): void => {
      const to = rowIdOf({ dev, dseq: firstDseq + made.length })
      const parents = row.parents.map((id) => renamed.get(id) ?? id)
      made.push({ from: row.id, to, parents, target, keepsOld })
    }
    const target = row.target === null ? null : (renamed.get(row.target) ?? row.target)
    renamed.set(row.id, rowIdOf({ dev, dseq: firstDseq + made.length }))
    again(target)
    // What it named is written again and may stay beside its copy: both have to be named.
    if (row.target !== null && target !== row.target && !collided.has(row.target) && collided.has(row.id)) again(row.target)
  }
  return made
}

/** Whether a row that arrived shows that another device writes under this one's id: it has a counter that was not given here yet. */
export const isFromTwin = (id: string, dev: string, nextDseq: number): boolean => {
  const parts = rowIdParts(id)
  return parts.dev === dev && parts.dseq >= nextDseq
}
