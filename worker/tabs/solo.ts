import type { ChangeEvent } from '../../src/protocol/events.js'
import type { LeaderEngine } from '../engine.js'
import { failureOf, outcomeOf } from '../outcome.js'
import type { Router } from './router.js'

/** A store of this page alone, in memory: no other tab can see it, so there is nothing to lead. */
export const createSoloRouter = (
  openEngine: (publish: (changes: ChangeEvent['changes']) => void) => Promise<LeaderEngine>,
  onChanged: (changes: ChangeEvent['changes']) => void,
): Router => {
  const opening = openEngine(onChanged)
  opening.catch(() => undefined)
  return {
    call: async (call, signal) => {
      try {
        const engine = await opening
        return await outcomeOf(() => engine.run({ ...call, forwarded: null, signal }))
      } catch (error) {
        return { ok: false, failure: failureOf(error) }
      }
    },
    opened: opening.then(() => undefined),
    isLeader: () => true,
    stepDown: () => Promise.resolve(),
    close: async () => (await opening).close(),
  }
}
