import { contentSha256 } from '../../../src/domain/canonical.js'
import { lockInForce } from '../../../src/domain/guards.js'
import { resolve as resolveScope } from '../../../src/domain/scope.js'
import { isServed } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { ConflictsResult, ResolveResult } from '../../../src/schema/conflicts.js'
import type { VersionBody } from '../../../src/schema/records.js'
import type { JsonValue } from '../../../src/schema/scalars.js'
import { indexHead, unindexMemory } from '../../store/search-index.js'
import { type Head, headById, headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { restate, unlinkConflict } from './conflicts.js'
import { releaseDuplicates } from './duplicates.js'
import { locked } from './guard.js'
import { append, bury } from './lifecycle.js'
import { list } from './read.js'
import { type Change, type Recording, recorded } from './recorded.js'
import { requireWritable } from './set.js'

interface ConflictsInput {
  readonly keyPrefix?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Memories in conflict that the handle may read, newest first, each with what it stands against. */
export const listConflicts = (engine: Engine, context: CallContext, input: ConflictsInput): ConflictsResult => {
  const { store } = engine
  const { rows, nextCursor, scope } = list(engine, context, { ...input, status: 'conflicted' })
  const readable = store.book.visible(context.scope).map(({ identity }) => identity)
  const conflicts = rows.map((row) => ({
    row,
    with: row.conflictWith.flatMap((id) => {
      const head = headById(store.db, readable, id)
      return head === null || !isServed(head, context.acceptedAt) ? [] : [headToRow(head, store.book.scopeOf(head.identity))]
    }),
  }))
  return { conflicts, nextCursor, scope }
}

interface ResolveInput {
  readonly id: string
  readonly action: 'revise' | 'allow' | 'contract'
  readonly value?: JsonValue | undefined
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** Decides a conflict: one side is right, both may stand, or this one goes. Every decision is a version on each row it touches. */
export const resolveConflict = (engine: Engine, context: CallContext, input: ResolveInput): Promise<ResolveResult> => {
  const recording: Recording = {
    action: 'conflicts.resolve',
    idempotencyKey: input.idempotencyKey,
    dryRun: input.dryRun ?? false,
  }
  requireWritable(engine, context, recording)
  return engine.inOrder(async () => {
    const result = recorded<ResolveResult>(engine, context, recording, () => decide(engine, context, input))
    await engine.store.db.durable()
    engine.wakeIndexing()
    return result
  })
}

const decide = (
  engine: Engine,
  context: CallContext,
  { id, action, value, dryRun = false }: ResolveInput,
): { readonly result: ResolveResult; readonly changes: readonly Change[] } => {
  const { store } = engine
  const scope = resolveScope(context.scope)
  const readable = store.book.visible(context.scope).map(({ identity }) => identity)
  const head = headById(store.db, readable, id)
  if (head === null || head.body.status !== 'conflicted')
    throw new MemoryError('NOT_FOUND', 'No memory of this id is in conflict.', { id })
  const own = store.book.find(scope)
  if (head.identity !== own)
    throw new MemoryError('FORBIDDEN', 'This handle may read that memory but not decide about it.', {
      reason: 'other_scope',
    })
  const against = head.body.conflictWith
    .map((other) => headById(store.db, readable, other))
    .filter((other): other is Head => other !== null && other.identity === own && isServed(other, context.acceptedAt))

  const losers = action === 'revise' ? against : action === 'contract' ? [head] : []
  for (const { body } of losers) if (lockInForce(body, context.acceptedAt) !== null) throw locked(body.key, body.lockUntil)
  if (value !== undefined && lockInForce(head.body, context.acceptedAt) === 'read_only')
    throw locked(head.body.key, head.body.lockUntil)
  const gone = losers.map((loser) => bury(engine, context, loser))
  const freed = losers
    .flatMap((loser) => unlinkConflict(store, context, loser, action === 'revise' ? id : null))
    .filter((change) => !gone.some((other) => other.id === change.id))
  const settled =
    action === 'contract' ? [] : [settle(engine, context, readable, head, action === 'revise' ? value : undefined)]
  const unlinked = action === 'allow' ? unlinkConflict(store, context, head) : []
  const changes = [...gone, ...freed, ...unlinked, ...settled]
  return {
    result: {
      id,
      key: head.body.key,
      status: action === 'contract' ? 'tombstoned' : 'active',
      tombstoned: gone.map(({ key }) => key),
      settled: [...new Set([...freed, ...unlinked, ...settled].map(({ key }) => key))],
      dryRun,
      scope,
    },
    changes,
  }
}

/** What is left stands by itself, with another value where one is given. */
const settle = (
  engine: Engine,
  context: CallContext,
  readable: readonly number[],
  before: Head,
  value: JsonValue | undefined,
): Change => {
  const { store } = engine
  const head = headById(store.db, readable, before.memoryId) ?? before
  const settled: Partial<VersionBody> = { status: 'active', conflictWith: [] }
  if (value === undefined || contentSha256(value) === head.body.contentSha256) return restate(store, context, head, settled)
  const said = { ...settled, value, contentSha256: contentSha256(value), reinforcementCount: 1 }
  const after = append(engine, context, head, 'set', { ...head.body, ...said })
  unindexMemory(store, after.memory)
  // Its vector follows in the background, as for what is restored.
  indexHead(store, after, [])
  releaseDuplicates(store, context, head, after)
  return {
    id: after.memoryId,
    key: after.body.key,
    contentSha256: after.body.contentSha256,
    scope: store.book.scopeOf(after.identity),
  }
}
