import { addsNothing, type GivenFields } from '../../../src/domain/body.js'
import type { JudgedPeer, Verdict } from '../../../src/domain/judge.js'
import type { Explanation, Peer, VersionBody, WriteResult } from '../../../src/schema/records.js'
import type { Store } from '../../store/store.js'
import type { Head } from '../../store/versions.js'
import type { PreparedWrite } from './prepare.js'

export interface WriteOptions {
  readonly ifMatchSha256: string | undefined
  readonly dryRun: boolean
}

/** What became of a write, beside its verdict. */
export interface Outcome {
  readonly passages: number | null
  readonly noop: boolean
  readonly merged?: string
  readonly retypedFrom?: string
}

/** Puts together what a write answers with. */
export const createAnswer =
  (store: Store, write: PreparedWrite, options: WriteOptions, minted: boolean) =>
  (head: Head, verdict: Verdict, outcome: Outcome): WriteResult => ({
    id: head.memoryId,
    key: head.body.key,
    version: head.ver.toString(),
    contentSha256: head.body.contentSha256,
    status: head.body.status,
    verdict: verdict.kind,
    peers: verdict.peer === null ? [] : [toPeer(verdict.peer, verdict.explanation)],
    explanation: verdict.explanation,
    next: nextOf(verdict, head.body.key),
    ...(outcome.merged === undefined ? {} : { mergedIntoKey: outcome.merged }),
    ...(head.body.duplicateOf === null ? {} : { duplicateOf: head.body.duplicateOf }),
    ...(outcome.retypedFrom === undefined ? {} : { retypedFrom: outcome.retypedFrom }),
    noop: outcome.noop,
    dryRun: options.dryRun,
    degraded: degradedOf(write, outcome),
    advisories: advisoriesOf(outcome, minted, head.body, write.fields),
    chunksWritten: outcome.passages ?? 0,
    scope: store.book.scopeOf(head.identity),
  })

/** Passages without a vector get one in the background, also when it was not the embedder that failed. */
const degradedOf = (write: PreparedWrite, outcome: Outcome): readonly string[] => {
  if (outcome.noop || write.degraded.length > 0) return outcome.noop ? [] : write.degraded
  return (outcome.passages ?? 0) > 0 && write.vectors.length === 0 ? ['unembedded'] : []
}

const toPeer = (peer: JudgedPeer, explanation: Explanation): Peer => ({
  key: peer.key,
  id: peer.id,
  similarity: peer.similarity,
  status: peer.status,
  why: explanation.because,
})

const nextOf = (verdict: Verdict, key: string): string => {
  if (verdict.kind === 'merge') return `Already known under ${key}; it was counted. To correct its wording, update it.`
  if (verdict.kind === 'duplicate') return `${verdict.peer?.key ?? key} answers for it.`
  return ''
}

const advisoriesOf = (
  outcome: Outcome,
  minted: boolean,
  body: VersionBody,
  { value: _value, ...beside }: GivenFields,
): readonly string[] => [
  ...(minted && !outcome.noop ? [`The key was made from the statement: ${body.key}.`] : []),
  ...(outcome.noop && !addsNothing(body, beside)
    ? [`What was given beside the value was not kept. Update ${body.key} to add it.`]
    : []),
  ...((outcome.passages ?? 0) > 1
    ? [`The value is long and is found by its ${outcome.passages} passages. Documents are better kept apart from claims.`]
    : []),
]
