import type { JudgedPeer, Verdict } from '../../../src/domain/judge.js'
import type { VersionBody } from '../../../src/schema/records.js'
import type { Head } from '../../store/versions.js'
import type { FoundPeer } from './peers.js'

/** What the verdict makes of the row that is written. */
export const bodyAfter = (verdict: Verdict, body: VersionBody): VersionBody => {
  if (verdict.kind === 'duplicate') return { ...body, status: 'duplicate', duplicateOf: verdict.peer?.id ?? null }
  const against = standing(verdict)
  return against.length === 0 ? body : { ...body, status: 'conflicted', conflictWith: against.map(({ id }) => id) }
}

/** What the write stands against and that does not give way. */
export const standing = ({ against, retired }: Verdict): readonly JudgedPeer[] =>
  against.filter((peer) => !retired.includes(peer))

/** Rows of its own user that a verdict marks: a write may not change what others read. */
export const headsOf = (marked: readonly JudgedPeer[], peers: readonly FoundPeer[]): readonly Head[] =>
  marked
    .filter(({ reinforceable }) => reinforceable)
    .flatMap((peer) => peers.find((found) => found.peer.memory === peer.memory)?.head ?? [])
