import { guardedFromRollback } from '../../../src/domain/going-back.js'
import { resolve } from '../../../src/domain/scope.js'
import type { RestoreResult, RollbackInput } from '../../../src/schema/going-back.js'
import { headsSince, rowAt } from '../../store/going-back.js'
import type { CallContext, Engine } from '../context.js'
import { within } from '../namespaces.js'
import { takeTurn } from '../turn.js'
import { goBack } from './go-back.js'
import { type Candidate, plan } from './plan.js'

/** Memories looked at in one turn. */
const SLICE = 500

/** Brings every memory of the handle's own scope back to what it was at an instant. */
export const rollback = (
  engine: Engine,
  outer: CallContext,
  input: RollbackInput & { readonly dryRun: boolean; readonly limit: number },
): Promise<RestoreResult> => {
  const context = within(outer, input)
  const atMs = Date.parse(input.to)
  return goBack(engine, context, 'namespaces.rollback', input, async () =>
    plan(engine, context, await changedSince(engine, context, atMs), (now) => guardedFromRollback(now, context.acceptedAt)),
  )
}

const changedSince = async ({ store }: Engine, context: CallContext, atMs: number): Promise<readonly Candidate[]> => {
  const identity = store.book.find(resolve(context.scope))
  const candidates: Candidate[] = []
  if (identity === null) return candidates
  for (let after = 0; ; ) {
    const page = headsSince(store.db, identity, atMs, after, SLICE)
    for (const { memory } of page) candidates.push({ memory, target: rowAt(store.db, memory, atMs) })
    after = page.at(-1)?.memory ?? 0
    if (page.length < SLICE) return candidates
    await takeTurn(context, 0)
  }
}
