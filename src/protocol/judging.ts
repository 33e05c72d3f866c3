import type { PairOpinion } from '../domain/resolution.js'
import type { JsonValue } from '../schema/scalars.js'

/** One of two memories that contradict each other. */
export interface PairMember {
  readonly key: string
  readonly value: JsonValue
  /** From when on it holds, epoch milliseconds: the date it gives, else when it was last said. */
  readonly holdsFrom: number
}

/** Two memories about which the rules are not sure, in the order in which they hold. */
export interface PairQuestion {
  readonly earlier: PairMember
  readonly later: PairMember
  /** What the rules found. */
  readonly because: string
}

/** What is made of a pair, with the reason that is kept on the version. */
export interface PairAnswer {
  readonly opinion: PairOpinion
  readonly reason: string
}

/** The worker asks, or takes a question back. */
export type JudgeRequest =
  | { readonly id: number; readonly question: PairQuestion }
  | { readonly id: number; readonly question: null }

/** The page answers; null when it could not. */
export interface JudgeReply {
  readonly id: number
  readonly answer: unknown
}
