import type { VersionBody } from '../schema/records.js'

/** Why a write is refused before it is judged. */
export type Refusal = { readonly code: 'PRECONDITION_FAILED'; readonly currentSha256: string | null }

/** The checks on the live row under the key, in the order the product asks for. Null lets the write through. */
export const refusalOf = (
  live: Pick<VersionBody, 'contentSha256'> | null,
  write: { readonly ifMatchSha256: string | undefined },
): Refusal | null => {
  if (write.ifMatchSha256 !== undefined && write.ifMatchSha256 !== (live?.contentSha256 ?? null))
    return { code: 'PRECONDITION_FAILED', currentSha256: live?.contentSha256 ?? null }
  return null
}
