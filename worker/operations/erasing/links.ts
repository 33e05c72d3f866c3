import type { VersionBody } from '../../../src/schema/records.js'
import { erasedAmong, linkingAfter } from '../../store/erasing.js'
import { noteUnjudged } from '../../store/reviews.js'
import { headOf } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { scrubMade, scrubQuotes } from '../history/redact.js'
import { restate } from '../memory/conflicts.js'
import type { Change } from '../memory/recorded.js'

/** Versions looked at in one turn. */
const PAGE = 500

/** What was found in one turn, and the row that it ended with: null when there are no more. */
export interface Unlinked {
  readonly last: number | null
  readonly links: number
  readonly quotes: number
  readonly merged: number
  readonly changes: readonly Change[]
}

/**
 * Takes what is being erased out of what other memories say of it: links, reasons that quote it, memories that were merged from it. What it
 * answered for as its duplicate speaks for itself, and is judged anew.
 */
export const unlinkSome = (engine: Engine, context: CallContext, after: number): Unlinked => {
  const { store } = engine
  const { db } = store
  const { memories, last } = linkingAfter(db, after, PAGE)
  const counts = { links: 0, quotes: 0, merged: 0 }
  const redaction = { at: context.acceptedAt, actor: context.scope.actor ?? '', reason: 'erasure' }
  const changes = memories.flatMap((memory): Change[] => {
    counts.merged += scrubMade(engine, context, memory, (id) => erasedAmong(db, [id]), redaction)
    counts.quotes += scrubQuotes(engine, context, memory, redaction)
    const head = headOf(db, memory)
    const change = head === null ? null : unlinked(head.body, (id) => erasedAmong(db, [id]))
    if (head === null || change === null) return []
    counts.links++
    if (head.body.status === 'duplicate' && change.status === 'active') noteUnjudged(db, memory, true)
    return [restate(store, context, head, change)]
  })
  return { last, ...counts, changes }
}

/** A body without links to what is gone, or null when it has none. What was deleted stays so: a restore takes its links off. */
const unlinked = (body: VersionBody, isGone: (id: string) => boolean): Partial<VersionBody> | null => {
  if (body.status === 'tombstoned') return null
  const conflictWith = body.conflictWith.filter((id) => !isGone(id))
  const isFreed = body.status === 'conflicted' && conflictWith.length === 0
  const speaks = body.duplicateOf !== null && isGone(body.duplicateOf)
  const isReplaced = body.supersededBy !== null && isGone(body.supersededBy)
  if (conflictWith.length === body.conflictWith.length && !speaks && !isReplaced) return null
  return {
    conflictWith,
    ...(isFreed || (speaks && body.status === 'duplicate') ? { status: 'active', statusReason: null } : {}),
    ...(speaks ? { duplicateOf: null } : {}),
    ...(isReplaced ? { supersededBy: null } : {}),
  }
}
