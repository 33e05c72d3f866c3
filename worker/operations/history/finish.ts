import type { Engine } from '../context.js'
import { eraseNext } from '../erasing/erase.js'
import { finishGoingBack } from './go-back.js'
import { scrub } from './scrub.js'

/** Goes on with what an earlier opening ended in the middle of. */
export const finishHistory = async (engine: Engine, signal: AbortSignal): Promise<void> => {
  await finishGoingBack(engine, signal)
  if (!signal.aborted) await engine.inOrder(async () => void (await eraseNext(engine, signal)))
  if (!signal.aborted) await engine.inOrder(async () => void (await scrub(engine)))
}
