import type { HistoryEntry } from '../../../src/schema/records.js'
import { versionsByKey } from '../../store/history.js'
import type { CallContext, Engine } from '../context.js'
import { NEAREST_FIRST, traceSensitive } from './read.js'

/** All versions under a key in the handle's own tier, or in the nearest tier that ever had the key. */
export const history = (
  engine: Engine,
  context: CallContext,
  input: { readonly key: string; readonly limit: number },
): readonly HistoryEntry[] => {
  const { db } = engine.store
  const readable = engine.store.book.visible(context.scope)
  for (const tier of NEAREST_FIRST) {
    const here = readable.filter((identity) => identity.tier === tier)
    const entries = versionsByKey(db, here, input.key, input.limit)
    traceSensitive(engine, context, 'memory.history', entries)
    if (entries.length > 0) return entries
  }
  return []
}
