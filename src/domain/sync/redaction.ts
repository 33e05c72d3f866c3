import { isValue, keyOf, type SyncRow } from './sync-row.js'

/**
 * Ids of the values whose text nobody may keep. A redaction reaches rows of its own key alone, also before its own past has come; a row that
 * was issued again is named by either of its ids.
 */
export const redactedIn = (rows: Iterable<SyncRow>): ReadonlySet<string> => {
  const targets = new Set<string>()
  const values: SyncRow[] = []
  for (const row of rows)
    if (row.kind === 'redact' && row.target !== null) targets.add(`${keyOf(row)} ${row.target}`)
    else if (isValue(row)) values.push(row)
  if (targets.size === 0) return targets
  const named = (row: SyncRow): boolean => {
    const was = row.content?.of === 'life' ? row.content.was : undefined
    return targets.has(`${keyOf(row)} ${row.id}`) || (was !== undefined && targets.has(`${keyOf(row)} ${was}`))
  }
  return new Set(values.filter(named).map(({ id }) => id))
}
