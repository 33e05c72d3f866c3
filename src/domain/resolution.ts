import type { ConflictPolicy } from '../schema/namespaces.js'
import type { StatementRelation } from './signature/relation.js'

/** One side of a pair that contradicts each other. */
export interface PairSide {
  /** From when on it holds: the date it gives, else when it was last said. */
  readonly holdsFrom: number
  readonly pinned: boolean
  readonly locked: boolean
}

/** Two memories marked against each other, in the order in which they hold. */
export interface MarkedPair {
  readonly earlier: PairSide
  readonly later: PairSide
  /** How the later stands to the earlier one, and the other way round. */
  readonly relation: StatementRelation
  readonly reverse: StatementRelation
  /** One key in two sessions of a user: what they say of each other does not matter. */
  readonly sameKey: boolean
  readonly policy: ConflictPolicy
}

/** What somebody who was asked makes of a pair. */
export type PairOpinion = 'replaces' | 'compatible' | 'contradicts' | 'unsure'

/** What becomes of a pair: the earlier one is retired, the mark is taken off, it stays, or somebody has to be asked. */
export interface Resolution {
  readonly action: 'retire' | 'clear' | 'leave' | 'ask'
  readonly rule: string
  readonly because: string
}

/**
 * What is certain of a pair without asking anybody. An update of what a subject has one of, later than what it was, retires the older
 * value where the policy lets it; a mark that nothing speaks for any more is taken off; all else is for somebody else to say. Pure and
 * total.
 */
export const resolvePair = (pair: MarkedPair): Resolution => {
  const { relation, reverse, sameKey, earlier, later } = pair
  const { because } = relation
  if (relation.kind === 'refines') {
    if (earlier.holdsFrom >= later.holdsFrom) return { action: 'ask', rule: 'same_time', because }
    return mayRetire(pair)
      ? { action: 'retire', rule: 'newer_value', because }
      : { action: 'leave', rule: whyKept(pair), because }
  }
  const isNone = ({ kind }: StatementRelation): boolean => kind === 'apart' || kind === 'restates' || kind === 'nearly'
  if (!sameKey && isNone(relation) && isNone(reverse)) return { action: 'clear', rule: 'no_contradiction', because }
  return { action: 'ask', rule: relation.kind, because }
}

/** What an opinion leads to. Nobody's word retires what the policy keeps. */
export const resolveBy = (pair: MarkedPair, opinion: PairOpinion, reason: string): Resolution => {
  if (opinion === 'compatible') return { action: 'clear', rule: 'judged_compatible', because: reason }
  if (opinion !== 'replaces') return { action: 'leave', rule: `judged_${opinion}`, because: reason }
  return mayRetire(pair)
    ? { action: 'retire', rule: 'judged_replaces', because: reason }
    : { action: 'leave', rule: whyKept(pair), because: reason }
}

const mayRetire = ({ earlier, policy }: MarkedPair): boolean =>
  (policy === 'auto_reinforce' || policy === 'newest_wins') && !earlier.pinned && !earlier.locked

const whyKept = ({ earlier }: MarkedPair): string =>
  earlier.pinned ? 'pinned' : earlier.locked ? 'locked' : 'left_to_people'
