import { scannedText } from '../../../src/domain/blacklist.js'
import { thresholdsOf } from '../../../src/domain/calibration.js'
import { policyFor } from '../../../src/domain/policy.js'
import { NO_CONTENT } from '../../../src/domain/redacted.js'
import { resolve } from '../../../src/domain/scope.js'
import { HOLDS_KEY, hasEnded, RESTORE_WINDOW_MS } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { VersionBody, WriteResult } from '../../../src/schema/records.js'
import { settingsOf } from '../../store/namespaces.js'
import { indexHead, unindexMemory } from '../../store/search-index.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { append, headsHere, recordingOf, type TargetInput } from './lifecycle.js'
import { type Recording, recorded, repeatOf } from './recorded.js'
import { blacklistRefusal, rulesInForce } from './rules.js'
import { requireWritable } from './set.js'

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
        ...lasting(head, context.acceptedAt),
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

/** What is brought back does not leave again at once by a time that has passed. What ended in the world stays so, but is kept. */
const lasting = ({ body }: Head, nowMs: number): Partial<VersionBody> =>
  hasEnded({ body, leavesAt: body.expiresAt }, nowMs)
    ? { onExpire: 'hide', ...(body.expiresAt !== null && body.expiresAt <= nowMs ? { expiresAt: null } : {}) }
    : {}

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
  if (head.body.status === 'tombstoned' && head.body.contentSha256 === NO_CONTENT)
    throw new MemoryError('GONE', `What stood under ${key} was redacted for good.`, { key, tombstonedAt: at ?? 0 })
  if (head.body.status === 'tombstoned' && at !== null && nowMs - at > RESTORE_WINDOW_MS)
    throw new MemoryError('GONE', `${key} was deleted more than 14 days ago. Its history can still be read.`, {
      key,
      tombstonedAt: at,
    })
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
    ...inForce(engine, head),
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

const inForce = ({ store }: Engine, { identity, body }: Head): Pick<WriteResult['explanation'], 'thresholds' | 'policy'> => {
  const settings = settingsOf(store.db, store.book.scopeOf(identity))
  const { thresholds, conflictPolicy } = policyFor(settings, body, thresholdsOf(store.embedder.calibration))
  return { thresholds, policy: conflictPolicy }
}
