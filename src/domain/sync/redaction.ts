import { keyOf, type SyncRow } from './sync-row.js'

/**
 * Ids of the rows whose text nobody may keep. A redaction reaches rows of its own key alone, also before its own past has come; a row that
 * was issued again is named by either of its ids.
 */
export const redactedIn = (rows: Iterable<SyncRow>): ReadonlySet<string> => {
  const targets = new Set<string>()
  const others: SyncRow[] = []
  for (const row of rows)
    if (row.kind === 'redact' && row.target !== null) targets.add(`${keyOf(row)} ${row.target}`)
    else if (row.kind !== 'erase') others.push(row)
  if (targets.size === 0) return targets
  const named = (row: SyncRow): boolean => {
    const was = row.content?.of === 'life' ? row.content.was : undefined
    return targets.has(`${keyOf(row)} ${row.id}`) || (was !== undefined && targets.has(`${keyOf(row)} ${was}`))
  }
  return new Set(others.filter(named).map(({ id }) => id))
}
