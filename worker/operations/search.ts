import { floorOf } from '../../src/domain/calibration.js'
import { lexicalQuery, MAX_QUERY_LENGTH } from '../../src/domain/lexical.js'
import { HIDDEN_FROM_UNFILTERED } from '../../src/domain/memory-type.js'
import { fuse, type LegResult } from '../../src/domain/rank.js'
import { resolve } from '../../src/domain/scope.js'
import { MemoryError } from '../../src/protocol/errors.js'
import type { AbstainCode, SearchResult } from '../../src/schema/records.js'
import { type HeadFilter, memoriesEnded, memoriesMatching } from '../store/heads.js'
import { passagesWithWords } from '../store/passages.js'
import type { Head } from '../store/versions.js'
import type { CallContext, Engine } from './context.js'
import { readHits, servesAnything } from './search-rows.js'

/** Candidates each leg brings to the fusion, at the least. */
const CANDIDATES = 50

/** Weights of the two legs in the fusion. */
const WEIGHTS = { vector: 1, lexical: 1.2 } as const

export interface SearchInput extends HeadFilter {
  readonly query: string
  readonly legs?: readonly Leg[] | undefined
  readonly limit: number
  readonly offset: number
  readonly entities?: readonly string[] | undefined
  readonly files?: readonly string[] | undefined
  readonly tagsSoft?: readonly string[] | undefined
  readonly tagBoost?: number | undefined
  readonly demoteTags?: readonly string[] | undefined
  readonly maxTokens?: number | undefined
  readonly explain: boolean
  /** What "last month" is counted from; the clock, where it is not given. */
  readonly now?: number | undefined
}

/** A way of finding that may be asked by itself. */
type Leg = 'vector' | 'lexical' | 'entity' | 'chunk' | 'digest'

/** A passage that a leg found. */
interface Found {
  readonly memory: number
  readonly passage: number
  readonly score: number
}

/** What is found beside what the indexes hold: what memories said at an earlier time. */
export interface Besides {
  readonly isEmpty: boolean
  readonly near: (vector: Float32Array, limit: number) => readonly Found[]
  readonly withWords: (expression: string, limit: number) => readonly Found[]
  /** The memory as it was, or null when it is none of these. */
  readonly hit: (memory: number, passage: number) => { readonly head: Head; readonly excerpt: string } | null
}

const NOTHING: Besides = { isEmpty: true, near: () => [], withWords: () => [], hit: () => null }

const WHY: { readonly [Code in AbstainCode]: string } = {
  empty_query: 'The query has no words to look for.',
  nothing_stored: 'Nothing that could be found is stored in this scope.',
  nothing_close: 'Nothing that is stored fits the query.',
  wrong_subject: 'What is stored about this is about somebody else.',
  all_filtered: 'Something is stored, but the filters leave nothing of it.',
}

/**
 * What fits a query, by all legs, or an honest nothing. While what knows more than words and vectors cannot be loaded, and for an earlier
 * time, these two answer.
 */
export const search = async (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  besides = NOTHING,
): Promise<SearchResult> => {
  if (besides !== NOTHING) return searchPlainly(engine, context, input, besides, [])
  const finder = await engine.finder()
  return finder === null ? searchPlainly(engine, context, input, besides, ['search']) : finder.find(engine, context, input)
}

const searchPlainly = async (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  besides: Besides,
  lacking: readonly string[],
): Promise<SearchResult> => {
  const { db } = engine.store
  const advisories: readonly string[] = []
  const words = lexicalQuery(input.query)
  if (words === null) return abstain(context, 'empty_query', advisories)
  const embedded = await embedQuery(engine, context, input, input.query.slice(0, MAX_QUERY_LENGTH))
  const { vector } = embedded
  const degraded = [...embedded.degraded, ...lacking]

  const identities = engine.store.book.visible(context.scope, input.tiers).map(({ identity }) => identity)
  if (besides.isEmpty && !servesAnything(engine, context, identities, input))
    return abstain(context, 'nothing_stored', advisories)
  const near =
    vector === null ? [] : joined(nearest(engine, context, input, identities, vector), besides.near(vector, limitOf(input)))
  const floor = floorOf(engine.store.embedder.calibration)
  const worded = wanted(input, 'lexical')
    ? joined(
        withWords(engine, context, input, identities, words.expression),
        besides.withWords(words.expression, limitOf(input)),
      )
    : []
  const close = near.filter(({ score }) => score >= floor)
  const legs: LegResult[] = [
    { leg: 'vector', weight: WEIGHTS.vector, found: close },
    { leg: 'lexical', weight: WEIGHTS.lexical, found: words.onlyStopWords && close.length === 0 ? [] : worded },
  ]
  const fused = fuse(legs)
  const hits = readHits(engine, context, input, identities, fused, besides)
  engine.noteRecalled(fused.slice(input.offset, input.offset + hits.length).map(({ memory }) => memory))
  if (fused.length === 0) {
    const filtered = hasFilter(input) && memoriesMatching(db, identities, input, context.acceptedAt).size === 0
    return { ...abstain(context, filtered ? 'all_filtered' : 'nothing_close', advisories), degraded }
  }
  return {
    hits,
    abstained: false,
    confidence: confidenceOf(legs, floor),
    routeAgreement: 0,
    degraded,
    advisories,
    scope: resolve(context.scope),
  }
}

export const abstain = (context: CallContext, code: AbstainCode, advisories: readonly string[]): SearchResult => ({
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

/** Whether a leg is asked. Passages and digests are looked for by words and by meaning, where nothing else is said. */
export const wanted = ({ legs }: SearchInput, leg: Leg): boolean =>
  legs === undefined
    ? leg !== 'digest'
    : legs.includes(leg) || (!SOURCES.includes(leg) && legs.every((one) => SOURCES.includes(one)))

const SOURCES: readonly Leg[] = ['chunk', 'digest']

/** The query's vector; without one the words still find. */
export const embedQuery = async (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  text: string,
): Promise<{ readonly vector: Float32Array | null; readonly degraded: readonly string[] }> => {
  if (!wanted(input, 'vector')) return { vector: null, degraded: [] }
  try {
    let asked = await engine.ladder.embed([text], context.signal)
    // Another embedder may have begun to answer while this one was thinking: only its own vectors may be compared with it.
    while (asked.embedder !== engine.store.embedder.number) asked = await engine.ladder.embed([text], context.signal)
    return { vector: asked.vectors[0] ?? null, degraded: [] }
  } catch (error) {
    if (error instanceof MemoryError && error.code === 'EMBEDDING_FAILED') return { vector: null, degraded: ['vector'] }
    throw error
  }
}

const joined = <T extends Found>(found: readonly T[], besides: readonly Found[]): readonly (T | Found)[] =>
  besides.length === 0 ? found : [...found, ...besides].sort((a, b) => b.score - a.score)

export const hasFilter = (input: SearchInput): boolean =>
  [input.keyPrefix, input.type, input.tags, input.sourceClass, input.minConfidence, input.upTo, input.also].some(
    (given) => given !== undefined,
  ) || [input.includeDuplicates, input.includeSuperseded, input.includeProposed].includes(true)

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

const confidenceOf = (legs: readonly LegResult[], floor: number): number => {
  const cosine = legs.find(({ leg }) => leg === 'vector')?.found[0]?.score ?? 0
  const worded = (legs.find(({ leg }) => leg === 'lexical')?.found.length ?? 0) > 0
  return Math.max(0, Math.min(1, worded ? Math.max(cosine, floor) : cosine))
}
