import type { Explanation, Status, VerdictKind } from '../schema/records.js'

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
}

/** What is known of the write. */
export interface JudgedWrite {
  readonly canonicalSha256: string
  readonly run: string | null
  readonly embedder: string | null
  /** The memory under the key that the write revises, or null when it is new. */
  readonly revises: number | null
}

/** Cosines from which a peer is looked at as a duplicate or as a contradiction. */
export interface Thresholds {
  readonly duplicate: number
  readonly conflict: number
}

/** In force until an embedder's own distribution has been measured. */
export const FALLBACK_THRESHOLDS: Thresholds = { duplicate: 0.97, conflict: 0.85 }

export interface Verdict {
  readonly kind: VerdictKind
  /** The peer that decided it, or null. */
  readonly peer: JudgedPeer | null
  readonly explanation: Explanation
}

type Rule = (write: JudgedWrite, peer: JudgedPeer) => { kind: VerdictKind; rule: string; because: string } | null

/** The same statement in the same words. Under a run it stays a row of its own, so that the run still finds what it wrote. */
const sameCanonicalForm: Rule = (write, peer) => {
  if (write.canonicalSha256 !== peer.canonicalSha256) return null
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

/** In the order in which they are asked; the first answer wins. */
const RULES: readonly Rule[] = [sameCanonicalForm]

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
 * Weighs a write against its peers, nearest first. Pure and total: the same write and peers give the same verdict, and the
 * explanation holds what is needed to give it again.
 */
export const judge = (write: JudgedWrite, peers: readonly JudgedPeer[], thresholds: Thresholds): Verdict => {
  const explained = (rule: string, because: string): Explanation => ({ rule, because, thresholds, embedder: write.embedder })
  const nearest = byNearness(write, peers)
  for (const rule of RULES)
    for (const peer of nearest) {
      const found = rule(write, peer)
      if (found !== null) return { kind: found.kind, peer, explanation: explained(found.rule, found.because) }
    }
  return { kind: 'clear', peer: null, explanation: explained('no_peer', 'nothing that is believed says the same') }
}
