import { textOf } from '../../../src/domain/canonical.js'
import { parentOf } from '../../../src/domain/neighbours/room.js'
import { agreementOf } from '../../../src/domain/rank.js'
import type { LegWeights } from '../../../src/domain/search/fusion.js'
import type { Hit, LegComponent } from '../../../src/schema/records.js'
import { passageText } from '../../store/passages.js'
import { usageAmong } from '../../store/usage.js'
import { headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import type { SearchInput } from '../search.js'
import type { Ranked } from './order.js'
import type { Ranking } from './ranking.js'

type Leg = LegComponent['leg']

const LEGS: readonly Leg[] = ['vector', 'lexical', 'entity', 'time']

/** As a rule for texts in English. */
const CHARACTERS_A_TOKEN = 4

/** A page of the ranking as rows that explain themselves. */
export const readHits = (
  engine: Engine,
  { acceptedAt }: CallContext,
  input: SearchInput,
  identities: readonly number[],
  { ranked, weights, heads, paths }: Ranking,
): readonly Hit[] => {
  const { db, book } = engine.store
  const places = new Map(LEGS.map((leg) => [leg, placesIn(ranked, leg)]))
  let room = (input.maxTokens ?? Number.POSITIVE_INFINITY) * CHARACTERS_A_TOKEN
  const page = ranked.slice(input.offset, input.offset + input.limit)
  const used = usageAmong(
    db,
    page.map(({ memory }) => memory),
    identities,
    acceptedAt,
  )
  return page.flatMap((one) => {
    const head = heads.get(one.memory)
    if (head === undefined) return []
    const { length } = textOf(head.body.value)
    if (length > room) return []
    room -= length
    const { score, boost, prior } = one
    const components = LEGS.flatMap((leg) => {
      const rank = places.get(leg)?.get(one.memory)
      return rank === undefined ? [] : [{ leg, rank, score: scoreOf(one, leg), weight: weightOf(weights, leg) }]
    })
    const row = headToRow(head, book.scopeOf(head.identity))
    const path = paths.get(one.memory)
    const usage = used.get(one.memory)
    return [
      {
        ...row,
        score,
        components,
        boost,
        prior,
        excerpt: passageText(db, one.passage, head),
        ...parentOf(head.body),
        ...(path === undefined ? {} : { viaPath: path }),
        ...(usage === undefined ? {} : { usage: { helped: usage.helped, harmed: usage.harmed, uses: usage.uses } }),
      },
    ]
  })
}

const scoreOf = ({ raw, evidence }: Ranked, leg: Leg): number =>
  leg === 'vector' || leg === 'lexical' ? raw[leg] : leg === 'entity' ? evidence.about : (evidence.timely ?? 0)

const weightOf = (weights: LegWeights, leg: Leg): number => weights[leg]

const worthOf = (one: Ranked, leg: Leg): number => (leg === 'vector' ? one.evidence.nearness : scoreOf(one, leg))

/** Ranks of those that a leg says something of. */
const placesIn = (ranked: readonly Ranked[], leg: Leg): ReadonlyMap<number, number> =>
  new Map(
    ranked
      .filter((one) => (leg === 'entity' ? one.evidence.about !== 0 : worthOf(one, leg) > 0))
      .sort((a, b) => worthOf(b, leg) - worthOf(a, leg) || a.memory - b.memory)
      .map(({ memory }, i) => [memory, i + 1]),
  )

/** How far meaning and words name the same memories first. */
export const routesOf = (ranked: readonly Ranked[]): number =>
  agreementOf(
    (['vector', 'lexical'] as const).map((leg) => ({
      leg,
      weight: 1,
      found: [...placesIn(ranked, leg).keys()].map((memory) => ({ memory, passage: 0, score: 0 })),
    })),
  )
