import type { ConflictPolicy } from '../schema/namespaces.js'
import type { Explanation, Status, VerdictKind } from '../schema/records.js'
import type { RelationKind, StatementRelation } from './signature/relation.js'

/** A live memory the write is weighed against. */
export interface JudgedPeer {
  readonly memory: number
  readonly id: string
  readonly key: string
  readonly status: Status
  readonly run: string | null
  readonly canonicalSha256: string
  /** Cosine of the two vectors, 1 for equal canonical forms. */
  readonly similarity: number
  /** False for a row of a wider scope: a write may not count on what others read. */
  readonly reinforceable: boolean
  readonly pinned: boolean
  /** Whether a lock keeps it as it is. */
  readonly locked: boolean
  readonly validAt: number | null
  /** Stands under the key of the write, in another identity of the same user. */
  readonly sameKey: boolean
  /** In another session of the user, which the writer cannot read: a close pair by its key. */
  readonly elsewhere: boolean
  /** How the write stands to it, by what the two say. */
  readonly relation: StatementRelation
}

/** What is known of the write. */
export interface JudgedWrite {
  readonly canonicalSha256: string
  readonly run: string | null
  readonly embedder: string | null
  /** The memory under the key that the write revises, or null when it is new. */
  readonly revises: number | null
  readonly pins: boolean
  /** From when on it holds: what is stated, else when it is written. */
  readonly holdsFrom: number
}

/** Cosines from which a peer is looked at as a duplicate or as a contradiction. */
export interface Thresholds {
  readonly duplicate: number
  readonly conflict: number
}

/** In force until an embedder's own distribution has been measured. */
export const FALLBACK_THRESHOLDS: Thresholds = { duplicate: 0.97, conflict: 0.85 }

export interface JudgingPolicy {
  readonly thresholds: Thresholds
  readonly conflictPolicy: ConflictPolicy
}

export interface Verdict {
  readonly kind: VerdictKind
  /** The peer that decided it, or null. */
  readonly peer: JudgedPeer | null
  /** All peers that the write cannot stand beside unmarked, nearest first; the deciding one is the first. */
  readonly against: readonly JudgedPeer[]
  /** Peers that give way to the write at once. */
  readonly retired: readonly JudgedPeer[]
  readonly explanation: Explanation
}

interface Finding {
  readonly kind: VerdictKind
  readonly rule: string
  readonly because: string
}

type Rule = (write: JudgedWrite, peer: JudgedPeer, policy: JudgingPolicy) => Finding | null

/** The same statement in the same words. Under a run it stays a row of its own, so that the run still finds what it wrote. */
const sameCanonicalForm: Rule = (write, peer) => {
  if (write.canonicalSha256 !== peer.canonicalSha256 || peer.elsewhere) return null
  // Counting on the peer alone would leave the old value standing under the key that was revised.
  if (write.revises !== null && write.revises !== peer.memory)
    return { kind: 'duplicate', rule: 'same_canonical_form_other_key', because: `${peer.key} says the same` }
  if (!peer.reinforceable)
    return { kind: 'duplicate', rule: 'same_canonical_form_shared', because: `${peer.key} says the same for a wider scope` }
  return write.run !== null && peer.run !== write.run
    ? {
        kind: 'duplicate',
        rule: 'same_canonical_form_other_run',
        because: `${peer.key} says the same, written in another run`,
      }
    : { kind: 'merge', rule: 'same_canonical_form', because: `${peer.key} says the same in the same words` }
}

const APART: readonly RelationKind[] = ['refines', 'opposes', 'differs']

/** What is pinned is not contradicted, nor said again in other words, by a write that does not itself pin. */
const closePinned: Rule = (write, peer, { thresholds }) =>
  peer.pinned && !write.pins && peer.relation.kind !== 'apart' && isNear(peer, thresholds)
    ? { kind: 'rejected', rule: 'pinned', because: `${peer.key} is pinned, and ${peer.relation.because}` }
    : null

/** Another value of what a subject has one of. An older truth that is told late does not take the place of a newer one. */
const anotherValue: Rule = (write, peer, { conflictPolicy }) => {
  if (peer.relation.kind !== 'refines') return null
  const { because } = peer.relation
  if (conflictPolicy !== 'newest_wins') return { kind: 'refines', rule: 'another_value', because }
  return isLater(peer, write)
    ? { kind: 'conflict', rule: 'older_value', because: `${because}, though what is known is of a later date` }
    : { kind: 'refines', rule: 'another_value_newest', because }
}

const isLater = ({ validAt }: JudgedPeer, { holdsFrom }: JudgedWrite): boolean => validAt !== null && validAt > holdsFrom

/** Equal signatures decide; where a word is lacking on one side, the vectors have to be nearer. */
const saysTheSame: Rule = (_, peer, { thresholds }) => {
  const { kind, because } = peer.relation
  const isSame = (kind === 'restates' || kind === 'nearly') && peer.similarity >= neededFor(peer.relation, thresholds)
  return isSame && !peer.elsewhere ? { kind: 'duplicate', rule: 'says_the_same', because } : null
}

/** The similarity from which on a relation stands: what differs a little has to be nearer than what does not. */
const neededFor = ({ kind, doubt = 1 }: StatementRelation, { conflict, duplicate }: Thresholds): number =>
  kind === 'nearly' ? conflict + doubt * (duplicate - conflict) : conflict

const cannotBoth: Rule = (_, peer, { thresholds }) =>
  (peer.relation.kind === 'opposes' || peer.relation.kind === 'differs') && isNear(peer, thresholds)
    ? { kind: 'conflict', rule: peer.relation.kind, because: peer.relation.because }
    : null

/** What another session of the user holds under the key is another value of what the key names, whatever the words. */
const anotherSession: Rule = (write, peer) =>
  peer.elsewhere && peer.relation.kind === 'apart' && write.canonicalSha256 !== peer.canonicalSha256
    ? {
        kind: 'conflict',
        rule: 'same_key_other_session',
        because: `another session of the user holds something else under ${peer.key}`,
      }
    : null

/** Where everything newer wins, the newest of a key takes the place of the others. */
const newestOfKey: Rule = (write, peer, { conflictPolicy }) =>
  conflictPolicy === 'newest_wins' && givesWay(peer, write)
    ? { kind: 'refines', rule: 'newest_of_key', because: `it is the newest of ${peer.key}` }
    : null

const givesWay = (peer: JudgedPeer, write: JudgedWrite): boolean =>
  peer.sameKey && write.canonicalSha256 !== peer.canonicalSha256 && mayRetire(peer, write)

/** Of its own user, neither pinned nor locked, and not of a later date. */
const mayRetire = (peer: JudgedPeer, write: JudgedWrite): boolean =>
  peer.reinforceable && !peer.pinned && !peer.locked && !isLater(peer, write)

const isNear = ({ similarity, elsewhere }: JudgedPeer, { conflict }: Thresholds): boolean =>
  elsewhere || similarity >= conflict

/** Marked at once, at the most: each is a version of its own, and the nearest say enough. */
const MOST_AGAINST = 5

/** In the order in which they are asked of a peer; the first answer wins. */
const RULES: readonly Rule[] = [
  sameCanonicalForm,
  closePinned,
  newestOfKey,
  anotherValue,
  saysTheSame,
  cannotBoth,
  anotherSession,
]

/**
 * Nearest first. Among equally near ones: what the write revises, what it may count on, what its own run has said, what is oldest,
 * so that the order in which the store found them makes no difference.
 */
const byNearness = (write: JudgedWrite, peers: readonly JudgedPeer[]): readonly JudgedPeer[] =>
  [...peers].sort(
    (a, b) =>
      b.similarity - a.similarity ||
      Number(b.memory === write.revises) - Number(a.memory === write.revises) ||
      Number(b.reinforceable) - Number(a.reinforceable) ||
      Number(b.run === write.run) - Number(a.run === write.run) ||
      (a.id < b.id ? -1 : 1),
  )

/**
 * Weighs a write against its peers, nearest first; the first peer that any rule speaks of decides. Pure and total: the same write
 * and peers give the same verdict, and the explanation holds what is needed to give it again.
 */
export const judge = (write: JudgedWrite, peers: readonly JudgedPeer[], policy: JudgingPolicy): Verdict => {
  const { thresholds, conflictPolicy } = policy
  const nearest = byNearness(write, peers)
  const explained = (rule: string, because: string): Explanation => ({
    rule,
    because,
    thresholds,
    policy: conflictPolicy,
    embedder: write.embedder,
  })
  if (conflictPolicy === 'append_only') return clear(explained('append_only', 'this namespace judges nothing'))
  for (const peer of nearest)
    for (const rule of RULES) {
      const found = rule(write, peer, policy)
      if (found === null) continue
      const { kind } = found
      const marks = kind === 'refines' || kind === 'conflict'
      const against = marks ? nearest.filter((one) => isAgainst(write, one, policy)).slice(0, MOST_AGAINST) : []
      const retired = marks && conflictPolicy === 'newest_wins' ? nearest.filter((one) => isRetired(write, one)) : []
      return { kind, peer, against, retired, explanation: explained(found.rule, found.because) }
    }
  return clear(explained('no_peer', 'nothing that is believed says the same, or something else of it'))
}

/** Whether a peer and the write cannot both stand unmarked. */
const isAgainst = (write: JudgedWrite, peer: JudgedPeer, policy: JudgingPolicy): boolean =>
  anotherSession(write, peer, policy) !== null ||
  (APART.includes(peer.relation.kind) && (peer.relation.kind === 'refines' || isNear(peer, policy.thresholds)))

const isRetired = (write: JudgedWrite, peer: JudgedPeer): boolean =>
  givesWay(peer, write) || (peer.relation.kind === 'refines' && mayRetire(peer, write))

const clear = (explanation: Explanation): Verdict => ({
  kind: 'clear',
  peer: null,
  against: [],
  retired: [],
  explanation,
})
