import { withNeighbours } from '../../../src/domain/neighbours/turns.js'
import type { RecallResult, TurnHit } from '../../../src/schema/neighbours/conversations.js'
import type { Hit } from '../../../src/schema/records.js'
import type { Tier } from '../../../src/schema/scope.js'
import { type Head, headById, headOf } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { search } from '../search.js'
import { headToTurn, TURN, turnsBeside, turnsPrefix } from './turns.js'

/** Turns that may lend to their neighbours, at the least. */
const CANDIDATES = 30

interface RecallInput {
  readonly query: string
  readonly session?: string | undefined
  readonly limit: number
  readonly tiers?: readonly Tier[] | undefined
}

type Beside = ReturnType<typeof turnsBeside>

/** Turns that fit a query, or stand right beside one that does. */
export const recallTurns = async (engine: Engine, context: CallContext, input: RecallInput): Promise<RecallResult> => {
  const { store } = engine
  const {
    hits,
    explain: _,
    ...searched
  } = await search(engine, context, {
    query: input.query,
    type: TURN,
    keyPrefix: turnsPrefix(input.session),
    tiers: input.tiers,
    limit: Math.max(CANDIDATES, input.limit),
    offset: 0,
    explain: false,
  })
  const identities = store.book.visible(context.scope, input.tiers).map(({ identity }) => identity)
  const besides = new Map<number, Beside>()
  const heads = new Map<number, Head>()
  const besideOf = (head: Head): Beside => {
    const known = besides.get(head.memory) ?? turnsBeside(engine, context, head)
    besides.set(head.memory, known)
    for (const one of [head, known.before, known.after]) if (one !== null) heads.set(one.memory, one)
    return known
  }
  const found = hits.flatMap((hit) => {
    const head = headById(store.db, identities, hit.id)
    if (head === null) return []
    besideOf(head)
    return [{ memory: head.memory, score: hit.score, hit }]
  })
  const numbers = new Map([...besides].map(([memory, { before, after }]) => [memory, numbersOf({ before, after })]))
  const byMemory = new Map(found.map(({ memory, hit }) => [memory, hit]))
  const ranked = withNeighbours(found, numbers).slice(0, input.limit)
  return {
    ...searched,
    hits: ranked.flatMap(({ memory, score, lent }) => {
      const head = heads.get(memory) ?? headOf(store.db, memory)
      if (head === null) return []
      return [toHit(engine, head, byMemory.get(memory), { score, lent }, besideOf(head))]
    }),
  }
}

const numbersOf = ({ before, after }: Beside) => ({ before: before?.memory ?? null, after: after?.memory ?? null })

const toHit = (
  engine: Engine,
  head: Head,
  hit: Hit | undefined,
  worth: { readonly score: number; readonly lent: number },
  { before, after }: Beside,
): TurnHit => {
  const turn = headToTurn(engine, head)
  return {
    ...turn,
    ...worth,
    components: hit?.components ?? [],
    excerpt: hit?.excerpt ?? turn.text,
    before: before === null ? null : headToTurn(engine, before),
    after: after === null ? null : headToTurn(engine, after),
  }
}
