import { addsNothing, type GivenFields } from '../../../src/domain/body.js'
import type { JudgedPeer, Verdict } from '../../../src/domain/judge.js'
import type { Peer, VersionBody, WriteResult } from '../../../src/schema/records.js'
import type { Store } from '../../store/store.js'
import type { Head } from '../../store/versions.js'
import type { Located } from './locate.js'
import type { PreparedWrite } from './prepare.js'

export interface WriteOptions {
  readonly ifMatchSha256: string | undefined
  readonly dryRun: boolean
  readonly onPinned: 'fail' | 'propose' | undefined
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
  (store: Store, write: PreparedWrite, options: WriteOptions, found: Located) =>
  (head: Head, verdict: Verdict, outcome: Outcome): WriteResult => ({
    id: head.memoryId,
    key: head.body.key,
    version: head.ver.toString(),
    contentSha256: head.body.contentSha256,
    status: head.body.status,
    verdict: verdict.kind,
    peers: peersOf(verdict),
    explanation: verdict.explanation,
    next: nextOf(verdict, head.body.key),
    ...(outcome.merged === undefined ? {} : { mergedIntoKey: outcome.merged }),
    ...(head.body.duplicateOf === null ? {} : { duplicateOf: head.body.duplicateOf }),
    ...(outcome.retypedFrom === undefined ? {} : { retypedFrom: outcome.retypedFrom }),
    noop: outcome.noop,
    dryRun: options.dryRun,
    degraded: degradedOf(write, outcome),
    advisories: [
      ...advisoriesOf(outcome, found.minted, head.body, write.fields),
      ...guardAdvisories(outcome, found, head.body, write),
    ],
    chunksWritten: outcome.passages ?? 0,
    scope: store.book.scopeOf(head.identity),
  })

/** Passages without a vector get one in the background, also when it was not the embedder that failed. */
const degradedOf = (write: PreparedWrite, outcome: Outcome): readonly string[] => {
  if (outcome.noop) return []
  const lacksVectors = (outcome.passages ?? 0) > 0 && write.vectors.length === 0
  return [...new Set([...write.degraded, ...(lacksVectors ? ['unembedded'] : [])])]
}

/** Peers told to the caller. */
const MOST_PEERS = 5

/** The deciding peer first, then others that the write is marked against. */
const peersOf = ({ peer, against, explanation }: Verdict): readonly Peer[] => {
  const others = against.filter(({ memory }) => memory !== peer?.memory).map((one) => toPeer(one, one.relation.because))
  return [...(peer === null ? [] : [toPeer(peer, explanation.because)]), ...others].slice(0, MOST_PEERS)
}

const toPeer = ({ key, id, similarity, status }: JudgedPeer, why: string): Peer => ({ key, id, similarity, status, why })

const nextOf = (verdict: Verdict, key: string): string => {
  if (verdict.kind === 'merge') return `Already known under ${key}; it was counted. To correct its wording, update it.`
  const other = verdict.peer?.key ?? (verdict.kind === 'rejected' ? 'What is pinned' : key)
  if (verdict.kind === 'duplicate') return `${other} answers for it.`
  if (verdict.kind === 'refines')
    return verdict.retired.length > 0
      ? `${other} was retired.`
      : `If ${other} no longer holds, delete it, or write the new value there.`
  if (verdict.kind === 'rejected') return `${other} stays as it is until somebody decides on the proposal.`
  if (verdict.kind === 'conflict') return `Both stay until somebody decides: delete or correct ${other}, or this one.`
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

/** What the guards did with a write that they let through. */
const guardAdvisories = (
  { noop }: Outcome,
  { key }: Located,
  body: VersionBody,
  { fields, detected }: PreparedWrite,
): readonly string[] => [
  ...(body.status === 'proposed' && body.key !== key
    ? [`${key} is taken: the proposal ${noop ? 'is known' : 'was stored'} as ${body.key}.`]
    : []),
  ...(fields.sensitivity === undefined && detected === 'high' && body.sensitivity === 'high' && !noop
    ? ['The value looks like a secret and is kept out of search. State its sensitivity if it is none.']
    : []),
]
