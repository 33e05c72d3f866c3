import type { KeptWhy } from '../schema/bulk.js'
import type { VersionBody } from '../schema/records.js'
import { lockInForce } from './guards.js'

/** What is done to each of many memories. */
export type BulkAction =
  | { readonly kind: 'delete' }
  | { readonly kind: 'expire'; readonly at: number }
  | {
      readonly kind: 'lock'
      readonly mode: 'read_only' | 'no_delete'
      readonly reason: string
      readonly until: number | null
    }
  | { readonly kind: 'label'; readonly add: readonly string[]; readonly remove: readonly string[] }
  | { readonly kind: 'demote'; readonly confidence: number }

/** What that comes to for one of them. */
export type BulkStep =
  | { readonly do: 'delete' }
  | { readonly do: 'change'; readonly change: Partial<VersionBody> }
  /** It is so already. */
  | { readonly do: 'nothing' }
  | { readonly do: 'keep'; readonly why: KeptWhy }

/** As many as a write may give. */
const MOST_TAGS = 64

/**
 * What an action comes to for one memory. What a person has pinned or locked is not deleted, ended or demoted in passing: whoever means
 * it names its key.
 */
export const stepFor = (body: VersionBody, action: BulkAction, actor: string, nowMs: number): BulkStep => {
  const lock = lockInForce(body, nowMs)
  switch (action.kind) {
    case 'delete':
      return kept(body, lock !== null) ?? { do: 'delete' }
    case 'expire':
      return kept(body, lock !== null) ?? changed(body, { expiresAt: action.at })
    case 'demote':
      return kept(body, lock === 'read_only') ?? changed(body, { confidence: Math.min(body.confidence, action.confidence) })
    case 'lock':
      if (lock !== null && body.lockBy !== actor) return { do: 'keep', why: 'locked' }
      return changed(body, { lockMode: action.mode, lockReason: action.reason, lockUntil: action.until, lockBy: actor })
    case 'label':
      return labelled(body, action.add, action.remove)
  }
}

const kept = ({ pinned }: VersionBody, isLocked: boolean): BulkStep | null =>
  isLocked ? { do: 'keep', why: 'locked' } : pinned ? { do: 'keep', why: 'pinned' } : null

const changed = (body: VersionBody, change: Partial<VersionBody>): BulkStep =>
  Object.entries(change).every(([name, held]) => body[name as keyof VersionBody] === held)
    ? { do: 'nothing' }
    : { do: 'change', change }

const labelled = ({ tags }: VersionBody, add: readonly string[], remove: readonly string[]): BulkStep => {
  const after = [...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add])]
  if (after.length > MOST_TAGS) return { do: 'keep', why: 'full' }
  return after.length === tags.length && after.every((tag, i) => tag === tags[i])
    ? { do: 'nothing' }
    : { do: 'change', change: { tags: after } }
}
