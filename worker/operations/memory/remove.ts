import { lockInForce } from '../../../src/domain/guards.js'
import { resolve } from '../../../src/domain/scope.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import type { DeleteResult } from '../../../src/schema/records.js'
import type { CallContext, Engine } from '../context.js'
import { settleDependents } from '../keeping/beliefs.js'
import { unlinkConflict } from './conflicts.js'
import { locked } from './guard.js'
import { bury, headsHere, recordingOf, type TargetInput } from './lifecycle.js'
import { type Change, recorded } from './recorded.js'
import { requireWritable } from './set.js'

/** Deletes the live memory under a key of this scope: a version that says so. */
export const remove = (engine: Engine, context: CallContext, input: TargetInput): Promise<DeleteResult> => {
  requireWritable(engine, context, recordingOf('memory.delete', input))
  return engine.inOrder(async () => {
    const scope = resolve(context.scope)
    const result = recorded<DeleteResult>(engine, context, recordingOf('memory.delete', input), () => {
      const live = headsHere(engine, context, input.key).filter(({ body }) => HOLDS_KEY.includes(body.status))
      const kept = live.find(({ body }) => lockInForce(body, context.acceptedAt) !== null)
      if (kept !== undefined) throw locked(input.key, kept.body.lockUntil)
      const freed: Change[] = []
      const changes = live.map((head) => {
        freed.push(...unlinkConflict(engine.store, context, head))
        return bury(engine, context, head)
      })
      const count = changes.length
      const { tombstoned, downgraded, changes: dependent } = settleDependents(engine, context, live)
      return {
        result: {
          found: count > 0,
          tombstoned: count,
          dependentsTombstoned: tombstoned,
          dependentsDowngraded: downgraded,
          scope,
        },
        changes: [...changes, ...freed, ...dependent],
      }
    })
    await engine.store.db.durable()
    return result
  })
}
