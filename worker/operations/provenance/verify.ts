import { isAttested, verificationOf } from '../../../src/domain/verification.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { VerifyResult } from '../../../src/schema/provenance.js'
import type { Head } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { append, headsHere, recordingOf } from '../memory/lifecycle.js'
import { recorded } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'

interface VerifyInput {
  readonly key: string
  readonly ifMatchSha256?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** The handle's actor attests what the memory under a key of this scope says now. */
export const verify = (engine: Engine, context: CallContext, input: VerifyInput): Promise<VerifyResult> => {
  const recording = recordingOf('memory.verify', input)
  requireWritable(engine, context, recording)
  return engine.inOrder(async () => {
    const result = recorded<VerifyResult>(engine, context, recording, () => {
      const head = attestable(engine, context, input)
      const actor = context.scope.actor ?? DEFAULT_ACTOR
      if (isAttested(head.body, actor)) return { result: toResult(engine, head, true, recording.dryRun), changes: [] }
      const attested = append(engine, context, head, 'set', {
        ...head.body,
        verifiedBy: actor,
        verifiedSha256: head.body.contentSha256,
      })
      const answer = toResult(engine, attested, false, recording.dryRun)
      return { result: answer, changes: [answer] }
    })
    await engine.store.db.durable()
    return result
  })
}

const attestable = (engine: Engine, context: CallContext, { key, ifMatchSha256 }: VerifyInput): Head => {
  const head = headsHere(engine, context, key).find(({ body }) => HOLDS_KEY.includes(body.status))
  if (head === undefined) throw new MemoryError('NOT_FOUND', `Nothing lives under ${key} in this scope.`, { key })
  const currentSha256 = head.body.contentSha256
  if (ifMatchSha256 !== undefined && ifMatchSha256 !== currentSha256)
    throw new MemoryError('PRECONDITION_FAILED', `${key} says something else than what was shown. Show it again.`, {
      key,
      currentSha256,
    })
  return head
}

const toResult = ({ store }: Engine, head: Head, noop: boolean, dryRun: boolean): VerifyResult => {
  const { key, contentSha256, verifiedBy, verifiedSha256 } = head.body
  return {
    id: head.memoryId,
    key,
    version: head.ver.toString(),
    contentSha256,
    verifiedBy,
    verifiedSha256,
    verification: verificationOf(head.body),
    noop,
    dryRun,
    scope: store.book.scopeOf(head.identity),
  }
}
