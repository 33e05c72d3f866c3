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
import { refusalOf } from '../../../src/domain/guards.js'
import { type JudgedPeer, judge, type Verdict } from '../../../src/domain/judge.js'
import { memoryId } from '../../../src/domain/memory-id.js'
import { isSearchable } from '../../../src/domain/memory-type.js'
import { normalize } from '../../../src/domain/normalize.js'
import { resolve } from '../../../src/domain/scope.js'
import { sha256Hex } from '../../../src/domain/sha256.js'
import { isStatement } from '../../../src/domain/statement.js'
import { hasEnded, SERVED } from '../../../src/domain/version.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { VersionBody, WriteResult } from '../../../src/schema/records.js'
import type { Scope } from '../../../src/schema/scope.js'
import { indexHead, refreshOffer, unindexMemory } from '../../store/search-index.js'
import type { Store } from '../../store/store.js'
import { type Head, headById, headsByForm, insertVersion } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR } from '../context.js'
import { createAnswer, type WriteOptions } from './answer.js'
import { releaseDuplicates } from './duplicates.js'
import { type Located, locate, type Target } from './locate.js'
import type { PreparedWrite } from './prepare.js'

/** The synchronous heart of every write: guards, restatement, judging, and what the verdict asks for. */
export const commitWrite = (
  store: Store,
  context: CallContext,
  target: Target,
  write: PreparedWrite,
  options: WriteOptions,
): WriteResult => {
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
  const refusal = refusalOf(found.live?.body ?? null, { ifMatchSha256: options.ifMatchSha256 })
  if (refusal !== null)
    throw new MemoryError(
      'PRECONDITION_FAILED',
      `${found.key} has changed since it was read. Read it again and decide again.`,
      {
        key: found.key,
        currentSha256: refusal.currentSha256,
      },
    )
  const answer = createAnswer(store, write, options, found.minted)

  const same = restated(found, target, write, context.acceptedAt)
  if (same !== null) {
    const head = say(store, same, context, scope, reinforceBody(same.body, stamp))
    const verdict = unasked(store, 'merge', 'restatement', `${same.body.key} holds the same bytes`)
    return answer(head, verdict, { merged: same.body.key, passages: null, noop: true })
  }

  const composed = compose(found.live, target, write, stamp)
  const verdict = weigh(store, readable, found, composed.body, target, context)
  if (verdict.kind === 'merge' && verdict.peer !== null) {
    const peer = headById(store.db, readable, verdict.peer.id) as Head
    const head = say(store, peer, context, store.book.scopeOf(peer.identity), reinforceBody(peer.body, stamp))
    return answer(head, verdict, { merged: peer.body.key, passages: null, noop: true })
  }
  const body = verdict.kind === 'duplicate' ? asDuplicate(composed.body, verdict.peer) : composed.body
  const head = say(store, found.live, context, scope, body, identity)
  const passages = reindexed(store, found.live, head, write)
  if (found.live !== null) releaseDuplicates(store, context, found.live, head)
  return answer(head, verdict, { passages, noop: false, ...pick(composed) })
}

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
  explanation: { rule, because, thresholds: thresholdsOf(store.embedder.calibration), embedder: store.embedder.id },
})

const compose = (live: Head | null, target: Target, write: PreparedWrite, stamp: Stamp): ComposedBody =>
  target.kind === 'set'
    ? stateBody(live?.body ?? null, { ...write.fields, value: write.fields.value ?? null }, stamp)
    : correctBody((live as Head).body, write.fields, stamp)

const weigh = (
  store: Store,
  readable: readonly number[],
  { live, minted }: Located,
  body: VersionBody,
  target: Target,
  context: CallContext,
): Verdict => {
  if (!isSearchable(body.type, body.sensitivity))
    return unasked(store, 'clear', 'not_judged', 'what no search finds is not weighed against other memories')
  if (live !== null && keepsValue(live.body, body, target))
    return unasked(store, 'clear', 'same_value', 'the value stays as it was')
  const form = canonicalForm(body.value)
  const canonical = sha256Hex(form)
  const countsOnItself = live !== null && target.kind === 'set' && (minted || differsInEncodingOnly(live.body, body))
  // A bare value means nothing without its key: only the memory under the same key can say the same.
  const statement = isStatement(body.value)
  const sameWords = statement || countsOnItself ? headsByForm(store.db, readable, form) : []
  const peers = sameWords
    .filter((head) => head.body.type === body.type && (countsOnItself || head.memory !== live?.memory))
    .filter((head) => isSearchable(head.body.type, head.body.sensitivity) && !hasEnded(head.body, context.acceptedAt))
    .filter((head) => statement || head.memory === live?.memory)
    .map((head): JudgedPeer => headToPeer(head, canonical, sameBucket(store, head, context)))
  const judged = { canonicalSha256: canonical, run: body.run, embedder: store.embedder.id, revises: live?.memory ?? null }
  return judge(judged, peers, thresholdsOf(store.embedder.calibration))
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

/** A write may only reinforce what its own user holds: counting on a shared row would tell others about it. */
const sameBucket = (store: Store, head: Head, context: CallContext): boolean =>
  store.book.scopeOf(head.identity).user === context.scope.user

const headToPeer = (head: Head, canonical: string, reinforceable: boolean): JudgedPeer => ({
  memory: head.memory,
  id: head.memoryId,
  key: head.body.key,
  status: head.body.status,
  run: head.body.run,
  canonicalSha256: canonical,
  similarity: 1,
  reinforceable,
})

const asDuplicate = (body: VersionBody, peer: JudgedPeer | null): VersionBody => ({
  ...body,
  status: 'duplicate',
  duplicateOf: peer?.id ?? null,
})

/** Appends the version that says it. */
const say = (
  store: Store,
  parent: Head | null,
  context: CallContext,
  scope: Scope,
  body: VersionBody,
  identity = parent?.identity ?? 0,
): Head => {
  const head = insertVersion(
    store,
    {
      memory: parent?.memory ?? ++store.counters.memory,
      memoryId: parent?.memoryId ?? memoryId(context.acceptedAt, store.system.randomBytes(16)),
      identity,
      scope,
      kind: 'set',
      human: body.actor.startsWith('human:'),
      parent,
      body,
    },
    context.acceptedAt,
  )
  refreshOffer(store, head)
  return head
}

const reindexed = (store: Store, before: Head | null, head: Head, write: PreparedWrite): number | null => {
  if (before !== null && !needsIndexing(before.body, head.body)) return null
  if (before !== null) unindexMemory(store, before.memory)
  return indexHead(store, head, write.vectors)
}

const needsIndexing = (before: VersionBody, after: VersionBody): boolean =>
  before.contentSha256 !== after.contentSha256 ||
  isSearchable(before.type, before.sensitivity) !== isSearchable(after.type, after.sensitivity)

const pick = (composed: ComposedBody): { readonly retypedFrom?: string } =>
  composed.retypedFrom === undefined ? {} : { retypedFrom: composed.retypedFrom }
