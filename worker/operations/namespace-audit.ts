import { ADVICE, type AuditedMemory, findingsIn } from '../../src/domain/findings.js'
import { isInRoom } from '../../src/domain/neighbours/room.js'
import { resolve } from '../../src/domain/scope.js'
import { HOLDS_KEY } from '../../src/domain/version.js'
import type { AuditReport, Finding, FindingKind } from '../../src/schema/namespaces.js'
import { liveHeadsAfter } from '../store/blacklist.js'
import { liveKeys, recallsOf } from '../store/namespaces.js'
import { unjudgedAmong } from '../store/reviews.js'
import type { CallContext, Engine } from './context.js'
import { within } from './namespaces.js'
import { takeTurn } from './turn.js'

/** Memories looked at in one turn: other calls get theirs in between. */
const PAGE = 500

/** Looks over all live memories that the handle may read, and says what is worth a look. Changes nothing. */
export const auditNamespace = async (
  engine: Engine,
  outer: CallContext,
  input: { readonly namespace?: string | undefined; readonly limit: number },
): Promise<AuditReport> => {
  const context = within(outer, input)
  const { db, book } = engine.store
  const identities = book.visible(context.scope).map(({ identity }) => identity)
  const keys = liveKeys(db, identities, HOLDS_KEY)
  const found = new Map<FindingKind, { count: number; memories: { id: string; key: string }[] }>()
  let looked = 0
  let after = 0
  for (;;) {
    const heads = liveHeadsAfter(db, identities, after, PAGE)
    const last = heads.at(-1)
    if (last === undefined) break
    const numbers = heads.map(({ memory }) => memory)
    const [recalls, unjudged] = [recallsOf(db, numbers), unjudgedAmong(db, numbers)]
    for (const { memory, memoryId, body } of heads) {
      // What is highly sensitive is told to nobody who did not ask for its key.
      if (body.sensitivity === 'high' || isInRoom(body.key)) continue
      looked++
      const audited: AuditedMemory = { body, isUnjudged: unjudged.has(memory), recalls: recalls.get(memory) ?? 0 }
      for (const kind of findingsIn(audited, keys, context.acceptedAt)) {
        const entry = found.get(kind) ?? { count: 0, memories: [] }
        found.set(kind, entry)
        entry.count++
        if (entry.memories.length < input.limit) entry.memories.push({ id: memoryId, key: body.key })
      }
    }
    after = last.memory
    await takeTurn(context)
  }
  const findings = (Object.keys(ADVICE) as FindingKind[]).flatMap((kind): readonly Finding[] => {
    const entry = found.get(kind)
    return entry === undefined ? [] : [{ kind, advice: ADVICE[kind], ...entry }]
  })
  return { namespace: resolve(context.scope).namespace, looked, findings }
}
