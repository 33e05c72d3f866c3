import { thresholdsOf } from '../../../src/domain/calibration.js'
import { declaredBy, policyFor } from '../../../src/domain/policy.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import { settingsOf } from '../../store/namespaces.js'
import { noteUnjudged, unjudgedAfter } from '../../store/reviews.js'
import { type Head, headOf } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { weigh } from '../memory/commit.js'
import { linkConflict, restate, supersede } from '../memory/conflicts.js'
import { prepare } from '../memory/prepare.js'
import { type Change, recorded } from '../memory/recorded.js'
import { bodyAfter, headsOf, standing } from '../memory/verdict.js'

/** Judges a memory that was stored while it could not be judged, once its embedder and the words are back. */
export const judgeLate = async (engine: Engine, context: CallContext, before: Head): Promise<void> => {
  const { store, inOrder } = engine
  if (!isUnjudged(engine, before.memory)) return
  const { value, type, sensitivity, key } = before.body
  const [write] = await prepare(engine, [{ key, value, type, sensitivity }], context)
  // It is still away: its coming back wakes this again.
  if (write === undefined || write.refused !== undefined || write.degraded.length > 0) return
  await inOrder(async () => {
    const head = headOf(store.db, before.memory)
    if (head === null || head.body.contentSha256 !== before.body.contentSha256 || !isUnjudged(engine, head.memory)) return
    recorded(engine, context, { action: 'resolver.judge', idempotencyKey: undefined, dryRun: false }, () => {
      noteUnjudged(store.db, head.memory, false)
      return { result: null, changes: HOLDS_KEY.includes(head.body.status) ? judged(engine, context, head, write) : [] }
    })
    await store.db.durable()
  })
}

const isUnjudged = ({ store }: Engine, memory: number): boolean => unjudgedAfter(store.db, memory - 1, 1)[0] === memory

const judged = (
  { store, language }: Engine,
  context: CallContext,
  head: Head,
  write: Parameters<typeof weigh>[4],
): readonly Change[] => {
  const settings = settingsOf(store.db, store.book.scopeOf(head.identity))
  const { body } = head
  const weighing = {
    store,
    language: language.now(),
    readable: store.book.visible(context.scope).map(({ identity }) => identity),
    policy: policyFor(settings, body, thresholdsOf(store.embedder.calibration)),
    declared: declaredBy(settings),
    context,
  }
  const found = { key: body.key, live: head, minted: false }
  const { verdict, peers } = weigh(weighing, found, body, { kind: 'late' }, write)
  if (verdict.kind === 'clear' || verdict.kind === 'merge') return []
  const statusReason = `${verdict.explanation.rule}: ${verdict.explanation.because}`
  if (verdict.kind === 'rejected') {
    const conflictWith = verdict.peer === null ? [] : [verdict.peer.id]
    return [restate(store, context, head, { status: 'proposed', conflictWith, statusReason })]
  }
  const { status, conflictWith, duplicateOf } = bodyAfter(verdict, body)
  const changed = status !== body.status || conflictWith.length > 0
  const own = changed ? [restate(store, context, head, { status, conflictWith, duplicateOf, statusReason })] : []
  const now = headOf(store.db, head.memory) ?? head
  const retired = headsOf(verdict.retired, peers).map((older) => supersede(store, context, now, older, statusReason))
  return [...own, ...retired, ...linkConflict(store, context, now, headsOf(standing(verdict), peers))]
}
