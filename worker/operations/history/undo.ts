import { beneath, guardedFromUndo } from '../../../src/domain/going-back.js'
import { resolve } from '../../../src/domain/scope.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { RestoreResult, UndoInput } from '../../../src/schema/going-back.js'
import {
  type AuthoredRow,
  type Authorship,
  actsBefore,
  authoredAfter,
  authorsOf,
  isActOf,
  rowsOfAct,
} from '../../store/authored.js'
import { rowAtId } from '../../store/devices.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { takeTurn } from '../turn.js'
import { goBack } from './go-back.js'
import { type Candidate, plan } from './plan.js'

/** Versions looked at in one turn. */
const SLICE = 2_000

/** Takes back what some writes of the handle's own scope did, as far as nobody has written on top of it. */
export const undo = (
  engine: Engine,
  context: CallContext,
  input: UndoInput & { readonly dryRun: boolean; readonly limit: number },
): Promise<RestoreResult> =>
  goBack(engine, context, 'memory.undo', input, async () => {
    const { store } = engine
    const actor = context.scope.actor ?? DEFAULT_ACTOR
    const identity = store.book.find(resolve(context.scope))
    const by = identity === null ? null : await authorship(engine, context, identity, input)
    if (by === null || identity === null) {
      if (input.batch !== undefined)
        throw new MemoryError('NOT_FOUND', 'No write of this scope has this name.', { id: input.batch })
      return []
    }
    const candidates = await takenBack(engine, context, identity, by)
    return plan(engine, context, candidates, (now, then) => guardedFromUndo(now, then, actor, context.acceptedAt))
  })

/** Whose writes are meant; null for a batch that is none of this scope. */
const authorship = async (
  { store }: Engine,
  context: CallContext,
  identity: number,
  { run, origin, batch, lastN = 0 }: UndoInput,
): Promise<Authorship | null> => {
  if (run !== undefined) return { run }
  if (origin !== undefined) return { origin }
  if (batch !== undefined) {
    const act = rowAtId(store.db, batch)
    return act !== null && isActOf(store.db, identity, act) ? { acts: [act] } : null
  }
  const acts = new Set<number>()
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const page = actsBefore(store.db, identity, before, SLICE)
    for (const { act } of page) if (acts.size < lastN) acts.add(act)
    const last = page.at(-1)
    if (acts.size >= lastN || last === undefined || page.length < SLICE) return { acts: [...acts] }
    before = last.row
    await takeTurn(context, 0)
  }
}

/** The memories that the writes changed, each with the row that stood before; what background work made of it goes with it. */
const takenBack = async (
  { store }: Engine,
  context: CallContext,
  identity: number,
  by: Authorship,
): Promise<readonly Candidate[]> => {
  const { db } = store
  const taken = new Set<number>()
  const memories = new Set<number>()
  const take = ({ row, memory }: AuthoredRow): void => {
    taken.add(row)
    memories.add(memory)
  }
  for (let after = 0; ; ) {
    const page = authoredAfter(db, identity, by, after, SLICE)
    page.forEach(take)
    after = page.at(-1)?.row ?? 0
    if (page.length < SLICE) break
    await takeTurn(context, 0)
  }
  let looked = 0
  // Grows while it is walked: what a decision of the background changed is followed up as well.
  for (const memory of memories) {
    if (++looked % SLICE === 0) await takeTurn(context, 0)
    for (const version of consequences(authorsOf(db, memory), taken))
      for (const row of rowsOfAct(db, identity, version)) take(row)
  }
  return [...memories].map((memory) => {
    const stood = beneath(
      authorsOf(db, memory).map((version) => ({
        row: version.row,
        taken: taken.has(version.row),
        background: isBackground(version),
      })),
    )
    return stood.kept ? { memory, kept: 'changed_since' } : { memory, target: stood.target }
  })
}

/** Acts of the background on a memory after the first version that is taken back. */
const consequences = (versions: readonly AuthoredRow[], taken: ReadonlySet<number>): readonly number[] => {
  const first = versions.findIndex(({ row }) => taken.has(row))
  return versions
    .slice(first + 1)
    .filter((version) => isBackground(version) && !taken.has(version.row))
    .flatMap(({ act }) => act ?? [])
}

const isBackground = ({ act, author }: AuthoredRow): boolean => act !== null && author === null
