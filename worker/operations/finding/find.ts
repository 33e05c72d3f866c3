import { floorOf } from '../../../src/domain/calibration.js'
import { lexicalQuery, MAX_QUERY_LENGTH } from '../../../src/domain/lexical.js'
import { resolve } from '../../../src/domain/scope.js'
import { fuseEvidence, LEG_WEIGHTS, type LegWeights } from '../../../src/domain/search/fusion.js'
import { confidenceIn, LEAST_CONFIDENCE } from '../../../src/domain/search/gate.js'
import { priorOf } from '../../../src/domain/search/priors.js'
import { asksForNow, type TimeWindow } from '../../../src/domain/search/time.js'
import type { Hit, LegComponent, SearchResult, SourceClass } from '../../../src/schema/records.js'
import { headsAmong } from '../../store/heads.js'
import { passageText } from '../../store/passages.js'
import { boostsOf } from '../../store/usage.js'
import { headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { abstain, type SearchInput, wanted } from '../search.js'
import { servesAnything } from '../search-rows.js'
import { type Known, unrelatedOf, weighCandidates } from './evidence.js'
import { explanationOf } from './explain.js'
import { type Gathered, gather } from './legs.js'
import { newerFirst, type Ranked } from './order.js'

/** Reads the time that a query names, relative to a moment. */
export type ReadTime = (query: string, now: number) => TimeWindow | null

/** What finds by all legs: loaded with the first search. */
export interface Finder {
  readonly find: (engine: Engine, context: CallContext, input: SearchInput) => Promise<SearchResult>
}

export const createFinder = (readTime: ReadTime): Finder => ({
  find: async (engine, context, input) => {
    const advisories =
      input.query.length > MAX_QUERY_LENGTH
        ? [`Only the first ${MAX_QUERY_LENGTH} characters of the query were looked at.`]
        : []
    const query = input.query.slice(0, MAX_QUERY_LENGTH)
    if (lexicalQuery(query) === null) return abstain(context, 'empty_query', advisories)
    const gathered = await gather(engine, context, input, readTime(query, input.now ?? context.acceptedAt))
    const begun = performance.now()
    if (!servesAnything(engine, context, gathered.identities, input)) return abstain(context, 'nothing_stored', advisories)
    const known = weighCandidates(engine, gathered)
    const ranked = rank(engine, context, input, gathered, known)
    const confidence = confidenceOf(engine, input, gathered, known, ranked)
    const least = input.minConfidence === 0 ? 0 : LEAST_CONFIDENCE
    const code =
      ranked.length === 0
        ? known.evidence.size > 0 || gathered.nearest > 0
          ? 'all_filtered'
          : 'nothing_close'
        : confidence < least
          ? 'nothing_close'
          : null
    const hits = code === null ? readHits(engine, context, input, gathered, ranked) : []
    engine.noteRecalled(
      hits.length === 0 ? [] : ranked.slice(input.offset, input.offset + hits.length).map(({ memory }) => memory),
    )
    const explain = input.explain ? { explain: explanationOf(engine, context, input, gathered, ranked, least, begun) } : {}
    const { degraded } = gathered
    if (code !== null) return { ...abstain(context, code, advisories), confidence, degraded, ...explain }
    return {
      hits,
      abstained: false,
      confidence,
      routeAgreement: agreementOf(ranked),
      degraded,
      advisories,
      scope: resolve(context.scope),
      ...explain,
    }
  },
})

const weightsOf = (input: SearchInput, { mostWords, worded }: Gathered): LegWeights => ({
  ...LEG_WEIGHTS,
  vector: wanted(input, 'vector') ? LEG_WEIGHTS.vector : 0,
  // Where the best that words find is a small part of what was asked for, the same words elsewhere are chance.
  lexical: worded.asked === 0 ? 0 : LEG_WEIGHTS.lexical * Math.min(1, 0.5 + mostWords / worded.asked),
})

/** Candidates in order: what the legs say together, moved a little by what is known of each memory. */
const rank = (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  gathered: Gathered,
  { evidence, facts, nearest }: Known,
): readonly Ranked[] => {
  const weights = weightsOf(input, gathered)
  const scores = fuseEvidence(evidence, weights)
  const zero = unrelatedOf(engine.store.embedder.calibration)
  const standing = [...facts.values()].filter(({ memory }) => {
    const one = evidence.get(memory)
    return one !== undefined && ((scores.get(memory) ?? 0) > 0.05 || one.words > 0 || one.nearness > 0.1)
  })
  const boosts = boostsOf(
    engine.store.db,
    standing.map(({ memory }) => memory),
    gathered.identities,
    context.acceptedAt,
  )
  const times = asksForNow(input.query) ? standing.map(({ at }) => at) : []
  const [oldest, newest] = [Math.min(...times), Math.max(...times)]
  const ranked = standing.map((fact): Ranked => {
    const { memory } = fact
    const one = evidence.get(memory) as NonNullable<ReturnType<typeof evidence.get>>
    const near = nearest.get(memory)
    const boost = boosts.get(memory) ?? 0
    const prior = priorOf({
      sourceClass: fact.source_class as SourceClass,
      confidence: fact.confidence,
      sensitivity: 'none',
      isAttested: false,
      boost,
      age: times.length === 0 || newest === oldest ? null : (newest - fact.at) / (newest - oldest),
    })
    const score = (scores.get(memory) ?? 0) * prior
    const raw = { vector: near?.similarity ?? zero, lexical: gathered.worded.scores.get(memory) ?? 0 }
    const byWords = gathered.worded.passages.get(memory)
    const passage =
      one.words * weights.lexical >= one.nearness * weights.vector ? (byWords ?? near?.passage) : (near?.passage ?? byWords)
    return { memory, passage: passage ?? 0, slot: near?.slot ?? null, score, prior, boost, at: fact.at, evidence: one, raw }
  })
  ranked.sort((a, b) => b.score - a.score || a.memory - b.memory)
  return newerFirst(engine, input.query, ranked)
}

/** How well the best of the answer is grounded, in words and in meaning. */
const confidenceOf = (
  engine: Engine,
  input: SearchInput,
  { worded, asked, degraded, mostWords, nearest, vector }: Gathered,
  _known: Known,
  ranked: readonly Ranked[],
): number => {
  if (ranked.length === 0) return 0
  const isUnknown =
    asked.names.size === 0 && asked.strangers.length > 0 && asked.strangers.every((span) => !isHeard(worded, span.name))
  const grounds = {
    coverage: wanted(input, 'lexical') && worded.asked > 0 ? mostWords / worded.asked : null,
    cosine: vector === null || degraded.length > 0 ? null : nearest,
    isUnknown,
  }
  return confidenceIn(grounds, engine.store.embedder.calibration)
}

/** Whether any memory has a word of a name. */
const isHeard = ({ holders }: Gathered['worded'], name: string): boolean =>
  name
    .split(' ')
    .some((word) => [...holders].some(([term, memories]) => memories.size > 0 && term.toLowerCase().startsWith(`"${word}`)))

const agreementOf = (ranked: readonly Ranked[]): number => {
  const top = (leg: 'vector' | 'lexical'): readonly number[] =>
    [...ranked]
      .sort((a, b) => b.raw[leg] - a.raw[leg])
      .slice(0, 5)
      .filter(({ raw }) => raw[leg] > 0)
      .map(({ memory }) => memory)
  const [first, second] = [top('vector'), top('lexical')]
  const size = Math.min(first.length, second.length)
  return size === 0 ? 0 : first.filter((memory) => second.includes(memory)).length / size
}

const readHits = (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  gathered: Gathered,
  ranked: readonly Ranked[],
): readonly Hit[] => {
  const { db, book } = engine.store
  const page = ranked.slice(input.offset, input.offset + input.limit)
  const heads = headsAmong(
    db,
    page.map(({ memory }) => memory),
    gathered.identities,
    input,
    context.acceptedAt,
  )
  const byMemory = new Map(heads.map((head) => [head.memory, head]))
  const places = placesIn(ranked)
  return page.flatMap((one) => {
    const head = byMemory.get(one.memory)
    if (head === undefined) return []
    const { score, boost, prior } = one
    const components = componentsOf(one, places, weightsOf(input, gathered))
    return [
      {
        ...headToRow(head, book.scopeOf(head.identity)),
        score,
        components,
        boost,
        prior,
        excerpt: passageText(db, one.passage, head),
      },
    ]
  })
}

type Places = Readonly<Record<'vector' | 'lexical', ReadonlyMap<number, number>>>

const placesIn = (ranked: readonly Ranked[]): Places => {
  const by = (leg: 'vector' | 'lexical') =>
    new Map(
      [...ranked].sort((a, b) => b.raw[leg] - a.raw[leg] || a.memory - b.memory).map(({ memory }, i) => [memory, i + 1]),
    )
  return { vector: by('vector'), lexical: by('lexical') }
}

const componentsOf = ({ memory, raw, evidence }: Ranked, places: Places, weights: LegWeights): readonly LegComponent[] => [
  ...(evidence.nearness > 0 && weights.vector > 0
    ? [{ leg: 'vector' as const, rank: places.vector.get(memory) ?? 0, score: raw.vector, weight: weights.vector }]
    : []),
  ...(raw.lexical > 0
    ? [{ leg: 'lexical' as const, rank: places.lexical.get(memory) ?? 0, score: raw.lexical, weight: weights.lexical }]
    : []),
  ...(evidence.about === 0 ? [] : [{ leg: 'entity' as const, rank: 1, score: evidence.about, weight: weights.entity }]),
  ...(evidence.timely === null ? [] : [{ leg: 'time' as const, rank: 1, score: evidence.timely, weight: weights.time }]),
]

export const floorFor = (engine: Engine): number => floorOf(engine.store.embedder.calibration)
