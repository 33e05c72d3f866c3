import type { TrustLevel } from '../schema/provenance.js'
import type { SourceClass, VersionBody } from '../schema/records.js'
import { isHuman, type VerifiedBody, verificationOf } from './verification.js'

/**
 * From the most to the least. What a person has looked at and stands behind comes first, then what a person said. A program that says
 * something may have misread it; what was concluded from other texts may be wrong although those are right; an import is as good as a
 * store that cannot be asked; and what a page or a tool said may have been written to mislead.
 */
export const TRUST: readonly TrustLevel[] = ['attested', 'human', 'process', 'inferred', 'imported', 'external']

/** What a memory's way into the store is worth by itself, by who stated it. */
const BY_SOURCE: { readonly [Class in SourceClass]: { readonly human: TrustLevel; readonly process: TrustLevel } } = {
  asserted: { human: 'human', process: 'process' },
  observed: { human: 'human', process: 'process' },
  extracted: { human: 'inferred', process: 'inferred' },
  derived: { human: 'inferred', process: 'inferred' },
  imported: { human: 'imported', process: 'imported' },
  external: { human: 'external', process: 'external' },
}

/** A memory as far as trust looks at it. */
export interface TrustedBody extends VerifiedBody, Pick<VersionBody, 'sourceClass'> {
  /** Who gave it the value it has: another actor may have pinned or locked it since. */
  readonly statedBy: string
}

/** The trust of a memory by itself, whatever it was derived from. A program's attestation adds none: programs err alike. */
export const ownTrust = (body: TrustedBody): TrustLevel =>
  verificationOf(body) === 'human' ? 'attested' : BY_SOURCE[body.sourceClass][isHuman(body.statedBy) ? 'human' : 'process']

/** The lesser of two. */
export const lesser = (a: TrustLevel, b: TrustLevel): TrustLevel => (TRUST.indexOf(a) > TRUST.indexOf(b) ? a : b)

/**
 * Whether what is made for people or models may build on it. What comes from pages or tools may not, nor what was derived from it, until
 * a person has attested the very text.
 */
export const isUsable = (trust: TrustLevel): boolean => trust !== 'external'

/** Sources looked at: a lineage that is longer counts as the least, since what is behind it was not seen. */
const MOST_SOURCES = 1_000

/**
 * The least trust along what a memory was derived from, and where it is found. A person who attested a text stands behind it whatever it
 * was made of, so the way ends there.
 */
export const trustAlong = (
  start: string,
  sourcesOf: (id: string) => readonly string[],
  ownOf: (id: string) => TrustLevel,
): { readonly trust: TrustLevel; readonly weakest: string } => {
  let found = { trust: ownOf(start), weakest: start }
  if (found.trust === 'attested') return found
  const seen = new Set([start])
  for (const id of seen) {
    if (seen.size > MOST_SOURCES) return { trust: 'external', weakest: id }
    const own = ownOf(id)
    if (own === 'attested') continue
    if (lesser(found.trust, own) !== found.trust) found = { trust: own, weakest: id }
    // A set goes on to what is added while it is walked.
    for (const source of sourcesOf(id)) seen.add(source)
  }
  return found
}
