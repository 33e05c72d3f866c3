import type { Memory } from '../protocol/api.js'
import type { UserCalls } from '../protocol/erasing-calls.js'
import { invalidArgument } from '../protocol/errors.js'
import { newId } from '../protocol/new-id.js'
import { type After, after } from './after.js'
import { type Before, before } from './before.js'
import { createEpisodes, type Episodes } from './episodes.js'
import { type AgentOptions, type AgentTurn, checkOptions } from './options.js'
import { currentRun, type Run } from './run.js'
import { createScratch, type ForUser, type ScratchBlocks } from './scratch.js'
import { createTierCalls, type TierCalls } from './tiers.js'
import { watchBackground, wrap } from './trace/traced.js'
import { createTracer, type OpenSpan } from './trace/tracer.js'
import { createTripleCalls, type TripleCalls } from './triples.js'
import { createTurnBook, type KnownTurn } from './turn-book.js'
import { findPlace, handlesOf, idProblem, placeOf, requireNarrow, requireUnbound, resolveUser, type Who } from './who.js'

/** The memory of an agent: thin layers over one memory, with no store of their own. */
export interface AgentMemory extends TierCalls {
  /**
   * What to put into the prompt of a turn, and whose turn it is: that is asked once, here, and holds for the `after` of the same turn.
   *
   * ```ts
   * const { text, messages } = await mem.before(turn)
   * ```
   */
  readonly before: (turn: AgentTurn) => Promise<Before>
  /**
   * Keeps what was said in a turn and answered to it, and learns from what the person said. `turn` is the one that `before` was given, or a
   * copy with the same `id`. What `before` has put into a prompt is never learned.
   *
   * ```ts
   * await mem.after(turn, reply)
   * ```
   */
  readonly after: (turn: AgentTurn, reply?: string) => Promise<After>
  readonly episodes: Episodes
  readonly blocks: ScratchBlocks
  readonly facts: TripleCalls
  /** Everything about one person, as `memory.users` has it, in this project. */
  readonly users: UserCalls
}

/**
 * Puts an agent on a memory. The handle must be bound to no user and no session: whose memories are read is decided turn by turn.
 *
 * Throws INVALID_ARGUMENT for an option that is none, and FORBIDDEN when the memory is bound to another project or agent.
 *
 * ```ts
 * const mem = agentMemory(memory, { user: (turn) => turn.userId, learn: true })
 * const { text, messages } = await mem.before(turn)
 * const reply = await answer([{ role: 'system', content: text }, ...messages, { role: 'user', content: turn.text }])
 * await mem.after(turn, reply)
 * ```
 */
export const agentMemory = (memory: Memory, options: AgentOptions = {}): AgentMemory => {
  checkOptions(options)
  const { window = 20, recall = 8, blocks = [], learn = false, logger = console, score, project, agent, user } = options
  const tracer =
    options.onTrace === undefined ? null : createTracer({ onTrace: options.onTrace, payloads: options.payloads ?? true })
  const bare = tracer === null ? memory : wrap(memory, tracer, null, {})
  const handles = handlesOf(bare, project, agent)
  requireUnbound(handles)
  if (tracer !== null) watchBackground(memory, tracer)
  const secret = newId()
  let narrow: Promise<void> | null = null
  /** Asked once, with the first turn; what fails is asked again. */
  const checked = (): Promise<void> => {
    narrow ??= requireNarrow(handlesOf(memory, project, agent)).catch((error: unknown) => {
      narrow = null
      throw error
    })
    return narrow
  }

  const warnOf = (who: Who): void => {
    if (who.user === null && user !== undefined)
      logger.warn(`Nobody is known in this turn, so nothing personal is read or learned: ${who.why}.`)
  }
  const book = createTurnBook(
    async (turn, run) => {
      const who = await resolveUser(user, turn, run)
      warnOf(who)
      return placeOf(handles, findPlace(who, turn, run, user !== undefined, secret))
    },
    (turn, why) => {
      const who = { user: null, why }
      warnOf(who)
      return placeOf(handles, findPlace(who, turn, null, true, secret))
    },
  )

  /** One step of a turn: all that it does at the memory is a part of it. */
  const step = async <Result>(
    name: string,
    find: Promise<KnownTurn>,
    work: (known: KnownTurn) => Promise<Result>,
    told: (result: Result) => Parameters<OpenSpan['end']>[0],
  ): Promise<Result> => {
    const span = tracer?.start(name, 'turn', null) ?? null
    try {
      const known = await find
      await checked()
      const result = await work(span === null || tracer === null ? known : { ...known, place: tracedPlace(known, span) })
      span?.end(told(result))
      return result
    } catch (error) {
      span?.end({}, error)
      throw error
    }
  }

  const tracedPlace = ({ place }: KnownTurn, span: OpenSpan) =>
    tracer === null ? place : placeOf(handlesOf(wrap(memory, tracer, span, {}), project, agent), place)

  const userOf = (given: ForUser = {}): string => {
    const id = 'user' in given ? given.user : (currentRun()?.user ?? (typeof user === 'string' ? user : undefined))
    const problem = idProblem(id)
    if (problem !== null) throw invalidArgument('user', `${problem}. Give { user }, or call it within withRun`)
    return id as string
  }
  const stampOf = (run: Run | null) => (run?.run === undefined ? {} : { run: run.run })
  const person = (given?: ForUser): Memory => handles.of({ user: userOf(given), ...stampOf(currentRun()) })

  return {
    before: (turn) =>
      step(
        'agent.before',
        begun(() => book.begin(turn, currentRun())),
        (known) => before(turn, known, { window, recall, blocks, score, logger }),
        ({ user: whose, session, messages, citations, injected, skipped, nobody }) => ({
          scope: { user: whose, session },
          counts: {
            messages: messages.length,
            citations: citations.length,
            parts: injected.length,
            skipped: skipped.length,
          },
          attributes: nobody === null ? {} : { nobody: true },
        }),
      ),
    after: (turn, reply) =>
      step(
        'agent.after',
        begun(() => book.find(turn, currentRun())),
        async (known) => {
          const done = await after(known, reply ?? turn.reply, learn)
          book.done(turn)
          return done
        },
        ({ user: whose, session, appended, learned, notLearned }) => ({
          scope: { user: whose, session },
          counts: { appended, ...(learned?.deferred === false ? { written: learned.written.length } : {}) },
          attributes: notLearned === null ? {} : { notLearned },
        }),
      ),
    ...createTierCalls(handles, currentRun),
    episodes: createEpisodes((given) => handles.of({ user: userOf(given), session: '*' })),
    blocks: createScratch(person),
    facts: createTripleCalls(person),
    users: handles.everyone.users,
  }
}

/** What throws at once rejects like all else. */
const begun = async <T>(work: () => Promise<T>): Promise<T> => work()
