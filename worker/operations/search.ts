import { floorOf } from '../../src/domain/calibration.js'
import { lexicalQuery, MAX_QUERY_LENGTH } from '../../src/domain/lexical.js'
import { HIDDEN_FROM_UNFILTERED } from '../../src/domain/memory-type.js'
import { agreementOf, type Fused, fuse, type LegResult } from '../../src/domain/rank.js'
import { resolve } from '../../src/domain/scope.js'
import { MemoryError } from '../../src/protocol/errors.js'
import type { AbstainCode, Hit, SearchExplanation, SearchResult } from '../../src/schema/records.js'
import { type HeadFilter, headCondition, headsAmong, memoriesEnded, memoriesMatching } from '../store/heads.js'
import { passagesWithWords, passageText } from '../store/passages.js'
import { among, sql } from '../store/sql.js'
import { headToRow } from '../store/versions.js'
import type { CallContext, Engine } from './context.js'

/** Candidates each leg brings to the fusion, at the least. */
const CANDIDATES = 50

/** Weights of the two legs in the fusion. */
const WEIGHTS = { vector: 1, lexical: 1.2 } as const

export interface SearchInput extends HeadFilter {
  readonly query: string
  readonly legs?: readonly ('vector' | 'lexical')[] | undefined
  readonly limit: number
  readonly offset: number
  readonly explain: boolean
}

const WHY: { readonly [Code in AbstainCode]: string } = {
  empty_query: 'The query has no words to look for.',
  nothing_stored: 'Nothing that could be found is stored in this scope.',
  nothing_close: 'Nothing that is stored fits the query.',
  all_filtered: 'Something is stored, but the filters leave nothing of it.',
}

/** What fits a query, by meaning and by words, or an honest nothing. */
export const search = async (engine: Engine, context: CallContext, input: SearchInput): Promise<SearchResult> => {
  const { db } = engine.store
  const advisories =
    input.query.length > MAX_QUERY_LENGTH
      ? [`Only the first ${MAX_QUERY_LENGTH} characters of the query were looked at.`]
      : []
  const words = lexicalQuery(input.query)
  if (words === null) return abstain(context, 'empty_query', advisories)

  const started = performance.now()
  const { vector, degraded } = await embedQuery(engine, context, input)
  const embedded = performance.now()

  const identities = engine.store.book.visible(context.scope, input.tiers).map(({ identity }) => identity)
  if (!servesAnything(engine, context, identities, input)) return abstain(context, 'nothing_stored', advisories)
  const near = vector === null ? [] : nearest(engine, context, input, identities, vector)
  const floor = floorOf(engine.store.embedder.calibration)
  const vectored = performance.now()
  const worded = wanted(input, 'lexical') ? withWords(engine, context, input, identities, words.expression) : []
  const lexical = performance.now()

  const close = near.filter(({ score }) => score >= floor)
  const legs: LegResult[] = [
    { leg: 'vector', weight: WEIGHTS.vector, found: close },
    { leg: 'lexical', weight: WEIGHTS.lexical, found: words.onlyStopWords && close.length === 0 ? [] : worded },
  ]
  const fused = fuse(legs)
  const hits = readHits(engine, context, input, identities, fused)
  engine.noteRecalled(fused.slice(input.offset, input.offset + hits.length).map(({ memory }) => memory))
  const explained = input.explain
    ? {
        explain: {
          embedder: vector === null ? null : engine.store.embedder.id,
          scan: engine.store.resident.matrix.kind,
          thresholds: { vector: floor },
          candidates: { vector: near.length, lexical: worded.length },
          milliseconds: {
            embed: embedded - started,
            vector: vectored - embedded,
            lexical: lexical - vectored,
            rows: performance.now() - lexical,
          },
          scopeExcluded: excludedByScope(engine, identities),
          nearMisses: nearMisses(engine, context, input, identities, near, floor),
        },
      }
    : {}
  if (fused.length === 0) {
    const filtered = hasFilter(input) && memoriesMatching(db, identities, input, context.acceptedAt).size === 0
    return { ...abstain(context, filtered ? 'all_filtered' : 'nothing_close', advisories), degraded, ...explained }
  }
  return {
    hits,
    abstained: false,
    confidence: confidenceOf(legs, floor),
    routeAgreement: agreementOf(legs),
    degraded,
    advisories,
    scope: resolve(context.scope),
    ...explained,
  }
}

const abstain = (context: CallContext, code: AbstainCode, advisories: readonly string[]): SearchResult => ({
  hits: [],
  abstained: true,
  abstainCode: code,
  reason: WHY[code],
  confidence: 0,
  routeAgreement: 0,
  degraded: [],
  advisories,
  scope: resolve(context.scope),
})

const wanted = (input: SearchInput, leg: 'vector' | 'lexical'): boolean => input.legs?.includes(leg) ?? true

/** The query's vector; without one the words still find. */
const embedQuery = async (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
): Promise<{ readonly vector: Float32Array | null; readonly degraded: readonly string[] }> => {
  if (!wanted(input, 'vector')) return { vector: null, degraded: [] }
  try {
    const text = input.query.slice(0, MAX_QUERY_LENGTH)
    let asked = await engine.ladder.embed([text], context.signal)
    // Another embedder may have begun to answer while this one was thinking: only its own vectors may be compared with it.
    while (asked.embedder !== engine.store.embedder.number) asked = await engine.ladder.embed([text], context.signal)
    return { vector: asked.vectors[0] ?? null, degraded: [] }
  } catch (error) {
    if (error instanceof MemoryError && error.code === 'EMBEDDING_FAILED') return { vector: null, degraded: ['vector'] }
    throw error
  }
}

const hasFilter = (input: SearchInput): boolean =>
  [input.keyPrefix, input.type, input.tags, input.sourceClass, input.minConfidence].some((given) => given !== undefined) ||
  [input.includeDuplicates, input.includeSuperseded, input.includeProposed].includes(true)

const limitOf = (input: SearchInput): number => Math.max(CANDIDATES, 2 * (input.offset + input.limit))

const hiddenTypes = (input: SearchInput): readonly string[] => (input.type === undefined ? HIDDEN_FROM_UNFILTERED : [])

const nearest = (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  identities: readonly number[],
  vector: Float32Array,
) => {
  const { db, resident } = engine.store
  const readable = new Set(identities)
  const filtered = hasFilter(input) ? memoriesMatching(db, identities, input, context.acceptedAt) : null
  const ended = memoriesEnded(db, identities, context.acceptedAt)
  const allows =
    filtered === null
      ? (memory: number, identity: number) => readable.has(identity) && resident.isOffered(memory) && !ended.has(memory)
      : (memory: number, identity: number) => readable.has(identity) && filtered.has(memory)
  return resident.matrix
    .nearest(vector, limitOf(input), allows)
    .map(({ memory, passage, similarity }) => ({ memory, passage, score: similarity }))
}

const withWords = (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  identities: readonly number[],
  expression: string,
) =>
  passagesWithWords(engine.store.db, expression, identities, input, hiddenTypes(input), {
    nowMs: context.acceptedAt,
    limit: limitOf(input),
    embedder: engine.store.embedder.number,
  })

const readHits = (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  identities: readonly number[],
  fused: readonly Fused[],
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
  return page.flatMap(({ memory, passage, score, components }) => {
    const head = byMemory.get(memory)
    if (head === undefined) return []
    const excerpt = passageText(db, passage, head)
    return [{ ...headToRow(head, engine.store.book.scopeOf(head.identity)), score, components, excerpt }]
  })
}

const confidenceOf = (legs: readonly LegResult[], floor: number): number => {
  const cosine = legs.find(({ leg }) => leg === 'vector')?.found[0]?.score ?? 0
  const worded = (legs.find(({ leg }) => leg === 'lexical')?.found.length ?? 0) > 0
  return Math.max(0, Math.min(1, worded ? Math.max(cosine, floor) : cosine))
}

/** Whether there is anything to find at all, whatever the filters narrow it to. */
const servesAnything = (
  engine: Engine,
  context: CallContext,
  identities: readonly number[],
  { includeDuplicates, includeSuperseded, includeProposed }: SearchInput,
): boolean => {
  const statuses = { includeDuplicates, includeSuperseded, includeProposed }
  const condition = headCondition(identities, statuses, context.acceptedAt, 'exact')
  return engine.store.db.get(sql`select 1 from heads h where ${condition} limit 1`) !== undefined
}

const excludedByScope = (engine: Engine, identities: readonly number[]): number =>
  engine.store.db.get<{ n: number }>(sql`select count(*) as n from heads where identity not in ${among(identities)}`)?.n ?? 0

const nearMisses = (
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
