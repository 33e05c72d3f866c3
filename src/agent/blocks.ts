import { isMemoryError } from '../protocol/errors.js'
import type { Block, BlockContext } from './block.js'
import { isFact } from './fact-rows.js'
import { type ScoreWeights, type Weighed, weigh } from './score.js'
import { NO_SESSION } from './who.js'

/** Words of the app's own, the same in each turn. */
export const staticBlock = (text: string): Block => ({ name: 'static', render: () => text })

/**
 * The talk so far in some of its own sentences, picked without a language model and kept as the digest of its session.
 *
 * @param options.sentences how many of them, 5 unless said otherwise
 */
export const summaryBlock = ({ sentences = 5 }: { readonly sentences?: number } = {}): Block => ({
  name: 'summary',
  render: async ({ talk, session, quoteText }) => {
    if (session === NO_SESSION) return null
    try {
      const { text } = await talk.sessions.digest(session, { sentences })
      return quoteText(text, 'The talk so far', { isSaid: true })
    } catch (error) {
      // Nothing was said yet.
      if (isMemoryError(error, 'NOT_FOUND')) return null
      throw error
    }
  },
})

export interface VectorBlockOptions {
  /** What to look for; default what the person says. */
  readonly query?: string | ((context: BlockContext) => string | PromiseLike<string>)
  /** How many. Default 5. */
  readonly limit?: number
  /** `memories` (the default), or what was said in any talk with this user: `episodes`. */
  readonly of?: 'memories' | 'episodes'
  readonly score?: ScoreWeights
}

/** What fits a question, by its meaning and its words. */
export const vectorBlock = ({ query, limit = 5, of = 'memories', score }: VectorBlockOptions = {}): Block => ({
  name: 'vector',
  render: async (context) => {
    const asked = typeof query === 'function' ? await query(context) : (query ?? context.query)
    if (asked.trim() === '') return null
    if (of === 'episodes') return episodesBlock(context, asked, limit)
    const { hits } = await context.memory.search(asked, { limit: limit * SPARE })
    const facts = hits.filter((hit) => isFact(hit) && !context.has(hit))
    const chosen = score === undefined ? facts : weigh(facts, score, Date.now()).map(({ hit }: Weighed) => hit)
    return context.quote(chosen.slice(0, limit), 'What fits')
  },
})

/** So many more are looked for, since some stand in the prompt already. */
const SPARE = 3

const episodesBlock = async ({ past, quoteText }: BlockContext, query: string, limit: number) => {
  const { hits } = await past.conversations.recall(query, { limit, tiers: ['session', 'user'] })
  const lines = hits.map(({ speaker, role, text }) => `${speaker ?? role ?? 'user'}: ${text}`)
  return quoteText(lines.join('\n'), 'Said before', { isSaid: true })
}

/**
 * What is known of the user, the newest first, whatever the turn is about.
 *
 * @param options.limit how many, 20 unless said otherwise
 */
export const factsBlock = ({ limit = 20 }: { readonly limit?: number } = {}): Block => ({
  name: 'facts',
  render: async ({ user, memory, quote, has }) => {
    if (user === null) return null
    const { rows } = await memory.list({ tiers: ['user'], limit: Math.min(limit * SPARE + 50, 1_000) })
    const facts = rows.filter((row) => isFact(row) && !has(row))
    return quote(facts.slice(0, limit), 'Known of the user')
  },
})
