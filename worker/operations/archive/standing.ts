import { canonicalForm, contentSha256 } from '../../../src/domain/canonical.js'
import { isTarget } from '../../../src/domain/erasure.js'
import { mintKey } from '../../../src/domain/mint-key.js'
import { isInRoom } from '../../../src/domain/neighbours/room.js'
import { resolve } from '../../../src/domain/scope.js'
import { isStatement } from '../../../src/domain/statement.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import type { ImportEntry } from '../../../src/schema/archive.js'
import { rowIdOf } from '../../store/devices.js'
import { allErasures } from '../../store/erasures.js'
import { hasRow } from '../../store/rows.js'
import type { Store } from '../../store/store.js'
import { type Head, headById, headsByForm, headsByKey } from '../../store/versions.js'
import { type Arrival, type Lineage, statedText } from './arrival.js'

/** What is to be done about an arrival: nothing, for the reason given; to write it; or to delete what it says was deleted. */
export type Standing =
  | { readonly kind: 'settled'; readonly entry: ImportEntry }
  | { readonly kind: 'write' }
  | { readonly kind: 'bury'; readonly head: Head }

type Statement = Extract<Arrival, { kind: 'statement' }>

/**
 * How an arrival stands to what is here, within its own identity alone. What was deleted here since it was said stays deleted, and what is
 * here already is not counted once more.
 */
export const standingOf = (store: Store, arrival: Arrival): Standing => {
  if (arrival.kind === 'settled') return arrival
  const identity = store.book.find(resolve(arrival.scope))
  const end = (outcome: ImportEntry['outcome'], head: Head | null): Standing => ({
    kind: 'settled',
    entry: { at: arrival.at, outcome, ...(head === null ? keyOf(arrival) : { key: head.body.key, id: head.memoryId }) },
  })
  const { lineage } = arrival
  const same = identity === null || lineage === null ? null : headById(store.db, [identity], lineage.id)
  if (same !== null && lineage !== null && hasRow(store.db, lineage.newest)) return end('known', same)
  if (wasErased(store, arrival)) return end('erased', null)
  if (arrival.kind === 'deletion') {
    if (same === null || same.body.status === 'tombstoned') return end('known', same)
    // What was written here since, the deletion does not know of.
    return descends(store, same, arrival.lineage) ? { kind: 'bury', head: same } : end('kept', same)
  }
  if (same?.body.status === 'tombstoned' && wasDeletedSince(same, arrival)) return end('deleted', same)
  if (identity === null) return { kind: 'write' }
  const { outcome, head } = standingByWords(store, identity, arrival)
  return outcome === null ? { kind: 'write' } : end(outcome, head)
}

/**
 * What was erased does not come back: no memory that had begun by then, and nothing that may have been said by then. Where only what was
 * written last before a moment was erased, it counts when an arrival was written last.
 */
const wasErased = (store: Store, arrival: Exclude<Arrival, { kind: 'settled' }>): boolean => {
  const erasures = allErasures(store.db)
  if (erasures.length === 0) return false
  const scope = resolve(arrival.scope)
  const key = arrival.kind === 'deletion' ? arrival.key : (arrival.input.key ?? mintKey(statedText(arrival)).key)
  const saidAt = arrival.kind === 'deletion' ? null : arrival.saidAt
  return erasures.some((erasure) => {
    const { before } = erasure
    const wasThere =
      before !== null
        ? (arrival.lineage?.writtenAt ?? saidAt ?? 0) < before
        : arrival.lineage === null
          ? (saidAt ?? 0) <= erasure.at
          : arrival.lineage.began <= erasure.ver
    return wasThere && isTarget(erasure, scope, key)
  })
}

const keyOf = (arrival: Exclude<Arrival, { kind: 'settled' }>): { readonly key?: string } => {
  const key = arrival.kind === 'deletion' ? arrival.key : arrival.input.key
  return key === undefined ? {} : { key }
}

const descends = ({ deviceIdOf }: Store, head: Head, { rows }: Lineage): boolean =>
  rows.includes(rowIdOf(deviceIdOf(head.dev), head.dseq))

/** By its key and by its words: an arrival from elsewhere has no other name here. */
const standingByWords = (
  store: Store,
  identity: number,
  arrival: Statement,
): { readonly outcome: ImportEntry['outcome'] | null; readonly head: Head | null } => {
  const { value, type } = arrival.input
  const form = canonicalForm(value)
  const minted = arrival.input.key === undefined ? mintKey(statedText(arrival)) : null
  const heads = headsByKey(store.db, [identity], arrival.input.key ?? minted?.key ?? '')
  const live = heads.find(({ body }) => HOLDS_KEY.includes(body.status)) ?? null
  const says = live !== null && canonicalForm(live.body.value) === form && live.body.type === (type ?? 'semantic')
  if (says) return { outcome: 'known', head: live }
  const inWords = isStatement(value) && !isInRoom(arrival.input.key ?? '') ? headsByForm(store.db, [identity], form) : []
  const twin = inWords.find(({ body }) => body.type === (type ?? 'semantic'))
  if (twin !== undefined) return { outcome: 'known', head: twin }
  if (live === null) {
    const gone = heads.find((head) => head.body.status === 'tombstoned' && wasDeletedSince(head, arrival))
    return { outcome: gone === undefined ? null : 'deleted', head: gone ?? null }
  }
  return { outcome: null, head: live }
}

/** Who does not say when it was said cannot say that it was later: the same statement stays deleted. */
const wasDeletedSince = ({ body }: Head, { saidAt, input }: Statement): boolean =>
  saidAt === null ? body.contentSha256 === contentSha256(input.value) : (body.tombstonedAt ?? 0) >= saidAt
