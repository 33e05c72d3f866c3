import { changedFields } from '../../../src/domain/change.js'
import { diffWords } from '../../../src/domain/word-diff.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { DiffResult, VersionRef } from '../../../src/schema/history.js'
import type { HistoryEntry, VersionBody } from '../../../src/schema/records.js'
import type { CallContext, Engine } from '../context.js'
import { traceSensitive } from '../memory/read.js'
import { nearestVersions } from './history.js'

/** What differs between two versions under a key. */
export const diff = (
  engine: Engine,
  context: CallContext,
  input: { readonly key: string; readonly from?: string | undefined; readonly to?: string | undefined },
): DiffResult => {
  const { key } = input
  const [newer, before] = nearestVersions(engine, context, key, 2, versionOf(input.to))
  const [older] = input.from === undefined ? [before] : nearestVersions(engine, context, key, 1, versionOf(input.from))
  if (newer === undefined) throw new MemoryError('NOT_FOUND', `Nothing ever stood under ${key} here.`, { key })
  for (const [found, wanted] of [
    [newer, input.to],
    [older, input.from],
  ] as const)
    if (wanted !== undefined && found?.version !== wanted)
      throw new MemoryError('NOT_FOUND', `${key} has no such version here.`, { key })
  traceSensitive(engine, context, 'memory.diff', older === undefined ? [newer] : [older, newer])
  const isKnown = newer.redacted === null && older?.redacted == null
  const changes = isKnown ? changedFields(older === undefined ? null : bodyOf(older), bodyOf(newer)) : []
  const [first] = changes
  const isText = typeof first?.before === 'string' && typeof first.after === 'string' && first.field === 'value'
  return {
    id: newer.id,
    key,
    from: older === undefined ? null : refOf(older),
    to: refOf(newer),
    changes,
    words: isText ? diffWords(first.before as string, first.after as string) : null,
    scope: newer.scope,
  }
}

const versionOf = (text: string | undefined): bigint | undefined => (text === undefined ? undefined : BigInt(text))

const refOf = ({ version, kind, status, updatedAt, actor, run, redacted }: HistoryEntry): VersionRef => ({
  version,
  kind,
  status,
  at: updatedAt,
  actor,
  run,
  redacted: redacted !== null,
})

/** What a version says, without its place in history. */
const bodyOf = (entry: HistoryEntry): VersionBody => {
  const { verification, id, version, scope, tier, kind, rowId, parents, prevSha256, sha256, synced, redacted, ...body } =
    entry
  return body
}
