import { tokensOf } from '../../../src/domain/asking/packing.js'
import { memoryId } from '../../../src/domain/memory-id.js'
import { resolve } from '../../../src/domain/scope.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import { LONGEST_OFFLOADED, type Offloaded } from '../../../src/schema/offloading.js'
import { dropEnded, putOffload } from '../../store/offloads.js'
import type { CallContext, Engine } from '../context.js'
import { type Recording, recorded, repeatOf } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'
import { stopIfAborted } from '../turn.js'

export interface OffloadInput {
  readonly content: string | Blob
  readonly title?: string | undefined
  readonly ttlSeconds: number
  readonly idempotencyKey?: string | undefined
}

const EXCERPT = 200

/** Puts a text aside under a handle, until its time is over. */
export const offload = async (engine: Engine, context: CallContext, input: OffloadInput): Promise<Offloaded> => {
  const recording: Recording = { action: 'context.offload', idempotencyKey: input.idempotencyKey, dryRun: false }
  requireWritable(engine, context, recording)
  const text = await textIn(input.content)
  return engine.inOrder(async () => {
    const { store } = engine
    const before = repeatOf<Offloaded>(engine, context, recording)
    if (before !== undefined) return before
    stopIfAborted(context.signal)
    const scope = resolve(context.scope)
    const result = recorded<Offloaded>(engine, context, recording, () => {
      dropEnded(store.db, context.acceptedAt)
      const kept = {
        handle: memoryId(context.acceptedAt, store.system.randomBytes(16)),
        identity: store.book.take(scope),
        title: input.title ?? null,
        endsAt: context.acceptedAt + input.ttlSeconds * 1_000,
      }
      putOffload(store.db, kept, text)
      const { handle, title, endsAt: expiresAt } = kept
      const tokens = tokensOf(text)
      const excerpt = [...text.slice(0, EXCERPT * 2)].slice(0, EXCERPT).join('').trim()
      return { result: { handle, title, characters: text.length, tokens, excerpt, expiresAt, scope }, changes: [] }
    })
    await store.db.durable()
    return result
  })
}

const textIn = async (content: string | Blob): Promise<string> => {
  if (typeof content === 'string') return content
  if (content.size === 0) throw invalidArgument('content', 'is empty')
  if (content.size > 3 * LONGEST_OFFLOADED)
    throw invalidArgument('content', `is longer than ${LONGEST_OFFLOADED} characters`)
  const text = await decoded(content)
  if (text.length > LONGEST_OFFLOADED) throw invalidArgument('content', `is longer than ${LONGEST_OFFLOADED} characters`)
  return text
}

const decoded = async (content: Blob): Promise<string> => {
  const bytes = await content.arrayBuffer()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidArgument('content', 'is not UTF-8: only text can be put aside')
  }
}
