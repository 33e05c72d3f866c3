import type { Verification, VersionBody } from '../schema/records.js'

/** What verification looks at of a memory. */
export type VerifiedBody = Pick<VersionBody, 'contentSha256' | 'verifiedBy' | 'verifiedSha256'>

/** Whether somebody stands behind what a memory says now. An attestation is of one value: another value makes it stale. */
export const verificationOf = ({ contentSha256, verifiedBy, verifiedSha256 }: VerifiedBody): Verification =>
  verifiedBy === null ? 'none' : verifiedSha256 !== contentSha256 ? 'stale' : isHuman(verifiedBy) ? 'human' : 'process'

export const isHuman = (actor: string): boolean => actor.startsWith('human:')

/** Whether an attestation by this actor would add nothing: it is there already, or a person's is, which a program must not replace. */
export const isAttested = (body: VerifiedBody, actor: string): boolean => {
  const verification = verificationOf(body)
  if (verification !== 'human' && verification !== 'process') return false
  return body.verifiedBy === actor || (verification === 'human' && !isHuman(actor))
}
