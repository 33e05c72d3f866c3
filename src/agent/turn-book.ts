import { formHash } from '../domain/canonical.js'
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
  readonly said: readonly Message[]
  isDone: boolean
}

/** Names of turns that are remembered, and turns of one name. */
const MOST_NAMES = 256
const MOST_OF_NAME = 8

/** Turns under way: whose turn it is is asked once, and what `before` was told holds for `after`. */
export interface TurnBook {
  readonly begin: (turn: AgentTurn, run: Run | null) => Promise<KnownTurn>
  /**
   * The turn that was begun by this object, or by one of the same id; else it begins now. Words that another user has begun a turn with, or that
   * are not those of the id, are nobody's where they come back under another user: who they belong to cannot be told.
   */
  readonly find: (turn: AgentTurn, run: Run | null) => Promise<KnownTurn>
  readonly done: (turn: AgentTurn) => void
}

/**
 * @param placed asks whose turn it is
 * @param nobodys the place of a turn that may be another user's
 */
export const createTurnBook = (
  placed: (turn: AgentTurn, run: Run | null) => Promise<Place>,
  nobodys: (turn: AgentTurn, why: string) => Place,
): TurnBook => {
  const byObject = new WeakMap<AgentTurn, Entry>()
  const byName = new Map<string, Entry[]>()

  const begin = (turn: AgentTurn, run: Run | null): Promise<KnownTurn> => {
    if (typeof turn !== 'object' || turn === null) throw invalidArgument('turn', 'must be an object')
    // What the app does with its object from here on changes nothing.
    const { id, timeZone, at = new Date().toISOString() } = turn
    const said = saidIn(turn)
    const known = placed(turn, run).then((place): KnownTurn => ({ name: id ?? newId(), place, said, at, timeZone }))
    known.catch(() => undefined)
    const entry = { known, said, isDone: false }
    byObject.set(turn, entry)
    const name = nameOf(turn, said)
    const others = byName.get(name) ?? []
    byName.delete(name)
    byName.set(name, [...others, entry].slice(-MOST_OF_NAME))
    if (byName.size > MOST_NAMES) byName.delete(byName.keys().next().value as string)
    return known
  }

  const openOf = (name: string): readonly Entry[] => (byName.get(name) ?? []).filter(({ isDone }) => !isDone)

  /** A turn of its own, unless somebody else has begun one that it may be. */
  const beginApart = async (turn: AgentTurn, run: Run | null): Promise<KnownTurn> => {
    const open = openOf(nameOf(turn, saidIn(turn)))
    const now = await begin(turn, run)
    const others = await Promise.all(open.map(({ known }) => known))
    return others.every(({ place }) => place.who.user === now.place.who.user)
      ? now
      : { ...now, place: nobodys(turn, 'another user has begun a turn of these words or of this id') }
  }

  const find = async (turn: AgentTurn, run: Run | null): Promise<KnownTurn> => {
    const own = byObject.get(turn)
    if (own !== undefined) return own.known
    if (typeof turn !== 'object' || turn === null || turn.id === undefined) return beginApart(turn, run)
    const said = saidIn(turn)
    const name = nameOf(turn, said)
    const open = openOf(name)
    const fitting = (open.length > 0 ? open : (byName.get(name) ?? [])).filter(
      (entry) => said.length === 0 || isSame(entry.said, said),
    )
    const turns = await Promise.all(fitting.map(({ known }) => known))
    const last = turns.at(-1)
    if (last === undefined) return beginApart(turn, run)
    const isOne = turns.every(({ place }) => place.who.user === last.place.who.user && place.session === last.place.session)
    return isOne ? last : { ...last, said, place: nobodys(turn, `several turns of the id ${turn.id} are under way`) }
  }

  const done = (turn: AgentTurn): void => {
    const own = byObject.get(turn)
    const said = saidIn(turn)
    const name = nameOf(turn, said)
    const those = own === undefined ? openOf(name) : [own]
    for (const entry of those) if (own !== undefined || said.length === 0 || isSame(entry.said, said)) entry.isDone = true
    // Only by an id can it come back once more.
    const open = openOf(name)
    if (turn.id === undefined && open.length > 0) byName.set(name, [...open])
    else if (turn.id === undefined) byName.delete(name)
  }

  return { begin, find, done }
}

/** What a turn is known by when it comes back as another object: its id, or else its session and its words. */
const nameOf = ({ id, session }: AgentTurn, said: readonly Message[]): string =>
  id === undefined ? `words ${formHash(JSON.stringify([session ?? null, said]))}` : `id ${id}`

const isSame = (a: readonly Message[], b: readonly Message[]): boolean => JSON.stringify(a) === JSON.stringify(b)
