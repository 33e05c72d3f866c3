import { keyOf, type SyncRow } from './sync-row.js'

/**
 * Ids of the rows whose text nobody may keep. A redaction reaches rows of its own key alone, and none that know of an erasure which it does
 * not: those were written under that id by somebody else. It counts before its own past has come; a row that was issued again is named by
 * either of its ids.
 */
export const redactedIn = (rows: Iterable<SyncRow>): ReadonlySet<string> => {
  /** By what is named, the highest epoch of those that name it. */
  const targets = new Map<string, number>()
  const others: SyncRow[] = []
  for (const row of rows)
    if (row.kind === 'redact' && row.target !== null) {
      const name = `${keyOf(row)} ${row.target}`
      targets.set(name, Math.max(targets.get(name) ?? 0, row.kepoch))
    } else if (row.kind !== 'erase') others.push(row)
  if (targets.size === 0) return new Set()
  const reaches = (row: SyncRow, id: string): boolean => (targets.get(`${keyOf(row)} ${id}`) ?? -1) >= row.kepoch
  const isNamed = (row: SyncRow): boolean => {
    const was = row.content?.of === 'life' ? row.content.was : undefined
    return reaches(row, row.id) || (was !== undefined && reaches(row, was))
  }
  return new Set(others.filter(isNamed).map(({ id }) => id))
}
