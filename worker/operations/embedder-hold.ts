import type { EmbedderReport } from '../../src/schema/embedder.js'
import type { Hold } from '../embedding/ladder.js'
import type { Engine } from './context.js'
import { getEmbedder } from './embedder.js'

/** Stops bringing up the wanted embedder. What it has made so far is kept. */
export const pauseEmbedder = (engine: Engine): Promise<EmbedderReport> => held(engine, 'paused')

/** Stops it and drops what it has made so far; its model is ended. */
export const cancelEmbedder = (engine: Engine): Promise<EmbedderReport> => held(engine, 'cancelled')

/** Goes on after a pause or begins anew after a cancel; tries at once what failed. */
export const resumeEmbedder = (engine: Engine): Promise<EmbedderReport> => held(engine, null)

const held = (engine: Engine, hold: Hold | null): Promise<EmbedderReport> => {
  // What is under way would put its vectors in after they were dropped.
  if (hold !== null) engine.interruptIndexing()
  return engine.inOrder(async () => {
    engine.ladder.hold(hold)
    await engine.store.db.durable()
    engine.wakeIndexing()
    return getEmbedder(engine)
  })
}
