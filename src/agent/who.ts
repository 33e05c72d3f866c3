import { formHash } from '../domain/canonical.js'
import type { Memory } from '../protocol/api.js'
import { invalidArgument, isMemoryError } from '../protocol/errors.js'
import type { ScopePatch } from '../schema/scope.js'
import type { AgentTurn, UserResolver } from './options.js'
import type { Run } from './run.js'

/** Whose turn it is; null when nobody is known, with why. */
export type Who = { readonly user: string } | { readonly user: null; readonly why: string }

/** The session of turns of nobody that name none: nothing is kept in it, since nobody could ever read it. */
export const NO_SESSION = ''
/** The session of turns that name none: one for each user. */
const MAIN_SESSION = 'main'
const LONGEST_ID = 512
/** Longest name of a session that a neighbouring store takes. */
const LONGEST_SESSION = 200

/** Why a text is no id of a user, or null when it is one. */
export const idProblem = (id: unknown): string | null => {
  if (id === undefined || id === null) return 'is missing'
  if (typeof id !== 'string') return `is of type ${typeof id}, not a text`
  if (id.trim() === '') return 'is empty'
  if (id === '*') return "is '*', which is everybody"
  if (id.length > LONGEST_ID) return `is longer than ${LONGEST_ID} characters`
  if (/\0|\p{Surrogate}/u.test(id)) return 'holds what no id may hold'
  return null
}

/** Asks once whose turn it is. Never rejects: who cannot be told is nobody, and never somebody else. */
export const resolveUser = async (
  given: string | UserResolver | undefined,
  turn: AgentTurn,
  run: Run | null,
): Promise<Who> => {
  let user: unknown
  try {
    user = given === undefined ? run?.user : typeof given === 'function' ? await given(turn) : given
  } catch (error) {
    return { user: null, why: `the resolver of the user has failed: ${error instanceof Error ? error.message : 'no error'}` }
  }
  const problem = idProblem(user)
  return problem === null ? { user: user as string } : { user: null, why: `the user ${problem}` }
}

/** Handles of one agent on the memories it works with. */
export interface Handles {
  /** What everybody shares. */
  readonly everyone: Memory
  readonly of: (patch: ScopePatch) => Memory
}

/** Handles of a project and an agent. */
export const handlesOf = (memory: Memory, project: string | undefined, agent: string | undefined): Handles => {
  const everyone = memory.scope({
    ...(project === undefined ? {} : { namespace: project }),
    ...(agent === undefined ? {} : { agent }),
  })
  return { everyone, of: (patch) => everyone.scope(patch) }
}

/** Refuses a memory that is bound to somebody: it would be read for everybody else as well. */
export const requireUnbound = ({ everyone }: Handles): void => {
  for (const probe of [{ user: PROBE }, { session: PROBE }])
    try {
      everyone.scope(probe)
    } catch (error) {
      if (!isMemoryError(error, 'FORBIDDEN')) throw error
      throw isBound()
    }
}

/** Refuses one that reads across everybody, which only its answers tell. */
export const requireNarrow = async ({ everyone }: Handles): Promise<void> => {
  const { scope } = await everyone.list({ limit: 1 })
  if (scope.user !== undefined || scope.session !== undefined) throw isBound()
}

const PROBE = 'palimpsest-agent'

const isBound = () => invalidArgument('memory', 'is bound to a user or a session: give the handle that it was narrowed from')

/** Where a turn belongs. */
export interface Found {
  readonly who: Who
  readonly session: string
  /** Whether the app has named the session, so that what it put there is meant for this talk. */
  readonly isNamed: boolean
  readonly run: Run | null
}

/**
 * Where a turn belongs. A turn of nobody gets a talk of its own: where the app names the session, one that only this agent in this page can
 * name again, else none that is kept. The next visitor who is not known must not read it. Where no resolver was asked, a named session is a
 * name to go by.
 *
 * @param secret of this agent in this page
 */
export const findPlace = (who: Who, turn: AgentTurn, run: Run | null, isAsked: boolean, secret: string): Found => {
  const given = turn.session ?? run?.session
  const isNamed = given !== undefined
  if (isNamed && (idProblem(given) !== null || given.length > LONGEST_SESSION))
    throw invalidArgument('session', `must be a text of at most ${LONGEST_SESSION} characters`)
  const found = { who, isNamed, run }
  if (who.user !== null || (isNamed && !isAsked)) return { ...found, session: given ?? MAIN_SESSION }
  return { ...found, session: isNamed ? `nobody-${secret}-${formHash(given)}` : NO_SESSION }
}

/** Where a turn is kept and read. */
export interface Place extends Found {
  /** Reads what this turn may know of: the user's memories, the session's and everybody's; of nobody, everybody's alone. */
  readonly reading: Memory
  readonly everyone: Memory
  /** The talk itself. */
  readonly talk: Memory
  /** All talks of the same user. */
  readonly past: Memory
  /** What outlives the talk; null when nobody is known. */
  readonly person: Memory | null
}

export const placeOf = ({ everyone, of }: Handles, found: Found): Place => {
  const { who, session, run } = found
  const stamp = run?.run === undefined ? {} : { run: run.run }
  // What is bound to nothing at all reads nothing.
  const talk = session === NO_SESSION ? of({ user: '', session }) : of({ user: who.user, session, ...stamp })
  if (who.user === null) return { ...found, everyone, reading: everyone, talk, past: talk, person: null }
  const past = of({ user: who.user, session: '*' })
  return { ...found, everyone, reading: talk, talk, past, person: of({ user: who.user, ...stamp }) }
}
