import { namesIn, roomKey, roomPrefix } from '../../../src/domain/neighbours/room.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import type { Turn, TurnRow } from '../../../src/schema/neighbours/conversations.js'
import { roomHeadsByAge } from '../../store/rooms.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { type Entry, fitting } from './put.js'

export const TURN = '~turn'

const ROLE = 'role:'

/** Turns of a session stand close to each other: a neighbour further off, among so many rows, is none. */
const REACH = 1_000

/** The key of a turn; refuses names that make it too long. */
export const requireTurnKey = (session: string, id: string, field: string): string =>
  fitting(roomKey('~turns', session, id), field)

/** A turn as the memory that holds it: its value is what was said, so that it is found and quoted as such. */
export const turnToEntry = (turn: Turn & { readonly id: string; readonly session: string }, field: string): Entry => ({
  key: requireTurnKey(turn.session, turn.id, field),
  type: TURN,
  value: turn.text,
  sourceClass: turn.role === 'tool' ? 'external' : 'observed',
  tags: turn.role === undefined ? [] : [`${ROLE}${turn.role}`],
  entities: turn.speaker === undefined ? [] : [turn.speaker],
  ...(turn.at === undefined ? {} : { temporalAnchor: turn.at, timeZone: turn.timeZone }),
})

export const headToTurn = ({ store }: Engine, { memoryId, ver, identity, body }: Head): TurnRow => {
  const [session = '', turnId = ''] = namesIn(body.key)
  return {
    turnId,
    session,
    role: body.tags.find((tag) => tag.startsWith(ROLE))?.slice(ROLE.length) ?? null,
    speaker: body.entities[0] ?? null,
    text: String(body.value),
    at: body.temporalAnchor,
    createdAt: body.createdAt,
    key: body.key,
    id: memoryId,
    version: ver.toString(),
    scope: store.book.scopeOf(identity),
  }
}

/** Which session a turn belongs to. */
export const sessionOf = (context: CallContext, given: string | undefined, field: string): string => {
  const session = given ?? context.scope.session
  if (session === undefined) throw invalidArgument(field, 'is needed: the handle is not bound to one')
  return session
}

/** The prefix of all turns, or of those of a session. */
export const turnsPrefix = (session: string | undefined): string =>
  session === undefined ? roomPrefix('~turns') : roomPrefix('~turns', session)

/** The turns right before and after one, in its session and of its writer. */
export const turnsBeside = (
  { store }: Engine,
  { acceptedAt }: CallContext,
  head: Head,
): { readonly before: Head | null; readonly after: Head | null } => {
  const prefix = head.body.key.slice(0, head.body.key.lastIndexOf('/') + 1)
  const filter = { type: TURN, prefix, nowMs: acceptedAt }
  const next = (order: 'newest' | 'oldest') =>
    roomHeadsByAge(store.db, [head.identity], filter, { order, beyond: head.memory, limit: 1, reach: REACH })[0] ?? null
  return { before: next('newest'), after: next('oldest') }
}
