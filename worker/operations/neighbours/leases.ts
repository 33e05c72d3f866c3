import { memoryId } from '../../../src/domain/memory-id.js'
import { granted, type Lease, released, remainingMs, renewed, settled } from '../../../src/domain/neighbours/lease.js'
import { resolve } from '../../../src/domain/scope.js'
import type { LeaseResult } from '../../../src/schema/neighbours/working.js'
import { leaseOf, putLease } from '../../store/leases.js'
import type { CallContext, Engine } from '../context.js'
import { recordingFor, writing } from './put.js'

/** What a call makes of a lease, or null when it may not. */
type Step = (lease: Lease | null, nowMs: number) => Lease | null

/**
 * Takes a step with a lease, in the order in which calls come. Grants are counted by the clock of the leader at that moment, not by those of
 * the tabs that asked: theirs are no later by the order in which they ask.
 */
const step = (engine: Engine, context: CallContext, action: string, name: string, take: Step): Promise<LeaseResult> =>
  writing(
    engine,
    context,
    recordingFor(action, {}),
    () => null,
    () => {
      const { store } = engine
      const identity = store.book.take(resolve(context.scope))
      const nowMs = Math.trunc(store.system.now())
      const kept = leaseOf(store.db, identity, name)
      const before = kept === null ? null : settled(kept, nowMs)
      const taken = take(before, nowMs)
      const after = taken ?? before
      if (after !== null) putLease(store.db, identity, name, after)
      const left = remainingMs(after, nowMs)
      const held = taken !== null && taken.holder !== null
      return {
        result: {
          lease: name,
          held,
          token: held ? taken.token : null,
          remainingMs: left,
          holder: left > 0 ? (after?.holder ?? null) : null,
        },
        changes: [],
      }
    },
  )

const milliseconds = (seconds: number): number => Math.ceil(seconds * 1_000)

interface AcquireInput {
  readonly lease: string
  readonly ttlSeconds: number
  readonly holder?: string | undefined
}

export const acquireLease = (engine: Engine, context: CallContext, input: AcquireInput): Promise<LeaseResult> => {
  const holder = input.holder ?? memoryId(context.acceptedAt, engine.store.system.randomBytes(16))
  return step(engine, context, 'working.acquire', input.lease, (lease, nowMs) =>
    granted(lease, holder, milliseconds(input.ttlSeconds), nowMs),
  )
}

interface GrantInput {
  readonly lease: string
  readonly token: number
}

export const renewLease = (
  engine: Engine,
  context: CallContext,
  input: GrantInput & { readonly ttlSeconds: number },
): Promise<LeaseResult> =>
  step(engine, context, 'working.renew', input.lease, (lease, nowMs) =>
    renewed(lease, input.token, milliseconds(input.ttlSeconds), nowMs),
  )

export const releaseLease = (engine: Engine, context: CallContext, input: GrantInput): Promise<LeaseResult> =>
  step(engine, context, 'working.release', input.lease, (lease) => released(lease, input.token))
