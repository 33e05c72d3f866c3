import type { Memory } from '../protocol/api.js'
import type { TurnHit, TurnRow } from '../schema/neighbours/conversations.js'
import type { ForUser } from './scratch.js'

export interface EpisodeOptions extends ForUser {
  /** Of one session only. */
  readonly session?: string
  /** Default 20. */
  readonly limit?: number
}

/** What was said with one user, in all talks. */
export interface Episodes {
  /** The newest turns, the oldest of them first. */
  readonly recent: (options?: EpisodeOptions) => Promise<readonly TurnRow[]>
  /** Turns that fit a question, best first, each with the one before and the one after it. */
  readonly recall: (query: string, options?: EpisodeOptions) => Promise<readonly TurnHit[]>
}

/** Turns that belong to nobody else: those without a user stand in a tier of their own. */
const TIERS = ['user', 'session'] as const

export const createEpisodes = (past: (given: ForUser) => Memory): Episodes => ({
  recent: async (given = {}) => {
    const { session, limit = 20 } = given
    const filter = { limit, tiers: [...TIERS], ...(session === undefined ? {} : { session }) }
    return (await past(given).conversations.list(filter)).turns.toReversed()
  },
  recall: async (query, given = {}) => {
    const { session, limit = 20 } = given
    const filter = { limit, tiers: [...TIERS], ...(session === undefined ? {} : { session }) }
    return (await past(given).conversations.recall(query, filter)).hits
  },
})
