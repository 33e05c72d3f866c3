import type { Status, VersionBody } from '../schema/records.js'
import { canonicalJson } from './canonical.js'
import { hex, sha256, sha256Hex, utf8 } from './sha256.js'

/** Statuses that default reads serve. The one place that says so. */
export const SERVED: readonly Status[] = ['active', 'conflicted']

/** Statuses under which a memory still holds its key: the next write of the key is a version of it. */
export const HOLDS_KEY: readonly Status[] = ['active', 'conflicted', 'duplicate', 'proposed']

/** How long a deletion can be taken back. */
export const RESTORE_WINDOW_MS = 14 * 24 * 60 * 60 * 1000

/** Where a version stands: what its hash covers beside its body. */
export interface VersionHeader {
  readonly rowId: string
  readonly ver: bigint
  readonly kind: string
  readonly memoryId: string
  readonly scope: unknown
  readonly parents: readonly string[]
}

/** Keyed hash of a body. Once salt and body are gone, as after a redaction, nothing about the value can be guessed from it. */
export const bodyCommitment = (salt: Uint8Array, body: string): string => {
  const text = utf8(body)
  const input = new Uint8Array(salt.length + text.length)
  input.set(salt)
  input.set(text, salt.length)
  return hex(sha256(input))
}

/**
 * Hash of a version in its memory's chain: covers the version before it, its own header and the commitment to its body, so that
 * the chain can still be verified after a body was redacted.
 */
export const chainSha256 = (prev: string | null, header: VersionHeader, commitment: string): string =>
  sha256Hex(
    [
      prev ?? '',
      header.rowId,
      header.ver.toString(),
      header.kind,
      header.memoryId,
      header.parents.join(' '),
      canonicalJson(header.scope),
      commitment,
    ].join('\n'),
  )

/** A memory as far as its end goes. */
export interface Lasting {
  readonly body: Pick<VersionBody, 'validTo'>
  /** When it leaves service: by its own word, or by a window of its namespace that ends sooner. */
  readonly leavesAt: number | null
}

/** True once the memory is no longer true or has left service. */
export const hasEnded = ({ body: { validTo }, leavesAt }: Lasting, nowMs: number): boolean =>
  (validTo !== null && validTo <= nowMs) || (leavesAt !== null && leavesAt <= nowMs)

/** True when default reads serve the memory at this moment: a served status, and not past its end. */
export const isServed = (head: Lasting & { readonly body: Pick<VersionBody, 'status'> }, nowMs: number): boolean =>
  SERVED.includes(head.body.status) && !hasEnded(head, nowMs)
