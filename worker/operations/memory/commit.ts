import {
  addsNothing,
  type ComposedBody,
  correctBody,
  reinforceBody,
  type Stamp,
  stateBody,
} from '../../../src/domain/body.js'
import { thresholdsOf } from '../../../src/domain/calibration.js'
import { canonicalForm, contentSha256 } from '../../../src/domain/canonical.js'
import { type JudgingPolicy, judge, type Verdict } from '../../../src/domain/judge.js'
import { isSearchable } from '../../../src/domain/memory-type.js'
import { isInRoom } from '../../../src/domain/neighbours/room.js'
import { normalize } from '../../../src/domain/normalize.js'
import { declaredBy, policyFor } from '../../../src/domain/policy.js'
import { resolve } from '../../../src/domain/scope.js'
import { higher } from '../../../src/domain/sensitivity.js'
import { sha256Hex } from '../../../src/domain/sha256.js'
import type { DeclaredAttribute } from '../../../src/domain/signature/attribute.js'
import { hasEnded, SERVED } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { VersionBody, WriteResult } from '../../../src/schema/records.js'
import { settingsOf } from '../../store/namespaces.js'
import { noteUnjudged } from '../../store/reviews.js'
import type { Store } from '../../store/store.js'
import { type Head, headById } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import type { Language } from '../language.js'
import { createAnswer, type WriteOptions } from './answer.js'
import { backfill, heldBefore, isBackfill } from './backfill.js'
import { linkConflict, supersede, unlinkConflict } from './conflicts.js'
import { releaseDuplicates } from './duplicates.js'
import { requireAllowed } from './guard.js'
import { type Located, locate, type Target } from './locate.js'
import { type FoundPeer, peersOf } from './peers.js'
import type { PreparedWrite } from './prepare.js'
import { pinnedHere, propose } from './propose.js'
import type { Change } from './recorded.js'
import { reindexed, say } from './say.js'
import { bodyAfter, headsOf, standing } from './verdict.js'

/** A write that was committed, with the other memories it changed. */
export interface Committed {
  readonly result: WriteResult
  readonly changes: readonly Change[]
}

/** The synchronous heart of every write: guards, restatement, judging, and what the verdict asks for. */
export const commitWrite = (
  { store, language: source, resolver }: Pick<Engine, 'store' | 'language' | 'resolver'>,
  context: CallContext,
  target: Target,
  write: PreparedWrite,
  options: WriteOptions,
): Committed => {
  const language = source.now()
  const scope = resolve(context.scope)
  const identity = store.book.take(scope)
  store.author.origin = write.fields.origin ?? null
  const readable = store.book.visible(context.scope).map((visible) => visible.identity)
  const found = locate(store, readable, identity, target, write)
  const stamp: Stamp = {
    key: found.key,
    actor: context.scope.actor ?? DEFAULT_ACTOR,
    run: context.scope.run ?? null,
    nowMs: context.acceptedAt,
  }
  const answer = createAnswer(store, write, options, found)
  const same = restated(found, target, write, context.acceptedAt)
  const composed = compose(found.live, target, write, stamp)
  const settings = settingsOf(store.db, scope)
  const policy = policyFor(settings, composed.body, thresholdsOf(store.embedder.calibration))
  const after = same?.body ?? composed.body
  const allowed = requireAllowed({ found, target, write, after, nowMs: context.acceptedAt }, options)
  const proposed = (verdict: Verdict): Committed => {
    const against = verdict.peer?.id ?? found.live?.memoryId ?? null
    const { head, ...outcome } = propose(store, context, found, identity, composed.body, write, against)
    return committed(answer(head, verdict, { ...outcome, ...pick(composed) }))
  }
  if (allowed === 'propose') return proposed(pinnedHere(unasked(store, policy, 'clear', 'pinned', ''), found.key))
  if (same !== null) {
    const head = say(store, same, context, scope, reinforceBody(same.body, stamp))
    const verdict = unasked(store, policy, 'merge', 'restatement', `${same.body.key} holds the same bytes`)
    return committed(answer(head, verdict, { merged: same.body.key, passages: null, noop: true }))
  }

  if (isBackfill(store, found, target, composed.body)) {
    const { head, ...outcome } = backfill(store, context, found.live as Head, composed.body, write)
    const verdict = heldBefore(unasked(store, policy, 'clear', '', ''), found.key)
    return committed(answer(head, verdict, { ...outcome, ...pick(composed) }))
  }
  const weighing = { store, language, readable, policy, declared: declaredBy(settings), context }
  const { verdict, peers } = weigh(weighing, found, composed.body, target, write)
  if (verdict.kind === 'merge' && verdict.peer !== null) {
    const peer = headById(store.db, readable, verdict.peer.id) as Head
    const pins = write.fields.pinned === true && !peer.body.pinned
    const body = { ...reinforceBody(peer.body, stamp), ...(pins ? { pinned: true } : {}) }
    const head = say(store, peer, context, store.book.scopeOf(peer.identity), body)
    return committed(answer(head, verdict, { merged: peer.body.key, passages: null, noop: !pins }))
  }
  if (verdict.kind === 'rejected') {
    if (options.onPinned === 'propose') return proposed(verdict)
    throw pinned(verdict)
  }
  const before = found.live
  const holds = before !== null && keepsValue(before.body, composed.body, target)
  const unlinked = before === null || holds ? [] : unlinkConflict(store, context, before)
  const body = bodyAfter(verdict, { ...composed.body, ...(holds ? beliefOf(before.body) : UNMARKED) })
  const head = say(store, before, context, scope, body, identity)
  const passages = reindexed(store, before, head, write)
  const isUnjudged = write.degraded.length > 0 && isSearchable(body.type, body.sensitivity)
  if (isUnjudged || before !== null) noteUnjudged(store.db, head.memory, isUnjudged)
  if (isUnjudged || verdict.against.length > 0) resolver.add(head.memory)
  if (before !== null) releaseDuplicates(store, context, before, head)
  const retired = headsOf(verdict.retired, peers).map((older) => supersede(store, context, head, older))
  const linked = [...retired, ...linkConflict(store, context, head, headsOf(standing(verdict), peers))]
  return committed(answer(head, verdict, { passages, noop: false, ...pick(composed) }), [...unlinked, ...linked])
}

const committed = (result: WriteResult, changes: readonly Change[] = []): Committed => ({
  result,
  changes: [result, ...changes],
})

const pinned = ({ peer, explanation }: Verdict): MemoryError =>
  new MemoryError(
    'PINNED_CONFLICT',
    `${peer?.key ?? ''} is pinned and says something else: ${explanation.because}. Update it, or state the new value under its key.`,
    { key: peer?.key ?? '' },
  )

const UNMARKED = { status: 'active', statusReason: null, conflictWith: [], duplicateOf: null } as const

/** How a memory stands to others, which another word about the same value leaves as it is. */
const beliefOf = ({ status, statusReason, conflictWith, duplicateOf }: VersionBody): Partial<VersionBody> => ({
  status,
  statusReason,
  conflictWith,
  duplicateOf,
})

/** The live memory, when the write says the same bytes under the same key and adds nothing. What has ended is stated anew. */
const restated = ({ live }: Located, target: Target, { fields }: PreparedWrite, nowMs: number): Head | null =>
  target.kind === 'set' &&
  live !== null &&
  fields.value !== undefined &&
  live.body.contentSha256 === contentSha256(fields.value) &&
  addsNothing(live.body, fields) &&
  !hasEnded(live, nowMs)
    ? live
    : null

/** A verdict that no rule was asked for. */
const unasked = (
  store: Store,
  { thresholds, conflictPolicy }: JudgingPolicy,
  kind: 'merge' | 'clear',
  rule: string,
  because: string,
): Verdict => ({
  kind,
  peer: null,
  against: [],
  retired: [],
  explanation: { rule, because, thresholds, policy: conflictPolicy, embedder: store.embedder.id },
})

/** The body a write asks for. What was found in a value that is new makes it more sensitive, unless the writer says how much it is. */
const compose = (live: Head | null, target: Target, write: PreparedWrite, stamp: Stamp): ComposedBody => {
  const composed =
    target.kind === 'set'
      ? stateBody(live?.body ?? null, { ...write.fields, value: write.fields.value ?? null }, stamp)
      : correctBody((live as Head).body, write.fields, stamp)
  const { body } = composed
  if (write.fields.sensitivity !== undefined || live?.body.contentSha256 === body.contentSha256) return composed
  return { ...composed, body: { ...body, sensitivity: higher(body.sensitivity, write.detected) } }
}

/** What a write is weighed with. */
export interface Weighing {
  readonly store: Store
  readonly language: Language
  readonly readable: readonly number[]
  readonly policy: JudgingPolicy
  readonly declared: readonly DeclaredAttribute[]
  readonly context: CallContext
}

/** What judging makes of a body. */
export const weigh = (
  { store, language, readable, policy, declared, context }: Weighing,
  { live, minted }: Located,
  body: VersionBody,
  target: Target | { readonly kind: 'late' },
  { vectors }: PreparedWrite,
): { readonly verdict: Verdict; readonly peers: readonly FoundPeer[] } => {
  const clear = (rule: string, because: string) => ({ verdict: unasked(store, policy, 'clear', rule, because), peers: [] })
  if (isInRoom(body.key) || !isSearchable(body.type, body.sensitivity))
    return clear('not_judged', 'what no search finds is not weighed against other memories')
  if (policy.conflictPolicy === 'append_only') return clear('append_only', 'this namespace judges nothing')
  if (live !== null && target.kind !== 'late' && keepsValue(live.body, body, target))
    return clear('same_value', 'the value stays as it was')
  const countsOnItself = live !== null && target.kind === 'set' && (minted || differsInEncodingOnly(live.body, body))
  const peers = peersOf(store, language, readable, context, { body, live, countsOnItself, vectors, declared })
  const judged = {
    canonicalSha256: sha256Hex(canonicalForm(body.value)),
    run: body.run,
    embedder: store.embedder.id,
    revises: live?.memory ?? null,
    pins: body.pinned,
    holdsFrom: body.validAt ?? context.acceptedAt,
  }
  return {
    verdict: judge(
      judged,
      peers.map(({ peer }) => peer),
      policy,
    ),
    peers,
  }
}

/** Who names the key of a memory corrects its wording; other bytes for the same characters correct nothing. */
const differsInEncodingOnly = (before: VersionBody, after: VersionBody): boolean =>
  typeof before.value === 'string' &&
  typeof after.value === 'string' &&
  normalize(before.value, 'NFC') === normalize(after.value, 'NFC')

/** Whether only what is said about a believed value changes: merging that away would lose it. */
const keepsValue = (before: VersionBody, after: VersionBody, target: Target): boolean =>
  before.contentSha256 === after.contentSha256 &&
  before.type === after.type &&
  (target.kind !== 'set' || SERVED.includes(before.status))

const pick = (composed: ComposedBody): { readonly retypedFrom?: string } =>
  composed.retypedFrom === undefined ? {} : { retypedFrom: composed.retypedFrom }
