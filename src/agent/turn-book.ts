import { invalidArgument } from '../protocol/errors.js'
import { newId } from '../protocol/new-id.js'
import type { Message } from '../schema/learning.js'
import type { AgentTurn } from './options.js'
import type { Run } from './run.js'
import { saidIn } from './said.js'
import type { Place } from './who.js'

/** A turn as it was when `before` was told of it. */
export interface KnownTurn {
  /** Names it in the store. */
  readonly name: string
  readonly place: Place
  readonly said: readonly Message[]
  /** When it began, for messages that do not say. */
  readonly at: string | null
  readonly timeZone: string | undefined
}

interface Entry {
  readonly known: Promise<KnownTurn>
  isDone: boolean
}

/** Ids that are remembered, and turns of one id. */
const MOST_IDS = 2_000
const MOST_OF_ID = 16

/** Turns under way: whose turn it is is asked once, and what `before` was told holds for `after`. */
export interface TurnBook {
  readonly begin: (turn: AgentTurn, run: Run | null) => Promise<KnownTurn>
  /** The turn that was begun by this object, or by one of the same id; else it begins now. */
  readonly find: (turn: AgentTurn, run: Run | null) => Promise<KnownTurn>
  readonly done: (turn: AgentTurn) => void
}

/**
 * @param placed asks whose turn it is
 * @param nobodys the place of a turn that cannot be told from another one of the same id
 */
export const createTurnBook = (
  placed: (turn: AgentTurn, run: Run | null) => Promise<Place>,
  nobodys: (turn: AgentTurn, why: string) => Place,
): TurnBook => {
  const byObject = new WeakMap<AgentTurn, Entry>()
  const byId = new Map<string, Entry[]>()

  const begin = (turn: AgentTurn, run: Run | null): Promise<KnownTurn> => {
    if (typeof turn !== 'object' || turn === null) throw invalidArgument('turn', 'must be an object')
    // What the app does with its object from here on changes nothing.
    const { id, timeZone, at = new Date().toISOString() } = turn
    const said = saidIn(turn)
    const known = placed(turn, run).then((place): KnownTurn => ({ name: id ?? newId(), place, said, at, timeZone }))
    known.catch(() => undefined)
    const entry = { known, isDone: false }
    byObject.set(turn, entry)
    if (id !== undefined) {
      const others = byId.get(id) ?? []
      byId.delete(id)
      byId.set(id, [...others, entry].slice(-MOST_OF_ID))
      if (byId.size > MOST_IDS) byId.delete(byId.keys().next().value as string)
    }
    return known
  }

  const entriesOf = ({ id }: AgentTurn): readonly Entry[] => {
    const all = (id === undefined ? undefined : byId.get(id)) ?? []
    const open = all.filter(({ isDone }) => !isDone)
    return open.length > 0 ? open : all
  }

  const find = async (turn: AgentTurn, run: Run | null): Promise<KnownTurn> => {
    const own = byObject.get(turn)
    if (own !== undefined) return own.known
    const said = saidIn(turn)
    const turns = await Promise.all(entriesOf(turn).map(({ known }) => known))
    const last = turns.at(-1)
    if (last === undefined) return begin(turn, run)
    const isOne = turns.every(({ place }) => place.who.user === last.place.who.user && place.session === last.place.session)
    const place = isOne ? last.place : nobodys(turn, `several turns of the id ${turn.id} are under way`)
    return { ...last, place, ...(said.length === 0 && isOne ? {} : { said }) }
  }

  const done = (turn: AgentTurn): void => {
    const own = byObject.get(turn)
    for (const entry of own === undefined ? entriesOf(turn) : [own]) entry.isDone = true
  }

  return { begin, find, done }
}
