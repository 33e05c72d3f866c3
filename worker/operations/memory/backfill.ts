import { writtenAt } from '../../../src/domain/clock.js'
import type { Verdict } from '../../../src/domain/judge.js'
import { SERVED } from '../../../src/domain/version.js'
import type { VersionBody } from '../../../src/schema/records.js'
import type { Store } from '../../store/store.js'
import { type Head, headById, headsByKey, statementOf } from '../../store/versions.js'
import type { CallContext } from '../context.js'
import { supersede } from './conflicts.js'
import type { Located, Target } from './locate.js'
import type { PreparedWrite } from './prepare.js'
import { reindexed, say } from './say.js'

/** What an earlier truth was written as. */
export interface Backfilled {
  readonly head: Head
  readonly passages: number | null
  readonly noop: boolean
}

/**
 * Whether a statement under a key tells of a time before what is believed there began to hold. An older truth that is told late takes
 * the place of nothing that is current. A correction names what it corrects, and is none.
 */
export const isBackfill = (store: Store, { live }: Located, target: Target, body: VersionBody): boolean =>
  target.kind === 'set' &&
  live !== null &&
  SERVED.includes(live.body.status) &&
  body.validAt !== null &&
  body.contentSha256 !== live.body.contentSha256 &&
  body.validAt < (live.body.validAt ?? live.body.temporalAnchor ?? writtenAt(statementOf(store.db, live).ver))

/** Stores it as a memory of its own that has given way to the one under the key: reads of its time find it. */
export const backfill = (
  store: Store,
  context: CallContext,
  live: Head,
  body: VersionBody,
  write: PreparedWrite,
): Backfilled => {
  const { identity } = live
  const again = headsByKey(store.db, [identity], body.key).find(
    (head) =>
      head.body.status === 'superseded' &&
      head.body.contentSha256 === body.contentSha256 &&
      head.body.validAt === body.validAt &&
      head.body.validTo === body.validTo,
  )
  if (again !== undefined) return { head: again, passages: null, noop: true }
  const fresh = { ...body, createdAt: context.acceptedAt, pinned: false, reinforcementCount: 1 }
  const told = say(store, null, context, store.book.scopeOf(identity), fresh, identity)
  const passages = reindexed(store, null, told, write)
  supersede(store, context, live, told, REASON)
  return { head: headById(store.db, [identity], told.memoryId) as Head, passages, noop: false }
}

const REASON = 'It held before what stands under the key.'

/** What is said of such a write. */
export const heldBefore = (unjudged: Verdict, key: string): Verdict => ({
  ...unjudged,
  explanation: { ...unjudged.explanation, rule: 'earlier_time', because: `what stands under ${key} holds from later on` },
})
