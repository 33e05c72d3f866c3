import { digestOf } from '../../../src/domain/neighbours/digest.js'
import { roomKey, roomPrefix } from '../../../src/domain/neighbours/room.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type {
  BriefRow,
  BriefsResult,
  DigestRow,
  DigestsResult,
  FoundSessions,
} from '../../../src/schema/neighbours/sessions.js'
import type { JsonValue } from '../../../src/schema/scalars.js'
import { roomHeadsByAge } from '../../store/rooms.js'
import { type Head, headById } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { search } from '../search.js'
import { fitting, putOne, recordingFor, type Writing } from './put.js'
import { addressOf, lastName, type Paging, pageOf, rowAt } from './rows.js'
import { headToTurn, TURN, turnsPrefix } from './turns.js'

const BRIEF = '~brief'
const DIGEST = '~digest'

/** Newest turns of a session that a digest is made of: choosing takes time that grows with their number. */
const MOST_TURNS = 2_000

interface SessionName {
  readonly session: string
}

const briefKey = (session: string): string => fitting(roomKey('~briefs', session), 'session')

const toBrief =
  (engine: Engine) =>
  (head: Head): BriefRow => ({ session: lastName(head), brief: head.body.value, ...addressOf(engine, head) })

export const setBrief = (
  engine: Engine,
  context: CallContext,
  input: Writing & SessionName & { readonly brief: JsonValue; readonly ifMatchSha256?: string | undefined },
): Promise<BriefRow> =>
  putOne(
    engine,
    context,
    recordingFor('sessions.setBrief', input),
    () => ({ key: briefKey(input.session), type: BRIEF, value: input.brief }),
    ({ head }) => toBrief(engine)(head),
    input.ifMatchSha256,
  )

export const getBrief = (engine: Engine, context: CallContext, { session }: SessionName): BriefRow | null => {
  const head = rowAt(engine, context, 'sessions.brief', briefKey(session), BRIEF)
  return head === null ? null : toBrief(engine)(head)
}

export const listBriefs = (engine: Engine, context: CallContext, input: Paging): BriefsResult =>
  pageOf(engine, context, input, { type: BRIEF, prefix: roomPrefix('~briefs') }, toBrief(engine))

const toDigest =
  (engine: Engine) =>
  (head: Head): DigestRow => ({ session: lastName(head), text: String(head.body.value), ...addressOf(engine, head) })

/** Makes a digest of a session from its own sentences, and keeps it. */
export const digestSession = async (
  engine: Engine,
  context: CallContext,
  input: Writing & SessionName & { readonly sentences: number },
): Promise<DigestRow> => {
  const { session } = input
  const row = await putOne(
    engine,
    context,
    recordingFor('sessions.digest', input),
    () => {
      const turns = turnsOf(engine, context, session)
      const text = digestOf(turns, input.sentences)
      const key = fitting(roomKey('~digests', session), 'session')
      if (text === '')
        throw new MemoryError('NOT_FOUND', 'Nothing was said in this session that a digest could be made of.', { key })
      return { key, type: DIGEST, value: text, sourceClass: 'derived' }
    },
    ({ head }) => toDigest(engine)(head),
  )
  engine.wakeIndexing()
  return row
}

const turnsOf = (engine: Engine, context: CallContext, session: string) => {
  const { store } = engine
  const identities = store.book.visible(context.scope).map(({ identity }) => identity)
  const filter = { type: TURN, prefix: turnsPrefix(session), nowMs: context.acceptedAt }
  const heads = roomHeadsByAge(store.db, identities, filter, { order: 'newest', beyond: null, limit: MOST_TURNS })
  return heads.map((head) => headToTurn(engine, head)).reverse()
}

export const listDigests = (engine: Engine, context: CallContext, input: Paging): DigestsResult =>
  pageOf(engine, context, input, { type: DIGEST, prefix: roomPrefix('~digests') }, toDigest(engine))

/** Sessions whose digest fits a query. */
export const findSessions = async (
  engine: Engine,
  context: CallContext,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<FoundSessions> => {
  const { store } = engine
  const found = await search(engine, context, {
    query,
    type: DIGEST,
    keyPrefix: roomPrefix('~digests'),
    limit,
    offset: 0,
    explain: false,
  })
  const identities = store.book.visible(context.scope).map(({ identity }) => identity)
  const hits = found.hits.flatMap(({ id, score, excerpt }) => {
    const head = headById(store.db, identities, id)
    return head === null ? [] : [{ ...toDigest(engine)(head), score, excerpt }]
  })
  const { abstained, reason, scope } = found
  return { hits, abstained, ...(reason === undefined ? {} : { reason }), scope }
}
