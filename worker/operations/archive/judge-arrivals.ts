import { lockInForce } from '../../../src/domain/guards.js'
import type { BoundScope } from '../../../src/domain/scope.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { ImportEntry } from '../../../src/schema/archive.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { echoRefusal } from '../echo/served.js'
import { commitWrite } from '../memory/commit.js'
import { unlinkConflict } from '../memory/conflicts.js'
import { locked } from '../memory/guard.js'
import { bury } from '../memory/lifecycle.js'
import { type PreparedWrite, prepare } from '../memory/prepare.js'
import { type Change, type Recording, type Refused, recorded, repeatOf } from '../memory/recorded.js'
import { type Arrival, refusedEntry, scopeName } from './arrival.js'
import { standingOf } from './standing.js'

type Statement = Extract<Arrival, { kind: 'statement' }>

/**
 * Takes arrivals in as writes are, in one transaction, and says what became of each. The result is kept under the name of the recording:
 * an import that was stopped goes on behind what it has done.
 */
export const judgeArrivals = async (
  engine: Engine,
  context: CallContext,
  recording: Recording,
  arrivals: readonly Arrival[],
): Promise<readonly ImportEntry[]> => {
  // The resend of a call finds the results under the name of the archive.
  const own = { ...context, forwarded: null }
  const before = repeatOf<readonly ImportEntry[]>(engine, own, recording)
  if (before !== undefined) return before
  const prepared = await prepareArrivals(engine, context, arrivals)
  const entries = recorded<readonly ImportEntry[]>(engine, own, recording, () => {
    const changes: Change[] = []
    const result = arrivals.map((arrival) =>
      take(engine, context, arrival, prepared.get(arrival) ?? null, recording.dryRun, changes),
    )
    const refusals = result.flatMap(({ key, code }): Refused[] =>
      code === undefined ? [] : [{ outcome: code, ...(key === undefined ? {} : { key }) }],
    )
    return { result, changes, refusals }
  })
  await engine.store.db.durable()
  return entries
}

const contextFor = (context: CallContext, scope: BoundScope): CallContext => ({ ...context, forwarded: null, scope })

/** What is to be written is embedded, and held against the blacklist, scope by scope. */
const prepareArrivals = async (
  engine: Engine,
  context: CallContext,
  arrivals: readonly Arrival[],
): Promise<ReadonlyMap<Arrival, PreparedWrite>> => {
  const byScope = new Map<string, Statement[]>()
  for (const arrival of arrivals) {
    if (arrival.kind !== 'statement' || standingOf(engine.store, arrival).kind !== 'write') continue
    const name = scopeName(arrival.scope)
    const together = byScope.get(name)
    if (together === undefined) byScope.set(name, [arrival])
    else together.push(arrival)
  }
  const prepared = new Map<Arrival, PreparedWrite>()
  for (const together of byScope.values()) {
    const [first] = together as [Statement]
    const inputs = together.map(({ input }) => input)
    const writes = await prepare(engine, inputs, contextFor(context, first.scope))
    together.forEach((arrival, i) => {
      const write = writes[i] as PreparedWrite
      prepared.set(arrival, { ...write, fields: { ...write.fields, ...arrival.precisions } })
    })
  }
  return prepared
}

const take = (
  engine: Engine,
  context: CallContext,
  arrival: Arrival,
  prepared: PreparedWrite | null,
  dryRun: boolean,
  changes: Change[],
): ImportEntry => {
  const standing = standingOf(engine.store, arrival)
  if (arrival.kind === 'settled') return arrival.entry
  if (standing.kind === 'settled') return withDropped(arrival, standing.entry)
  const { at } = arrival
  const here = contextFor(context, arrival.scope)
  try {
    if (standing.kind === 'bury') {
      changes.push(...buryHere(engine, here, standing.head))
      return { at, outcome: 'buried', key: standing.head.body.key, id: standing.head.memoryId }
    }
    if (arrival.kind === 'deletion' || prepared === null) throw new TypeError('what is written was prepared')
    if (prepared.refused !== undefined) return refusedEntry(at, prepared.refused, arrival.input.key)
    const echo = echoRefusal(engine, here, { sourceClass: arrival.statedAs, value: arrival.input.value })
    if (echo !== null) return refusedEntry(at, echo, arrival.input.key)
    const target = { kind: 'set', key: arrival.input.key ?? null } as const
    const options = { ifMatchSha256: undefined, onPinned: undefined, dryRun }
    const committed = commitWrite(engine, here, target, prepared, options)
    changes.push(...committed.changes)
    const { id, key, verdict, noop, status } = committed.result
    const outcome = noop ? 'known' : status === 'superseded' ? 'older' : 'written'
    return withDropped(arrival, { at, outcome, key, id, verdict })
  } catch (error) {
    return refusedEntry(at, error, arrival.kind === 'deletion' ? arrival.key : arrival.input.key)
  }
}

const withDropped = (arrival: Arrival, entry: ImportEntry): ImportEntry =>
  arrival.kind === 'statement' && arrival.dropped.length > 0 ? { ...entry, dropped: arrival.dropped } : entry

/** Deletes what was deleted where the archive comes from, unless somebody here wants it kept. */
const buryHere = (engine: Engine, context: CallContext, head: Head): readonly Change[] => {
  const { key, pinned, lockUntil } = head.body
  if (lockInForce(head.body, context.acceptedAt) !== null) throw locked(key, lockUntil)
  if (pinned) throw new MemoryError('PINNED_CONFLICT', `${key} is pinned. Unpin it first.`, { key })
  const freed = unlinkConflict(engine.store, context, head)
  return [bury(engine, context, head), ...freed]
}
