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
import { judge, type Verdict } from '../../../src/domain/judge.js'
import { isSearchable } from '../../../src/domain/memory-type.js'
import { normalize } from '../../../src/domain/normalize.js'
import { resolve } from '../../../src/domain/scope.js'
import { higher } from '../../../src/domain/sensitivity.js'
import { sha256Hex } from '../../../src/domain/sha256.js'
import { hasEnded, SERVED } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { VersionBody, WriteResult } from '../../../src/schema/records.js'
import type { Store } from '../../store/store.js'
import { type Head, headById } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import type { Language } from '../language.js'
import { createAnswer, type WriteOptions } from './answer.js'
import { linkConflict, supersede, unlinkConflict } from './conflicts.js'
import { releaseDuplicates } from './duplicates.js'
import { requireAllowed } from './guard.js'
import { type Located, locate, type Target } from './locate.js'
import { type FoundPeer, peersOf } from './peers.js'
import type { PreparedWrite } from './prepare.js'
import { pinnedHere, propose } from './propose.js'
import type { Change } from './recorded.js'
import { reindexed, say } from './say.js'

/** A write that was committed, with the other memories it changed. */
export interface Committed {
  readonly result: WriteResult
  readonly changes: readonly Change[]
}

/** The synchronous heart of every write: guards, restatement, judging, and what the verdict asks for. */
export const commitWrite = (
  { store, language: source }: Pick<Engine, 'store' | 'language'>,
  context: CallContext,
  target: Target,
  write: PreparedWrite,
  options: WriteOptions,
): Committed => {
  const language = source.now()
  const scope = resolve(context.scope)
  const identity = store.book.take(scope)
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
  const after = same?.body ?? composed.body
  const allowed = requireAllowed({ found, target, write, after, nowMs: context.acceptedAt }, options)
  const proposed = (verdict: Verdict): Committed => {
    const against = verdict.peer?.id ?? found.live?.memoryId ?? null
    const { head, ...outcome } = propose(store, context, found, identity, composed.body, write, against)
    return committed(answer(head, verdict, { ...outcome, ...pick(composed) }))
  }
  if (allowed === 'propose') return proposed(pinnedHere(unasked(store, 'clear', 'pinned', ''), found.key))
  if (same !== null) {
    const head = say(store, same, context, scope, reinforceBody(same.body, stamp))
    const verdict = unasked(store, 'merge', 'restatement', `${same.body.key} holds the same bytes`)
    return committed(answer(head, verdict, { merged: same.body.key, passages: null, noop: true }))
  }

  const { verdict, peers } = weigh(store, language, readable, found, composed.body, target, context, write)
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
  const saysElse = before !== null && before.body.contentSha256 !== composed.body.contentSha256
  const unlinked = saysElse ? unlinkConflict(store, context, readable, before) : []
  const body = bodyAfter(verdict, saysElse ? { ...composed.body, ...NO_CONFLICT } : composed.body)
  const head = say(store, before, context, scope, body, identity)
  const passages = reindexed(store, before, head, write)
  if (before !== null) releaseDuplicates(store, context, before, head)
  const against = headsOf(verdict, peers)
  const linked = verdict.supersedes
    ? against.slice(0, 1).map((older) => supersede(store, context, head, older))
    : linkConflict(store, context, head, against)
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

const NO_CONFLICT: Partial<VersionBody> = { status: 'active', conflictWith: [] }

/** What the verdict makes of the row that is written. */
const bodyAfter = (verdict: Verdict, body: VersionBody): VersionBody => {
  if (verdict.kind === 'duplicate') return { ...body, status: 'duplicate', duplicateOf: verdict.peer?.id ?? null }
  if (verdict.against.length === 0 || verdict.supersedes) return body
  return { ...body, status: 'conflicted', conflictWith: verdict.against.map(({ id }) => id) }
}

/** Rows of its own user that a verdict marks: a write may not change what others read. */
const headsOf = ({ against }: Verdict, peers: readonly FoundPeer[]): readonly Head[] =>
  against
    .filter(({ reinforceable }) => reinforceable)
    .flatMap((peer) => peers.find((found) => found.peer.memory === peer.memory)?.head ?? [])

/** The live memory, when the write says the same bytes under the same key and adds nothing. What has ended is stated anew. */
const restated = ({ live }: Located, target: Target, { fields }: PreparedWrite, nowMs: number): Head | null =>
  target.kind === 'set' &&
  live !== null &&
  fields.value !== undefined &&
  live.body.contentSha256 === contentSha256(fields.value) &&
  addsNothing(live.body, fields) &&
  !hasEnded(live.body, nowMs)
    ? live
    : null

/** A verdict that no rule was asked for. */
const unasked = (store: Store, kind: 'merge' | 'clear', rule: string, because: string): Verdict => ({
  kind,
  peer: null,
  against: [],
  supersedes: false,
  explanation: {
    rule,
    because,
    thresholds: thresholdsOf(store.embedder.calibration),
    policy: 'auto_reinforce',
    embedder: store.embedder.id,
  },
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

const weigh = (
  store: Store,
  language: Language,
  readable: readonly number[],
  { live, minted }: Located,
  body: VersionBody,
  target: Target,
  context: CallContext,
  { vectors }: PreparedWrite,
): { readonly verdict: Verdict; readonly peers: readonly FoundPeer[] } => {
  if (!isSearchable(body.type, body.sensitivity))
    return alone(unasked(store, 'clear', 'not_judged', 'what no search finds is not weighed against other memories'))
  if (live !== null && keepsValue(live.body, body, target))
    return alone(unasked(store, 'clear', 'same_value', 'the value stays as it was'))
  const countsOnItself = live !== null && target.kind === 'set' && (minted || differsInEncodingOnly(live.body, body))
  const peers = peersOf(store, language, readable, context, { body, live, countsOnItself, vectors })
  const judged = {
    canonicalSha256: sha256Hex(canonicalForm(body.value)),
    run: body.run,
    embedder: store.embedder.id,
    revises: live?.memory ?? null,
    pins: body.pinned,
    validAt: body.validAt,
  }
  const policy = { thresholds: thresholdsOf(store.embedder.calibration), conflictPolicy: 'auto_reinforce' } as const
  return {
    verdict: judge(
      judged,
      peers.map(({ peer }) => peer),
      policy,
    ),
    peers,
  }
}

const alone = (verdict: Verdict) => ({ verdict, peers: [] })

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
