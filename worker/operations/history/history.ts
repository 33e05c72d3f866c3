import type { HistoryEntry } from '../../../src/schema/records.js'
import { versionsByKey } from '../../store/history.js'
import type { CallContext, Engine } from '../context.js'
import { NEAREST_FIRST, traceSensitive } from '../memory/read.js'

/** All versions under a key in the handle's own tier, or in the nearest tier that ever had the key. */
export const history = (
  engine: Engine,
  context: CallContext,
  input: { readonly key: string; readonly limit: number },
): readonly HistoryEntry[] => {
  const entries = nearestVersions(engine, context, input.key, input.limit)
  traceSensitive(engine, context, 'memory.history', entries)
  return entries
}

/** Versions under a key, newest first, of the nearest tier that has any; from one version back when it is given. */
export const nearestVersions = (
  engine: Engine,
  context: CallContext,
  key: string,
  limit: number,
  from?: bigint,
): readonly HistoryEntry[] => {
  const { db, book } = engine.store
  const readable = book.visible(context.scope)
  for (const tier of NEAREST_FIRST) {
    const here = readable.filter((identity) => identity.tier === tier)
    const entries = versionsByKey(db, here, key, limit, from)
    if (entries.length > 0) return entries
  }
  return []
}
