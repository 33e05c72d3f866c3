import { isSearchable } from '../../../src/domain/memory-type.js'
import { conflictedAfter, unjudgedAfter } from '../../store/reviews.js'
import { headOf } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { letOthers } from '../turn.js'
import { judgeLate } from './judge-late.js'
import { resolveConflicts } from './resolve-conflicts.js'

/** Memories read in one go when everything that is open is taken in. */
const PAGE = 200

/** The actor of decisions that no person and no app has made. */
const RESOLVER = 'process:resolver'

/** Looks at noted memories one by one, and at all that is open in the store when asked for it. Goes on where it was stopped. */
export const resolvePending = async (
  engine: Engine,
  memories: Set<number>,
  all: boolean,
  signal: AbortSignal,
): Promise<void> => {
  // Conflicts are read with what is known of words; without it, nothing is certain.
  if (!(await engine.language.ready())) return
  if (all) for (const memory of everyOpen(engine)) memories.add(memory)
  while (memories.size > 0 && !signal.aborted) {
    const [memory] = memories as unknown as [number]
    memories.delete(memory)
    await look(engine, memory, signal)
    // Calls that came meanwhile are answered before the next.
    await letOthers()
  }
}

function* everyOpen({ store }: Engine): Generator<number> {
  for (const after of [unjudgedAfter, conflictedAfter])
    for (let page = after(store.db, 0, PAGE); page.length > 0; page = after(store.db, page.at(-1) ?? 0, PAGE)) yield* page
}

const look = async (engine: Engine, memory: number, signal: AbortSignal): Promise<void> => {
  const head = headOf(engine.store.db, memory)
  if (head === null) return
  const context: CallContext = {
    scope: { ...engine.store.book.scopeOf(head.identity), actor: RESOLVER },
    acceptedAt: engine.store.system.now(),
    forwarded: null,
    signal,
  }
  if (isSearchable(head.body.type, head.body.sensitivity)) await judgeLate(engine, context, head)
  await resolveConflicts(engine, context, memory)
}
