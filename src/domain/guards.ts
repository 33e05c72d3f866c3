import type { VersionBody } from '../schema/records.js'

/** Why a write is refused before it is judged. */
export type Refusal =
  | { readonly code: 'LOCKED'; readonly until: number | null }
  | { readonly code: 'PINNED_CONFLICT' }
  /** By a rule of the blacklist, which the write was held against before. */
  | { readonly code: 'BLACKLISTED' }
  | { readonly code: 'PRECONDITION_FAILED'; readonly currentSha256: string | null }

/** What guards look at of a live memory. */
export type GuardedBody = Pick<VersionBody, 'contentSha256' | 'validTo' | 'expiresAt' | 'pinned' | 'lockMode' | 'lockUntil'>

/** A write as far as guards look at it. */
export interface GuardedWrite {
  /** What the live memory would hold after it. */
  readonly after: Pick<VersionBody, 'contentSha256' | 'validTo' | 'expiresAt'>
  /** A correction, or a write that pins: what is pinned changes by those alone. */
  readonly overridesPin: boolean
  readonly isBlacklisted: boolean
  readonly ifMatchSha256: string | undefined
}

/** The mode of the lock that is in force, or null. */
export const lockInForce = (body: Pick<VersionBody, 'lockMode' | 'lockUntil'>, nowMs: number): VersionBody['lockMode'] =>
  body.lockUntil !== null && body.lockUntil <= nowMs ? null : body.lockMode

/** The checks on the live row under the key, in the order the product asks for. Null lets the write through. */
export const refusalOf = (live: GuardedBody | null, write: GuardedWrite, nowMs: number): Refusal | null => {
  const { after, overridesPin, isBlacklisted, ifMatchSha256 } = write
  if (live !== null) {
    const changesValue = live.contentSha256 !== after.contentSha256
    const changesEnd = live.validTo !== after.validTo || live.expiresAt !== after.expiresAt
    if ((changesValue || changesEnd) && lockInForce(live, nowMs) === 'read_only')
      return { code: 'LOCKED', until: live.lockUntil }
    if (changesValue && live.pinned && !overridesPin) return { code: 'PINNED_CONFLICT' }
  }
  if (isBlacklisted) return { code: 'BLACKLISTED' }
  if (ifMatchSha256 !== undefined && ifMatchSha256 !== (live?.contentSha256 ?? null))
    return { code: 'PRECONDITION_FAILED', currentSha256: live?.contentSha256 ?? null }
  return null
}
