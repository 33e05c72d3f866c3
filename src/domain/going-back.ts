import type { KeptReason, RestoreAction } from '../schema/going-back.js'
import type { VersionBody } from '../schema/records.js'
import { canonicalJson } from './canonical.js'
import { lockInForce } from './guards.js'
import { HOLDS_KEY } from './version.js'

/** A version of one memory as far as it matters who wrote it. */
export interface Authored {
  readonly row: number
  /** Part of what is to be taken back. */
  readonly taken: boolean
  /** Written by background work. */
  readonly background: boolean
}

/**
 * What stood before the writes that are taken back, by all versions of a memory from the oldest on: the row it returns to, null when
 * there was none. `kept` when somebody else has written it since. What background work wrote on top goes with what it followed from.
 */
export const beneath = (
  versions: readonly Authored[],
): { readonly kept: false; readonly target: number | null } | { readonly kept: true } => {
  let end = versions.length
  let found = false
  for (; end > 0; end--) {
    const version = versions[end - 1] as Authored
    if (!version.taken && !version.background) break
    if (!version.taken && !versions.slice(0, end).some(({ taken }) => taken)) break
    found ||= version.taken
  }
  return found ? { kept: false, target: versions[end - 1]?.row ?? null } : { kept: true }
}

const holdsKey = (body: VersionBody): boolean => HOLDS_KEY.includes(body.status)

/** What has to be done for a memory to be as it was; null when it is so already. Who wrote it when does not count. */
export const actionFor = (now: VersionBody, then: VersionBody | null): RestoreAction | null => {
  if (then === null) return now.status === 'tombstoned' ? null : 'tombstone'
  if (sameBelief(now, then)) return null
  if (then.status === 'tombstoned' && now.status !== 'tombstoned') return 'tombstone'
  return holdsKey(then) && !holdsKey(now) ? 'restore' : 'revert'
}

const sameBelief = (now: VersionBody, then: VersionBody): boolean =>
  canonicalJson({ ...now, updatedAt: 0, actor: '', run: null }) ===
  canonicalJson({ ...then, updatedAt: 0, actor: '', run: null })

/** Whether a memory leaves its key, or takes one that it does not hold now. */
export const keyMove = (now: VersionBody, then: VersionBody | null): 'leaves' | 'takes' | 'stays' => {
  const after = then !== null && holdsKey(then)
  return holdsKey(now) === after ? 'stays' : after ? 'takes' : 'leaves'
}

/** A rollback goes over everything, so whatever is guarded now stays as it is. */
export const guardedFromRollback = (now: VersionBody, nowMs: number): KeptReason | null =>
  lockInForce(now, nowMs) !== null ? 'locked' : now.pinned ? 'pinned' : null

/**
 * An undo takes back what the writes did, a lock among them, when its holder asks. A lock that stood before refuses what it always does;
 * one that another actor has made stays on. A pin does not hold: its memory changes by deliberate calls alone, of which this is one.
 */
export const guardedFromUndo = (
  now: VersionBody,
  then: VersionBody | null,
  actor: string,
  nowMs: number,
): KeptReason | null => {
  const lock = lockInForce(now, nowMs)
  if (lock === null) return null
  if (then === null || lockInForce(then, nowMs) === null) return now.lockBy === actor ? null : 'locked'
  const changes =
    now.contentSha256 !== then.contentSha256 || now.validTo !== then.validTo || now.expiresAt !== then.expiresAt
  return keyMove(now, then) === 'leaves' || (changes && lock === 'read_only') ? 'locked' : null
}

/** The body that brings a memory back, with the links that still lead somewhere. */
export const bodyOf = (
  now: VersionBody,
  then: VersionBody | null,
  leadsSomewhere: (memoryId: string) => boolean,
  nowMs: number,
): VersionBody => {
  if (then === null) return { ...now, status: 'tombstoned', tombstonedAt: nowMs, conflictWith: [] }
  const conflictWith = then.conflictWith.filter(leadsSomewhere)
  if (then.status === 'duplicate' && (then.duplicateOf === null || !leadsSomewhere(then.duplicateOf)))
    return { ...then, status: 'active', duplicateOf: null, conflictWith }
  const isFree = then.status === 'conflicted' && conflictWith.length === 0
  return isFree ? { ...then, status: 'active', statusReason: null, conflictWith } : { ...then, conflictWith }
}
