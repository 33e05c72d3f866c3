import type { Engine } from '../context.js'
import { finishRestoring } from './restoring.js'
import { scrub } from './scrub.js'

/** Goes on with what an earlier opening ended in the middle of. */
export const finishHistory = async (engine: Engine, signal: AbortSignal): Promise<void> => {
  await finishRestoring(engine, signal)
  if (!signal.aborted) await engine.inOrder(async () => void (await scrub(engine)))
}
