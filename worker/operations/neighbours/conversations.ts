import { memoryId } from '../../../src/domain/memory-id.js'
import { resolve } from '../../../src/domain/scope.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import type { AppendResult, Turn, TurnsResult } from '../../../src/schema/neighbours/conversations.js'
import type { Tier } from '../../../src/schema/scope.js'
import { roomHeadsByAge } from '../../store/rooms.js'
import type { CallContext, Engine } from '../context.js'
import { takeTurn } from '../turn.js'
import { changeOf, type Entry, lookOverAll, type Put, put, recordingFor, type Writing, writing } from './put.js'
import { headToTurn, sessionOf, TURN, turnsPrefix, turnToEntry } from './turns.js'

/** Turns of one transaction: large enough to be quick, small enough that reads get their turn in between. */
const BATCH = 500

type Outcome = AppendResult['turns'][number]

/** A turn with its id and its session. */
interface Said {
  readonly turn: Turn & { readonly id: string; readonly session: string }
  readonly entry: Entry
}

interface AppendInput extends Writing {
  readonly turns: readonly Turn[]
}

/** Appends turns batch by batch; an abort between two batches says how many were written. */
export const appendTurns = async (engine: Engine, context: CallContext, input: AppendInput): Promise<AppendResult> => {
  const said = input.turns.map((turn, i) => saidOf(engine, context, turn, i))
  const turns: Outcome[] = []
  const count = (outcome: Outcome['outcome']) => turns.filter((turn) => turn.outcome === outcome).length
  for (let start = 0; start === 0 || start < said.length; start += BATCH) {
    if (start > 0) await takeTurn(context, count('appended'))
    turns.push(...(await appendBatch(engine, context, input, start, said.slice(start, start + BATCH))))
  }
  engine.wakeIndexing()
  return {
    turns,
    appended: count('appended'),
    known: count('known'),
    revised: count('revised'),
    refused: count('refused'),
    scope: resolve(context.scope),
  }
}

const saidOf = ({ store }: Engine, context: CallContext, given: Turn, i: number): Said => {
  const id = given.id ?? memoryId(context.acceptedAt, store.system.randomBytes(16))
  const turn = { ...given, id, session: sessionOf(context, given.session, `turns.${i}.session`) }
  return { turn, entry: turnToEntry(turn, `turns.${i}.id`) }
}

const appendBatch = (
  engine: Engine,
  context: CallContext,
  { idempotencyKey, dryRun }: AppendInput,
  start: number,
  said: readonly Said[],
): Promise<readonly Outcome[]> => {
  const recording = recordingFor('conversations.append', {
    idempotencyKey: idempotencyKey === undefined ? undefined : `${idempotencyKey}#${start}`,
    dryRun,
  })
  const sent = context.forwarded === null ? context : { ...context, forwarded: `${context.forwarded}#${start}` }
  return writing(
    engine,
    sent,
    recording,
    () =>
      lookOverAll(
        engine,
        context,
        said.map(({ entry }) => entry),
      ),
    (looked) => {
      const done = said.map(({ turn, entry }, i) => {
        const { id: turnId, session } = turn
        const one = looked[i]
        const refused = one?.blacklisted ?? null
        if (one === undefined || refused !== null)
          return {
            written: null,
            result: {
              turnId,
              session,
              key: entry.key,
              outcome: 'refused',
              code: refused?.code ?? '',
              message: refused?.message ?? '',
            },
          } as const
        const written = put(engine, context, entry, one)
        return { written, result: { turnId, session, key: entry.key, outcome: OUTCOMES[written.outcome] } } as const
      })
      const changes = done.flatMap(({ written }) =>
        written === null || written.outcome === 'same' ? [] : [changeOf(engine, written.head)],
      )
      return { result: done.map(({ result }) => result), changes }
    },
  )
}

const OUTCOMES = { new: 'appended', changed: 'revised', same: 'known' } as const satisfies {
  readonly [Outcome in Put['outcome']]: string
}

interface TurnsInput {
  readonly session?: string | undefined
  readonly order: 'newest' | 'oldest'
  readonly tiers?: readonly Tier[] | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Turns in the order in which they were appended, a page at a time. */
export const listTurns = (engine: Engine, context: CallContext, input: TurnsInput): TurnsResult => {
  const { store } = engine
  const identities = store.book.visible(context.scope, input.tiers).map(({ identity }) => identity)
  const filter = { type: TURN, prefix: turnsPrefix(input.session), nowMs: context.acceptedAt }
  const beyond = input.cursor === undefined ? null : readCursor(input.cursor)
  const heads = roomHeadsByAge(store.db, identities, filter, { order: input.order, beyond, limit: input.limit + 1 })
  const page = heads.slice(0, input.limit)
  return {
    turns: page.map((head) => headToTurn(engine, head)),
    nextCursor: heads.length > input.limit ? String(page.at(-1)?.memory) : null,
    scope: resolve(context.scope),
  }
}

const readCursor = (cursor: string): number => {
  if (!/^\d{1,10}$/.test(cursor)) throw invalidArgument('cursor', 'is not one that list has given')
  return Number(cursor)
}
