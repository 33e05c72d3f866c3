import type { FieldChange, Happening } from '../schema/history.js'
import type { HistoryEntry, VersionBody } from '../schema/records.js'
import type { JsonValue } from '../schema/scalars.js'
import { DEFAULTS } from './body.js'
import { canonicalJson } from './canonical.js'

/** Who wrote when is said beside the fields, and the hash follows from the value. */
const NOT_COMPARED = new Set(['updatedAt', 'actor', 'run', 'contentSha256'])

/** Fields that differ, the value first. Against nothing, those that a memory does not have unless they are given. */
export const changedFields = (before: VersionBody | null, after: VersionBody): readonly FieldChange[] => {
  const was: Readonly<Record<string, unknown>> = before === null ? DEFAULTS : { ...before }
  const changes = Object.entries(after).flatMap(([field, held]): readonly FieldChange[] => {
    if (NOT_COMPARED.has(field) || (before === null && (field === 'key' || field === 'createdAt'))) return []
    const earlier = (was[field] ?? null) as JsonValue
    return canonicalJson(earlier) === canonicalJson(held) ? [] : [{ field, before: earlier, after: held as JsonValue }]
  })
  const isValue = ({ field }: FieldChange): boolean => field === 'value'
  return [...changes.filter(isValue), ...changes.filter((change) => !isValue(change))]
}

/** What a version did, by the one before it and by how it was written. */
export const whatHappened = (
  kind: HistoryEntry['kind'],
  before: VersionBody | 'redacted' | null,
  after: VersionBody | 'redacted',
): Happening => {
  if (after === 'redacted') return 'redacted'
  if (kind === 'tomb') return 'deleted'
  if (kind === 'restore') return 'restored'
  if (before === null) return 'stated'
  if (before === 'redacted') return 'revised'
  if (before.contentSha256 !== after.contentSha256) return 'revised'
  if (before.status !== after.status)
    return after.status === 'superseded' ? 'retired' : after.status === 'rejected' ? 'rejected' : 'marked'
  const fields = changedFields(before, after).map(({ field }) => field)
  if (fields.every((field) => field === 'reinforcementCount')) return 'repeated'
  return fields.every((field) => MARKS.has(field)) ? 'marked' : 'corrected'
}

/** Fields that say how a memory stands to others, and not what it says. */
const MARKS = new Set(['conflictWith', 'duplicateOf', 'supersededBy', 'statusReason', 'invalidAt'])
