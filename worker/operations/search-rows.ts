import { parentOf } from '../../src/domain/neighbours/room.js'
import { type Fused, favour } from '../../src/domain/rank.js'
import type { Hit, SearchExplanation } from '../../src/schema/records.js'
import { headCondition, headsAmong } from '../store/heads.js'
import { passageText } from '../store/passages.js'
import { among, sql } from '../store/sql.js'
import { boostsOf } from '../store/usage.js'
import { headToRow } from '../store/versions.js'
import type { CallContext, Engine } from './context.js'
import type { Besides, SearchInput } from './search.js'

/** What was found, with a lift for what was of use before. */
export const lifted = (
  { store }: Engine,
  { acceptedAt }: CallContext,
  identities: readonly number[],
  found: readonly Fused[],
): readonly Fused[] => {
  const memories = found.map(({ memory }) => memory)
  return favour(found, boostsOf(store.db, memories, identities, acceptedAt))
}

export const readHits = (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  identities: readonly number[],
  fused: readonly Fused[],
  besides: Besides,
): readonly Hit[] => {
  const { db } = engine.store
  const page = fused.slice(input.offset, input.offset + input.limit)
  const heads = headsAmong(
    db,
    page.map(({ memory }) => memory),
    identities,
    input,
    context.acceptedAt,
  )
  const byMemory = new Map(heads.map((head) => [head.memory, head]))
  return page.flatMap(({ memory, passage, score, components, boost }) => {
    const earlier = besides.hit(memory, passage)
    const head = earlier?.head ?? byMemory.get(memory)
    if (head === undefined) return []
    const excerpt = earlier?.excerpt ?? passageText(db, passage, head)
    return [
      {
        ...headToRow(head, engine.store.book.scopeOf(head.identity)),
        score,
        components,
        boost,
        excerpt,
        ...parentOf(head.body),
      },
    ]
  })
}

/** Whether there is anything to find at all, whatever the filters narrow it to. */
export const servesAnything = (
  engine: Engine,
  context: CallContext,
  identities: readonly number[],
  { includeDuplicates, includeSuperseded, includeProposed }: SearchInput,
): boolean => {
  const statuses = { includeDuplicates, includeSuperseded, includeProposed }
  const condition = headCondition(identities, statuses, context.acceptedAt, 'exact')
  return engine.store.db.get(sql`select 1 from heads h where ${condition} limit 1`) !== undefined
}

export const excludedByScope = (engine: Engine, identities: readonly number[]): number =>
  engine.store.db.get<{ n: number }>(sql`select count(*) as n from heads where identity not in ${among(identities)}`)?.n ?? 0

export const nearMisses = (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  identities: readonly number[],
  near: readonly { memory: number; score: number }[],
  floor: number,
): SearchExplanation['nearMisses'] => {
  const below = new Map(near.filter(({ score }) => score < floor).map(({ memory, score }) => [memory, score]))
  return headsAmong(engine.store.db, [...below.keys()].slice(0, 5), identities, input, context.acceptedAt)
    .map((head) => ({ key: head.body.key, id: head.memoryId, similarity: below.get(head.memory) ?? 0 }))
    .sort((a, b) => b.similarity - a.similarity)
}
