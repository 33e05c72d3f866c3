import { pendingTurns } from '../store/learning.js'
import type { CallContext, Engine } from './context.js'

/** Lets an answer tell how many turns wait to be learned from, since what they say is not found yet. */
export const withPending =
  <Input, Answer extends object>(find: (engine: Engine, context: CallContext, input: Input) => Promise<Answer>) =>
  async (engine: Engine, context: CallContext, input: Input): Promise<Answer & { readonly pendingExtraction?: number }> => {
    const found = await find(engine, context, input)
    const identities = engine.store.book.visible(context.scope).map(({ identity }) => identity)
    const pendingExtraction = pendingTurns(engine.store.db, identities)
    return pendingExtraction === 0 ? found : { ...found, pendingExtraction }
  }
