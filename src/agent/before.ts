import { newId } from '../protocol/new-id.js'
import type { MemoryRow } from '../schema/records.js'
import type { Block, BlockContext, Citation, Quoted, QuotedRow, Rendered } from './block.js'
import { isFact } from './fact-rows.js'
import type { AgentTurn, Logger } from './options.js'
import { Prompt } from './prompt.js'
import { queryOf, type WindowMessage, windowOf } from './said.js'
import { type ScoreWeights, weigh } from './score.js'
import { SCRATCH } from './scratch.js'
import type { KnownTurn } from './turn-book.js'
import { NO_SESSION, type Place } from './who.js'

/** What goes into a prompt before an agent answers. */
export interface Before {
  /** Whose turn it is; null when nobody is known. */
  readonly user: string | null
  /** Why nobody is known, or null. */
  readonly nobody: string | null
  readonly session: string
  /** For the system prompt: what is remembered, as quoted data between fences, and blocks of the app's own. Empty when there is nothing. */
  readonly text: string
  /** The newest turns of the session, the oldest of them first, without this one. */
  readonly messages: readonly WindowMessage[]
  /** What stands in `text`, in order: the built-in parts `everyone`, `session`, `scratch` and `recall`, then the blocks. */
  readonly injected: readonly Rendered[]
  /** The memories in `text`, by the number that each stands under. */
  readonly citations: readonly Citation[]
  /** Blocks that failed and were left out. */
  readonly skipped: readonly string[]
}

export interface BeforeOptions {
  readonly window: number
  readonly recall: number
  readonly blocks: readonly Block[]
  readonly score: ScoreWeights | undefined
  readonly logger: Logger
}

/** Facts that everybody shares, of a session, and pieces of scratch data that go in without being looked for. */
const MOST_ALWAYS = 50
/** What was recalled is weighed among so many times as many. */
const SPARE = 3

export const before = async (turn: AgentTurn, known: KnownTurn, options: BeforeOptions): Promise<Before> => {
  const { place, said } = known
  const { who, session, reading, talk, past, person } = place
  const query = queryOf(said)
  const prompt = new Prompt()
  const messages = await windowHere(known, options.window)
  prompt.add('everyone', prompt.quote(await always(reading, 'global'), 'For everybody'))
  prompt.add('session', prompt.quote(await ofSession(place), 'In this talk'))
  if (person !== null) prompt.add('scratch', asTold(prompt.quote(await scratchOf(person), 'At hand')))
  if (person !== null && options.recall > 0 && query.trim() !== '')
    prompt.add('recall', prompt.quote(await recalled(place, query, options), 'Known of the user'))

  const skipped: string[] = []
  for (const block of options.blocks) {
    const context: BlockContext = {
      turn,
      query,
      user: who.user,
      session,
      memory: reading,
      talk,
      past,
      before: [...prompt.rendered],
      has: (memory) => prompt.has(memory),
      quote: (rows, heading) => prompt.quote(rows, heading),
      quoteText: (text, heading, more) => prompt.quoteText(text, heading, more),
    }
    try {
      prompt.add(block.name, await block.render(context))
    } catch (error) {
      skipped.push(block.name)
      options.logger.warn(`The block ${block.name} has failed and is left out.`, error)
    }
  }
  // Nobody's turns are never learned from: there is nothing to keep apart.
  if (person !== null) await note(person, prompt)
  return {
    user: who.user,
    nobody: who.user === null ? who.why : null,
    session,
    text: prompt.text(newId().replaceAll('-', '')),
    messages,
    injected: prompt.rendered,
    citations: prompt.citations,
    skipped,
  }
}

/** What no memory says: hearing it again is never learned from. */
const asTold = (quoted: Quoted | null): Quoted | null =>
  quoted === null ? null : { ...quoted, served: [], told: quoted.served }

const windowHere = async ({ place: { talk, session }, name }: KnownTurn, window: number) => {
  if (window === 0 || session === NO_SESSION) return []
  // One more than wanted, for a turn that was kept in parts.
  const { turns } = await talk.conversations.list({ session, tiers: ['session'], limit: Math.min(window * 2, 1_000) })
  return windowOf(
    turns.filter(({ turnId }) => !turnId.startsWith(`${name}.`)),
    window,
  )
}

const always = async (memory: Place['reading'], tier: 'global' | 'session'): Promise<readonly MemoryRow[]> =>
  (await memory.list({ tiers: [tier], limit: MOST_ALWAYS })).rows.filter(isFact)

/** What was kept for this talk, with a user and without: only a session that the app has named can have any. */
const ofSession = async ({ person, isNamed, session, talk, everyone }: Place): Promise<readonly MemoryRow[]> => {
  if (person === null || !isNamed) return person === null ? [] : always(talk, 'session')
  const [own, shared] = await Promise.all([always(talk, 'session'), always(everyone.scope({ session }), 'session')])
  return [...own, ...shared]
}

const scratchOf = async (person: NonNullable<Place['person']>): Promise<readonly QuotedRow[]> => {
  const { rows } = await person.working.list({ limit: 1_000 })
  return rows
    .filter(({ name, scope }) => name.startsWith(SCRATCH) && scope.user !== undefined)
    .slice(0, MOST_ALWAYS)
    .map(({ key: _, name, ...row }) => ({
      ...row,
      key: name.slice(SCRATCH.length),
      status: 'active',
      sourceClass: 'asserted',
      verification: 'none',
      tier: 'user',
    }))
}

const recalled = async ({ reading }: Place, query: string, { recall, score }: BeforeOptions) => {
  const { hits } = await reading.search(query, { limit: recall * SPARE, tiers: ['user'] })
  const facts = hits.filter(isFact)
  const chosen = score === undefined ? facts : weigh(facts, score, Date.now()).map(({ hit }) => hit)
  return chosen.slice(0, recall)
}

/** Characters of one text that is noted. */
const LONGEST_NOTED = 100_000

/** What a model is told now proves nothing when it is heard again. */
const note = async (person: NonNullable<Place['person']>, { served, told }: Prompt): Promise<void> => {
  const cut = (texts: readonly string[]) =>
    texts.slice(0, 500).map((text) => text.slice(0, LONGEST_NOTED).replace(/\p{Surrogate}/gu, ''))
  if (served.length > 0) await person.context.told(cut(served))
  if (told.length > 0) await person.context.told(cut(told), { stored: false })
}
