import type { Flaw } from '../schema/history.js'
import { bodyCommitment, chainSha256, type VersionHeader } from './version.js'

/** A stored version with all that its place in the chain rests on. */
export interface Link extends VersionHeader {
  /** Null once it was redacted, as is the salt. */
  readonly body: string | null
  readonly salt: Uint8Array | null
  readonly commitment: string
  readonly prevSha256: string | null
  readonly sha256: string
  /** Whether a redaction of it is on record. */
  readonly isRedacted: boolean
}

/** What is wrong with a version beside those it was written on top of; null when nothing is. */
export const flawOf = (link: Link, rowsOfMemory: ReadonlyMap<string, Link>): Flaw | null => {
  const { body, salt, commitment, isRedacted } = link
  if (body === null || salt === null) {
    if (!isRedacted || body !== null || salt !== null) return 'body_missing'
  } else if (bodyCommitment(salt, body) !== commitment) return 'body'
  if (chainSha256(link.prevSha256, link, commitment) !== link.sha256) return 'header'
  const parents = link.parents.map((id) => rowsOfMemory.get(id))
  if (parents.some((parent) => parent === undefined)) return 'parent'
  const [first] = parents
  if ((first?.sha256 ?? null) !== link.prevSha256) return 'parent'
  return parents.every((parent) => parent !== undefined && parent.ver < link.ver) ? null : 'order'
}
