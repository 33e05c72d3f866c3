import { thresholdsOf } from '../../../src/domain/calibration.js'
import { textOf } from '../../../src/domain/canonical.js'
import { lockInForce } from '../../../src/domain/guards.js'
import { declaredBy, policyFor } from '../../../src/domain/policy.js'
import { type MarkedPair, type PairSide, type Resolution, resolveBy, resolvePair } from '../../../src/domain/resolution.js'
import type { StatementRelation } from '../../../src/domain/signature/relation.js'
import { isStatement } from '../../../src/domain/statement.js'
import { isServed } from '../../../src/domain/version.js'
import { settingsOf } from '../../store/namespaces.js'
import { keepReview, reviewOf, saidAt } from '../../store/reviews.js'
import { type Head, headById, headOf } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { restate, supersede, unlinkConflict } from '../memory/conflicts.js'
import { type Change, recorded } from '../memory/recorded.js'

/** Longest time that somebody may think about one pair. */
const ASK_MS = 60_000

interface Pair {
  readonly earlier: Head
  readonly later: Head
  readonly marked: MarkedPair
}

/** Settles what is certain of a memory's conflicts, and asks about the rest where there is somebody to ask. */
export const resolveConflicts = async (engine: Engine, context: CallContext, memory: number): Promise<void> => {
  const { store } = engine
  const head = headOf(store.db, memory)
  if (head?.body.status !== 'conflicted') return
  if (standing(engine, context, head).length < head.body.conflictWith.length) await dropGone(engine, context, memory)
  for (const other of standing(engine, context, head)) {
    const resolution = await settled(engine, context, pairOf(engine, context, head, other))
    if (resolution === null || resolution.action === 'leave' || resolution.action === 'ask') continue
    await apply(engine, context, head, other, resolution)
  }
}

/** Memories that it stands against and that are still served. */
const standing = ({ store }: Engine, context: CallContext, head: Head): readonly Head[] =>
  head.body.conflictWith
    .map((id) => headById(store.db, store.book.relatives(head.identity), id))
    .filter((other): other is Head => other !== null && isServed(other, context.acceptedAt))

const pairOf = ({ store, language }: Engine, context: CallContext, a: Head, b: Head): Pair => {
  const sides = [a, b].map((head): PairSide & { readonly head: Head } => ({
    head,
    holdsFrom: head.body.validAt ?? saidAt(store.db, head),
    pinned: head.body.pinned,
    locked: lockInForce(head.body, context.acceptedAt) !== null,
  }))
  const [earlier, later] = sides.sort((x, y) => x.holdsFrom - y.holdsFrom || (x.head.ver < y.head.ver ? -1 : 1)) as [
    (typeof sides)[number],
    (typeof sides)[number],
  ]
  const settings = settingsOf(store.db, store.book.scopeOf(a.identity))
  const { conflictPolicy } = policyFor(settings, a.body, thresholdsOf(store.embedder.calibration))
  const relate = (one: Head, two: Head): StatementRelation =>
    isStatement(one.body.value) && isStatement(two.body.value)
      ? language.now().relate(textOf(one.body.value), textOf(two.body.value), declaredBy(settings))
      : { kind: 'differs', because: `${two.body.key} holds something else` }
  const marked = {
    earlier,
    later,
    relation: relate(earlier.head, later.head),
    reverse: relate(later.head, earlier.head),
    sameKey: a.body.key === b.body.key,
    // What wider scopes hold is not for one user's resolver to retire.
    policy: store.book.scopeOf(a.identity).user === store.book.scopeOf(b.identity).user ? conflictPolicy : 'manual_review',
  } as const
  return { earlier: earlier.head, later: later.head, marked }
}

/** What becomes of a pair; null when somebody was to be asked and did not answer. */
const settled = async (engine: Engine, context: CallContext, pair: Pair): Promise<Resolution | null> => {
  const certain = resolvePair(pair.marked)
  const { store, pairJudge } = engine
  if (certain.action !== 'ask' || pairJudge === null) return certain
  const { earlier, later, marked } = pair
  // It was asked about already, as both stand.
  if (reviewOf(store.db, earlier, later) !== null) return { ...certain, action: 'leave' }
  try {
    const said = (head: Head, { holdsFrom }: PairSide) => ({ key: head.body.key, value: head.body.value, holdsFrom })
    const question = { earlier: said(earlier, marked.earlier), later: said(later, marked.later), because: certain.because }
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(ASK_MS)])
    const { opinion, reason } = await pairJudge.ask(question, { signal })
    await engine.inOrder(async () => store.write(() => keepReview(store.db, earlier, later, opinion)))
    return resolveBy(marked, opinion, reason)
  } catch {
    // It is asked again when the store is opened next, or when one of the two is written again.
    return null
  }
}

/** Writes a decision down, unless one of the two has been written meanwhile. */
const apply = (engine: Engine, context: CallContext, a: Head, b: Head, resolution: Resolution): Promise<void> =>
  engine.inOrder(async () => {
    const { store } = engine
    const { action, rule, because } = resolution
    const [one, two] = [headOf(store.db, a.memory), headOf(store.db, b.memory)]
    const isOpen =
      one?.body.status === 'conflicted' &&
      one.body.conflictWith.includes(b.memoryId) &&
      [one.body.contentSha256, two?.body.contentSha256].join() === [a.body.contentSha256, b.body.contentSha256].join()
    if (!isOpen || two === null) return
    const reason = `${rule}: ${because}`
    const recording = { action: `resolver.${action}`, idempotencyKey: undefined, dryRun: false }
    recorded(engine, context, recording, () => {
      const changes =
        action === 'clear'
          ? unmark(engine, context, one, two, reason)
          : retire(engine, context, pairOf(engine, context, one, two), reason)
      return { result: null, changes }
    })
    await store.db.durable()
  })

/** Takes the mark off both sides. */
const unmark = ({ store }: Engine, context: CallContext, one: Head, two: Head, reason: string): readonly Change[] =>
  [
    [one, two],
    [two, one],
  ].flatMap(([head, other]) => {
    if (head === undefined || other === undefined || !head.body.conflictWith.includes(other.memoryId)) return []
    const conflictWith = head.body.conflictWith.filter((id) => id !== other.memoryId)
    const isFree = head.body.status === 'conflicted' && conflictWith.length === 0
    return [restate(store, context, head, { conflictWith, ...(isFree ? { status: 'active', statusReason: reason } : {}) })]
  })

/** The earlier gives way to the later, which is free of what stood against the earlier. */
const retire = ({ store }: Engine, context: CallContext, { earlier, later }: Pair, reason: string): readonly Change[] => {
  const freed = unlinkConflict(store, context, earlier)
  return [supersede(store, context, later, earlier, reason), ...freed]
}

/** What it stood against is gone: there is nothing left to decide. */
const dropGone = (engine: Engine, context: CallContext, memory: number): Promise<void> =>
  engine.inOrder(async () => {
    const { store } = engine
    const head = headOf(store.db, memory)
    if (head?.body.status !== 'conflicted') return
    const conflictWith = standing(engine, context, head).map(({ memoryId }) => memoryId)
    if (conflictWith.length === head.body.conflictWith.length) return
    recorded(engine, context, { action: 'resolver.clear', idempotencyKey: undefined, dryRun: false }, () => ({
      result: null,
      changes: [
        restate(store, context, head, {
          conflictWith,
          ...(conflictWith.length === 0 ? { status: 'active', statusReason: 'what stood against it is gone' } : {}),
        }),
      ],
    }))
    await store.db.durable()
  })
