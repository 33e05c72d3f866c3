import { type BulkAction, stepFor } from '../../../src/domain/bulk.js'
import { resolve } from '../../../src/domain/scope.js'
import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'
import type { ApplyResult, KeptWhy } from '../../../src/schema/bulk.js'
import { type HeadFilter, headsAmong, memoriesMatching, ownRows } from '../../store/heads.js'
import type { Head } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { restate, unlinkConflict } from '../memory/conflicts.js'
import { bury } from '../memory/lifecycle.js'
import { type Change, type Recording, recorded, repeatOf } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'
import { letOthers } from '../turn.js'

/** Memories of one transaction: other calls get their turn in between. */
const BATCH = 250
/** Memories that the answer names. */
const NAMED = 20
/** Where an action says nothing of it. */
const DEMOTED_TO = 0.5

interface ApplyInput {
  readonly filter: HeadFilter
  readonly action: BulkAction['kind']
  readonly expiresAt?: string | undefined
  readonly mode?: 'read_only' | 'no_delete' | undefined
  readonly reason?: string | undefined
  readonly until?: string | undefined
  readonly ttlSeconds?: number | undefined
  readonly addTags?: readonly string[] | undefined
  readonly removeTags?: readonly string[] | undefined
  readonly confidence?: number | undefined
  readonly dryRun: boolean
  readonly idempotencyKey?: string | undefined
}

/** What was done so far. */
interface Tally {
  changed: number
  unchanged: number
  gone: number
  readonly kept: Record<KeptWhy, number>
  readonly rows: ApplyResult['rows'][number][]
  readonly left: ApplyResult['left'][number][]
}

/** Does one thing to all memories of this scope that a filter lets through, batch by batch; by default only says what it would do. */
export const apply = async (engine: Engine, context: CallContext, input: ApplyInput): Promise<ApplyResult> => {
  const { dryRun, idempotencyKey } = input
  const recording: Recording = { action: 'memory.apply', idempotencyKey, dryRun }
  requireWritable(engine, context, recording)
  const action = actionOf(input, context.acceptedAt)
  const { store } = engine
  const before = repeatOf<ApplyResult>(engine, context, recording)
  if (before !== undefined) return before
  // What matches now is what is done: memories that come to match because others went are not in it.
  const { matching, sensitive } = await engine.inOrder(async () => matched(engine, context, input.filter))
  const tally: Tally = { changed: 0, unchanged: 0, gone: 0, kept: { locked: 0, pinned: 0, full: 0 }, rows: [], left: [] }
  for (let start = 0; start < matching.length; start += BATCH) {
    if (context.signal.aborted)
      throw new MemoryError('ABORTED', 'It was stopped between two batches.', { written: dryRun ? 0 : tally.changed })
    const batch = matching.slice(start, start + BATCH)
    await engine.inOrder(() => applyBatch(engine, context, input, action, batch, tally))
    const loaded = Math.min(start + BATCH, matching.length)
    engine.progress({ phase: 'apply', loaded, total: matching.length, ratio: loaded / matching.length })
    await letOthers()
  }
  const result: ApplyResult = {
    action: input.action,
    dryRun,
    matched: matching.length,
    ...tally,
    kept: { ...tally.kept, sensitive },
    scope: resolve(context.scope),
  }
  return engine.inOrder(async () => {
    // Kept for a repeat. One that was stopped in between goes on when it is repeated: what is done already is so.
    recorded(engine, context, recording, () => ({ result, changes: [] }))
    await store.db.durable()
    return result
  })
}

const matched = ({ store }: Engine, context: CallContext, filter: HeadFilter) => {
  const own = ownIdentities(store, context)
  const found = (more: HeadFilter) =>
    memoriesMatching(store.db, own, { ...filter, ...more }, context.acceptedAt, ownRows(filter))
  return { matching: [...found({})].sort((a, b) => a - b), sensitive: found({ isSensitive: true }).size }
}

const ownIdentities = ({ book }: Engine['store'], context: CallContext): readonly number[] => {
  const own = book.find(resolve(context.scope))
  return own === null ? [] : [own]
}

const applyBatch = async (
  engine: Engine,
  context: CallContext,
  { filter, dryRun }: ApplyInput,
  action: BulkAction,
  batch: readonly number[],
  tally: Tally,
): Promise<void> => {
  const { store } = engine
  const own = ownIdentities(store, context)
  const actor = context.scope.actor ?? DEFAULT_ACTOR
  const doing = { action: `memory.apply.${action.kind}`, idempotencyKey: undefined, dryRun }
  // The whole call is what is repeated, not a batch of it.
  const noted = recorded<Tally>(engine, { ...context, forwarded: null }, doing, () => {
    const counts: Tally = { ...tally, kept: { ...tally.kept }, rows: [...tally.rows], left: [...tally.left] }
    const changes: Change[] = []
    for (const memory of batch) {
      // Read one by one: what is done to one may have changed the next.
      const [head] = headsAmong(store.db, [memory], own, filter, context.acceptedAt)
      if (head === undefined) counts.gone++
      else changes.push(...applyTo(engine, context, head, stepFor(head.body, action, actor, context.acceptedAt), counts))
    }
    return { result: counts, changes }
  })
  Object.assign(tally, noted)
  await store.db.durable()
}

const applyTo = (
  engine: Engine,
  context: CallContext,
  head: Head,
  step: ReturnType<typeof stepFor>,
  counts: Tally,
): readonly Change[] => {
  const { key, status } = head.body
  const named = { id: head.memoryId, key }
  if (step.do === 'nothing') {
    counts.unchanged++
    return []
  }
  if (step.do === 'keep') {
    counts.kept[step.why]++
    if (counts.left.length < NAMED) counts.left.push({ ...named, why: step.why })
    return []
  }
  counts.changed++
  if (counts.rows.length < NAMED) counts.rows.push({ ...named, status })
  if (step.do === 'change') return [restate(engine.store, context, head, step.change)]
  return [...unlinkConflict(engine.store, context, head), bury(engine, context, head)]
}

const actionOf = (input: ApplyInput, nowMs: number): BulkAction => {
  switch (input.action) {
    case 'delete':
      return { kind: 'delete' }
    case 'expire':
      return { kind: 'expire', at: input.expiresAt === undefined ? nowMs : Date.parse(input.expiresAt) }
    case 'lock':
      return { kind: 'lock', mode: input.mode ?? 'read_only', reason: input.reason ?? '', until: endOf(input, nowMs) }
    case 'label':
      return { kind: 'label', add: input.addTags ?? [], remove: input.removeTags ?? [] }
    case 'demote':
      return { kind: 'demote', confidence: input.confidence ?? DEMOTED_TO }
  }
}

const endOf = ({ until, ttlSeconds }: ApplyInput, nowMs: number): number | null => {
  if (ttlSeconds !== undefined) return nowMs + Math.ceil(ttlSeconds * 1000)
  if (until === undefined) return null
  const end = Date.parse(until)
  if (end <= nowMs) throw invalidArgument('until', 'has passed already')
  return end
}
