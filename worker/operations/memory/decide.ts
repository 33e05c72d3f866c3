import { lockInForce } from '../../../src/domain/guards.js'
import { resolve } from '../../../src/domain/scope.js'
import { HOLDS_KEY, isServed } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { DecideResult, ProposalsResult } from '../../../src/schema/conflicts.js'
import { refreshOffer, unindexMemory } from '../../store/search-index.js'
import { type Head, headById, headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { linkConflict, unlinkConflict } from './conflicts.js'
import { releaseDuplicates } from './duplicates.js'
import { locked } from './guard.js'
import { append, headsHere, recordingOf } from './lifecycle.js'
import { list } from './read.js'
import { type Change, recorded } from './recorded.js'
import { requireWritable } from './set.js'

interface Decided {
  readonly result: DecideResult
  readonly changes: readonly Change[]
}

interface Repeatable {
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** Proposals that the handle may read, newest first, each with the live memories it stands against. */
export const listProposals = (
  engine: Engine,
  context: CallContext,
  input: { readonly keyPrefix?: string | undefined; readonly limit: number; readonly cursor?: string | undefined },
): ProposalsResult => {
  const { store } = engine
  const { rows, nextCursor, scope } = list(engine, context, { ...input, status: 'proposed' })
  const readable = store.book.visible(context.scope).map(({ identity }) => identity)
  const proposals = rows.map((row) => ({
    row,
    against: standingHeads(engine, context, readable, row.conflictWith).map((head) =>
      headToRow(head, store.book.scopeOf(head.identity)),
    ),
  }))
  return { proposals, nextCursor, scope }
}

const standingHeads = (
  { store }: Engine,
  context: CallContext,
  readable: readonly number[],
  ids: readonly string[],
): readonly Head[] =>
  ids
    .map((id) => headById(store.db, readable, id))
    .filter((head): head is Head => head !== null && isServed(head, context.acceptedAt))

/** Ends the trial of a proposal: believed from now on, or marked wrong. */
export const decideProposal = (
  engine: Engine,
  context: CallContext,
  input: Repeatable & {
    readonly id: string
    readonly action: 'accept' | 'reject'
    readonly reason?: string | undefined
  },
): Promise<DecideResult> =>
  deciding(engine, context, 'proposals.decide', input, () => {
    const { store } = engine
    const readable = store.book.visible(context.scope).map(({ identity }) => identity)
    const head = headById(store.db, readable, input.id)
    if (head === null || head.body.status !== 'proposed')
      throw new MemoryError('NOT_FOUND', 'No proposal has this id.', { id: input.id })
    const own = store.book.find(resolve(context.scope))
    if (head.identity !== own)
      throw new MemoryError('FORBIDDEN', 'This handle may read that proposal but not decide about it.', {
        reason: 'other_scope',
      })
    const reason = input.reason ?? null
    if (input.action === 'reject') return rejected(engine, context, head, reason, input.dryRun)
    const against = standingHeads(engine, context, readable, head.body.conflictWith)
    const body = {
      ...head.body,
      status: against.length > 0 ? ('conflicted' as const) : ('active' as const),
      statusReason: reason,
      conflictWith: against.map(({ memoryId }) => memoryId),
    }
    const accepted = append(engine, context, head, 'set', body)
    // What wider scopes hold is not marked: others read it.
    const marked = linkConflict(
      store,
      context,
      accepted,
      against.filter(({ identity }) => identity === own),
    )
    return answered(engine, accepted, input.dryRun, marked)
  })

/** Marks the live memory under a key of this scope as wrong. */
export const reject = (
  engine: Engine,
  context: CallContext,
  input: Repeatable & { readonly key: string; readonly reason: string },
): Promise<DecideResult> =>
  deciding(engine, context, 'memory.reject', input, () => {
    const { key, reason } = input
    const head = headsHere(engine, context, key).find(({ body }) => HOLDS_KEY.includes(body.status))
    if (head === undefined) throw new MemoryError('NOT_FOUND', `Nothing lives under ${key} in this scope.`, { key })
    if (lockInForce(head.body, context.acceptedAt) !== null) throw locked(key, head.body.lockUntil)
    if (head.body.pinned) throw new MemoryError('PINNED_CONFLICT', `${key} is pinned. Unpin it first.`, { key })
    return rejected(engine, context, head, reason, input.dryRun)
  })

const rejected = (engine: Engine, context: CallContext, head: Head, reason: string | null, dryRun = false): Decided => {
  const { store } = engine
  const freed = unlinkConflict(store, context, head)
  const body = { ...head.body, status: 'rejected' as const, statusReason: reason, conflictWith: [], duplicateOf: null }
  const after = append(engine, context, head, 'set', body)
  unindexMemory(store, after.memory)
  refreshOffer(store, after)
  releaseDuplicates(store, context, head, after)
  return answered(engine, after, dryRun, freed)
}

const answered = ({ store }: Engine, head: Head, dryRun = false, others: readonly Change[] = []): Decided => {
  const { key, status, contentSha256 } = head.body
  const scope = store.book.scopeOf(head.identity)
  const result = { id: head.memoryId, key, version: head.ver.toString(), status, dryRun, scope }
  return { result, changes: [{ id: head.memoryId, key, contentSha256, scope }, ...others] }
}

const deciding = (
  engine: Engine,
  context: CallContext,
  action: string,
  input: Repeatable,
  work: () => Decided,
): Promise<DecideResult> => {
  const recording = recordingOf(action, input)
  requireWritable(engine, context, recording)
  return engine.inOrder(async () => {
    const result = recorded<DecideResult>(engine, context, recording, work)
    await engine.store.db.durable()
    return result
  })
}
