import type { HistoryEntry, Status, VersionBody } from '../schema/records.js'
import { writtenAt } from './clock.js'

/** A point in the two times: what was true in the world then, as far as it was known then. Epoch milliseconds. */
export interface Moment {
  /** Null when only what was known counts. */
  readonly valid: number | null
  readonly known: number
}

/** A version as far as it matters when it was said. */
export interface SaidVersion {
  readonly ver: bigint
  readonly kind: HistoryEntry['kind']
  readonly body: VersionBody
}

/** The version that answers for a memory at a moment. */
export interface Answer<V extends SaidVersion> {
  readonly version: V
  /** From when on what it says held, epoch milliseconds. */
  readonly from: number
}

/** What a memory said for a while: versions of one value, with the dates that the last of them gives. */
interface Claim<V extends SaidVersion> extends Answer<V> {
  readonly to: number | null
}

/**
 * The version of a memory that answers at a moment, or null when none does. Versions are those known at that moment, oldest first.
 *
 * By what was known, it is the newest, unless it was no longer served. By what was true, it is the claim that began last before the
 * instant, unless it had ended; a claim written later about an earlier time takes no place from one that began after it. What was
 * deleted or marked wrong answers for no time; what gave way to another memory answers until that one begins.
 */
export const answerAt = <V extends SaidVersion>(
  versions: readonly V[],
  moment: Moment,
  statuses: readonly Status[],
  beginningsOf: (memoryId: string) => readonly number[],
): Answer<V> | null => {
  const newest = versions[versions.length - 1]
  if (newest === undefined) return null
  const { status, expiresAt, supersededBy, invalidAt } = newest.body
  if (expiresAt !== null && expiresAt <= moment.known) return null
  if (moment.valid === null) {
    if (!statuses.includes(status) || isOver(newest.body.validTo, moment.known)) return null
    return { version: newest, from: last(claimsOf(versions)).from }
  }
  if (status !== 'superseded' && !statuses.includes(status)) return null
  const valid = moment.valid
  const claim = claimsOf(versions)
    .filter(({ from }) => from <= valid)
    .reduce<Claim<V> | null>((best, one) => (best === null || one.from >= best.from ? one : best), null)
  if (claim === null || isOver(claim.to, valid)) return null
  if (status !== 'superseded') return claim
  const beginnings = supersededBy === null ? [] : beginningsOf(supersededBy).filter((from) => from > claim.from)
  return isOver(beginnings.length > 0 ? Math.min(...beginnings) : invalidAt, valid) ? null : claim
}

/** From when on the claims of a memory held, oldest version first. */
export const beginnings = (versions: readonly SaidVersion[]): readonly number[] => claimsOf(versions).map(({ from }) => from)

const isOver = (end: number | null, at: number): boolean => end !== null && end <= at

const last = <T>(list: readonly T[]): T => list[list.length - 1] as T

/** A deletion says nothing of its own; a value said again amends the claim, unless it is dated into another time. */
const claimsOf = <V extends SaidVersion>(versions: readonly V[]): readonly Claim<V>[] => {
  const claims: Claim<V>[] = []
  let began = 0n
  let before: V | null = null
  for (const version of versions) {
    if (version.kind === 'tomb') continue
    if (before === null || !amends(version.body, before.body)) {
      began = version.ver
      claims.push(claimOf(version, began))
    } else claims[claims.length - 1] = claimOf(version, began)
    before = version
  }
  return claims
}

const claimOf = <V extends SaidVersion>(version: V, began: bigint): Claim<V> => {
  const { validAt, temporalAnchor, validTo } = version.body
  return { version, from: validAt ?? temporalAnchor ?? writtenAt(began), to: validTo }
}

const amends = (later: VersionBody, earlier: VersionBody): boolean =>
  later.contentSha256 === earlier.contentSha256 && !areApart(later, earlier)

type Period = Pick<VersionBody, 'validAt' | 'validTo'>

/** Whether one period ends before the other begins. */
export const areApart = (one: Period, other: Period): boolean => endsBefore(one, other) || endsBefore(other, one)

const endsBefore = ({ validTo }: Period, { validAt }: Period): boolean =>
  validTo !== null && validAt !== null && validTo <= validAt
