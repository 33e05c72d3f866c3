import { parentOf } from '../../src/domain/neighbours/room.js'
import type { Fused } from '../../src/domain/rank.js'
import type { Hit } from '../../src/schema/records.js'
import { headCondition, headsAmong } from '../store/heads.js'
import { passageText } from '../store/passages.js'
import { among, sql } from '../store/sql.js'
import { headToRow } from '../store/versions.js'
import type { CallContext, Engine } from './context.js'
import type { Besides, SearchInput } from './search.js'

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
    const row = headToRow(head, engine.store.book.scopeOf(head.identity))
    return [{ ...row, score, components, boost, prior: 1, excerpt, ...parentOf(head.body) }]
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
