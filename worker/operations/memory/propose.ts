import type { Verdict } from '../../../src/domain/judge.js'
import { alternativeKey } from '../../../src/domain/mint-key.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import type { VersionBody } from '../../../src/schema/records.js'
import { MAX_KEY_LENGTH } from '../../../src/schema/scalars.js'
import type { Store } from '../../store/store.js'
import { type Head, headsByKey } from '../../store/versions.js'
import type { CallContext } from '../context.js'
import type { Located } from './locate.js'
import type { PreparedWrite } from './prepare.js'
import { reindexed, say } from './say.js'

/** A proposal that was stored, or that was there already. */
export interface Proposed {
  readonly head: Head
  readonly passages: number | null
  readonly noop: boolean
}

/** What belongs to the memory that the write was aimed at, and not to the proposal. */
const OF_ITS_OWN = {
  status: 'proposed',
  pinned: false,
  duplicateOf: null,
  supersededBy: null,
  reinforcementCount: 1,
  verifiedBy: null,
  verifiedSha256: null,
  lockMode: null,
  lockUntil: null,
  lockReason: null,
  lockBy: null,
} as const satisfies Partial<VersionBody>

/**
 * Stores a write that a pinned memory stands against as a proposal: under its own key where that is free or holds a proposal, else under
 * the next key after it. The same proposal again changes nothing.
 */
export const propose = (
  store: Store,
  context: CallContext,
  found: Located,
  identity: number,
  body: VersionBody,
  write: PreparedWrite,
  against: string | null,
): Proposed => {
  const { key, holder } = placeFor(store, identity, found, body)
  if (holder?.body.contentSha256 === body.contentSha256) return { head: holder, passages: null, noop: true }
  const createdAt = holder?.body.createdAt ?? context.acceptedAt
  const conflictWith = against === null ? [] : [against]
  const proposal = { ...body, ...OF_ITS_OWN, key, createdAt, conflictWith }
  const head = say(store, holder, context, store.book.scopeOf(identity), proposal, identity)
  return { head, passages: reindexed(store, holder, head, write), noop: false }
}

/** Leaves room for what makes another key of it. */
const LONGEST_BASE = MAX_KEY_LENGTH - 8

/** The first key from the write's own on that is free, or holds this proposal, or any when it is the write's own. */
const placeFor = (
  store: Store,
  identity: number,
  { key, live }: Located,
  body: VersionBody,
): { readonly key: string; readonly holder: Head | null } => {
  if (live === null || live.body.status === 'proposed') return { key, holder: live }
  const base = key.length > LONGEST_BASE ? key.slice(0, LONGEST_BASE).replace(/[\ud800-\udbff/]+$/, '') : key
  for (let n = 2; ; n++) {
    const next = alternativeKey(base, n)
    const holder = headsByKey(store.db, [identity], next).find((head) => HOLDS_KEY.includes(head.body.status)) ?? null
    const isSame = holder?.body.status === 'proposed' && holder.body.contentSha256 === body.contentSha256
    if (holder === null || isSame) return { key: next, holder }
  }
}

/** What is said of a write that was only proposed since the memory under its own key is pinned. */
export const pinnedHere = (unjudged: Verdict, key: string): Verdict => ({
  ...unjudged,
  kind: 'rejected',
  explanation: { ...unjudged.explanation, rule: 'pinned', because: `${key} is pinned` },
})
