import type { SearchResult } from '../../src/schema/records.js'
import { pendingTurns } from '../store/learning.js'
import type { CallContext, Engine } from './context.js'

/** A search that tells how many turns wait to be learned from, since what they say is not found yet. */
export const withPending =
  <Input>(search: (engine: Engine, context: CallContext, input: Input) => Promise<SearchResult>) =>
  async (engine: Engine, context: CallContext, input: Input): Promise<SearchResult> => {
    const found = await search(engine, context, input)
    const identities = engine.store.book.visible(context.scope).map(({ identity }) => identity)
    const pendingExtraction = pendingTurns(engine.store.db, identities)
    return pendingExtraction === 0 ? found : { ...found, pendingExtraction }
  }
