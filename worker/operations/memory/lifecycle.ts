import { scannedText } from '../../../src/domain/blacklist.js'
import { thresholdsOf } from '../../../src/domain/calibration.js'
import { lockInForce } from '../../../src/domain/guards.js'
import { resolve } from '../../../src/domain/scope.js'
import { HOLDS_KEY, RESTORE_WINDOW_MS } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { DeleteResult, HistoryEntry, VersionBody, WriteResult } from '../../../src/schema/records.js'
import { indexHead, refreshOffer, unindexMemory } from '../../store/search-index.js'
import { type Head, headsByKey, insertVersion } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { unlinkConflict } from './conflicts.js'
import { releaseDuplicates } from './duplicates.js'
import { locked } from './guard.js'
import { type Change, type Recording, recorded, repeatOf } from './recorded.js'
import { blacklistRefusal, rulesInForce } from './rules.js'
import { requireWritable } from './set.js'

interface TargetInput {
  readonly key: string
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

export const recordingOf = (action: string, input: TargetInput): Recording => ({
  action,
  idempotencyKey: input.idempotencyKey,
  dryRun: input.dryRun ?? false,
})

/** Every memory under a key that this scope itself has written, newest first. */
export const headsHere = (engine: Engine, context: CallContext, key: string): readonly Head[] => {
  const identity = engine.store.book.find(resolve(context.scope))
  return identity === null ? [] : headsByKey(engine.store.db, [identity], key)
}

/** Deletes the live memory under a key of this scope: a version that says so. */
export const remove = (engine: Engine, context: CallContext, input: TargetInput): Promise<DeleteResult> => {
  requireWritable(engine, context, recordingOf('memory.delete', input))
  return engine.inOrder(async () => {
    const scope = resolve(context.scope)
    const result = recorded<DeleteResult>(engine, context, recordingOf('memory.delete', input), () => {
      const live = headsHere(engine, context, input.key).filter(({ body }) => HOLDS_KEY.includes(body.status))
      const kept = live.find(({ body }) => lockInForce(body, context.acceptedAt) !== null)
      if (kept !== undefined) throw locked(input.key, kept.body.lockUntil)
      const readable = engine.store.book.visible(context.scope).map(({ identity }) => identity)
      const freed: Change[] = []
      const changes = live.map((head) => {
        freed.push(...unlinkConflict(engine.store, context, readable, head))
        return bury(engine, context, head)
      })
      const count = changes.length
      return {
        result: { found: count > 0, tombstoned: count, dependentsTombstoned: 0, dependentsDowngraded: 0, scope },
        changes: [...changes, ...freed],
      }
    })
    await engine.store.db.durable()
    return result
  })
}

/** Appends the version that says that a memory is gone, and takes it out of the index. */
export const bury = (engine: Engine, context: CallContext, head: Head): Change => {
  const { store } = engine
  const gone = append(engine, context, head, 'tomb', {
    ...head.body,
    status: 'tombstoned',
    tombstonedAt: context.acceptedAt,
    conflictWith: [],
  })
  unindexMemory(store, gone.memory)
  releaseDuplicates(store, context, head, gone)
  const { key, contentSha256 } = gone.body
  return { id: gone.memoryId, key, contentSha256, scope: store.book.scopeOf(head.identity) }
}

/** Brings back the newest memory under a key that was deleted in time, or superseded. */
export const restore = (engine: Engine, context: CallContext, input: TargetInput): Promise<WriteResult> => {
  requireWritable(engine, context, recordingOf('memory.restore', input))
  return engine.inOrder(async () => {
    const recording = recordingOf('memory.restore', input)
    const forbidden = await forbiddenAgain(engine, context, recording, input.key)
    const result = recorded<WriteResult>(engine, context, recording, () => {
      const head = restorable(headsHere(engine, context, input.key), input.key, context.acceptedAt)
      if (forbidden !== null) throw forbidden
      const back = append(engine, context, head, 'restore', {
        ...head.body,
        status: 'active',
        tombstonedAt: null,
        invalidAt: null,
        supersededBy: null,
        duplicateOf: null,
        conflictWith: [],
      })
      // What was superseded still stands in the index.
      unindexMemory(engine.store, back.memory)
      const passages = indexHead(engine.store, back, [])
      const result = restored(engine, context, back, input.dryRun ?? false, passages)
      return { result, changes: [result] }
    })
    await engine.store.db.durable()
    engine.wakeIndexing()
    return result
  })
}

/** What is brought back is written again, so the blacklist holds for it. No other write can come between this look and the next. */
const forbiddenAgain = async (
  engine: Engine,
  context: CallContext,
  recording: Recording,
  key: string,
): Promise<MemoryError | null> => {
  const rules = rulesInForce(engine, context)
  const gone = headsHere(engine, context, key).find(isRestorable)
  if (rules.length === 0 || gone === undefined || repeatOf(engine, context, recording) !== undefined) return null
  return blacklistRefusal(engine, rules, scannedText(gone.body, key))
}

const isRestorable = ({ body }: Head): boolean => body.status === 'tombstoned' || body.status === 'superseded'

const restorable = (heads: readonly Head[], key: string, nowMs: number): Head => {
  const live = heads.find(({ body }) => HOLDS_KEY.includes(body.status))
  if (live !== undefined)
    throw new MemoryError('PRECONDITION_FAILED', `A live memory stands under ${key}. Delete it first, or keep it.`, {
      key,
      currentSha256: live.body.contentSha256,
    })
  const head = heads.find(isRestorable)
  if (head === undefined) throw new MemoryError('NOT_FOUND', `Nothing was deleted under ${key} in this scope.`, { key })
  const at = head.body.tombstonedAt
  if (head.body.status === 'tombstoned' && at !== null && nowMs - at > RESTORE_WINDOW_MS)
    throw new MemoryError('GONE', `${key} was deleted more than 14 days ago. Its history can still be read.`, {
      key,
      tombstonedAt: at,
    })
  return head
}

/** Appends the version that changes a memory's state, stamped with who did it and when. */
export const append = (
  engine: Engine,
  context: CallContext,
  parent: Head,
  kind: HistoryEntry['kind'],
  body: VersionBody,
): Head => {
  const actor = context.scope.actor ?? DEFAULT_ACTOR
  const { store } = engine
  const version = {
    memory: parent.memory,
    memoryId: parent.memoryId,
    identity: parent.identity,
    scope: store.book.scopeOf(parent.identity),
    kind,
    human: actor.startsWith('human:'),
    parent,
    body: { ...body, actor, updatedAt: context.acceptedAt },
  }
  const head = insertVersion(store, version, context.acceptedAt)
  refreshOffer(store, head)
  return head
}

const restored = (engine: Engine, context: CallContext, head: Head, dryRun: boolean, passages: number): WriteResult => ({
  id: head.memoryId,
  key: head.body.key,
  version: head.ver.toString(),
  contentSha256: head.body.contentSha256,
  status: head.body.status,
  verdict: 'clear',
  peers: [],
  explanation: {
    rule: 'restored',
    because: `${head.body.key} was brought back`,
    thresholds: thresholdsOf(engine.store.embedder.calibration),
    policy: 'auto_reinforce',
    embedder: engine.store.embedder.id,
  },
  next: '',
  noop: false,
  dryRun,
  degraded: passages > 0 ? ['unembedded'] : [],
  advisories: [],
  chunksWritten: passages,
  scope: resolve(context.scope),
})
