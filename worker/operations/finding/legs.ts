import { MAX_QUERY_LENGTH, queryTerms } from '../../../src/domain/lexical.js'
import { HIDDEN_FROM_UNFILTERED } from '../../../src/domain/memory-type.js'
import { inFirstPerson, without } from '../../../src/domain/search/names.js'
import type { TimeWindow } from '../../../src/domain/search/time.js'
import type { Sql } from '../../ports.js'
import { countOf, memoriesAbout, memoriesDated } from '../../store/finding.js'
import { type HeadFilter, headCondition, memoriesEnded, memoriesMatching } from '../../store/heads.js'
import { among, join, sql } from '../../store/sql.js'
import type { Store } from '../../store/store.js'
import type { CallContext, Engine } from '../context.js'
import { embedQuery, hasFilter, type SearchInput, wanted } from '../search.js'
import { type Graph, graphOf } from './graph.js'
import { type Asked, readNames } from './names.js'
import { findWords, type Worded } from './words.js'

/** Passages and memories each leg brings, at the least. */
const CANDIDATES = 60

/** Found where it is asked for. */
const DIGEST = '~digest'

/** What is named by half of what is about somebody is a name that others say; a speaker's own memories hardly have it. */
const SPEAKS_BELOW = 0.5

/** Memories about somebody that are looked at to tell whether that one speaks in them. */
const SAMPLE = 20

/** What was looked for and what was found, before it is put in order. */
export interface Gathered {
  readonly identities: readonly number[]
  /** On `heads h`: what the handle reads, and what of it a search without filters may answer with. */
  readonly scope: Sql
  readonly offered: Sql
  /** What the filters leave of it; null where there are none. */
  readonly matching: ReadonlySet<number> | null
  readonly asked: Asked
  readonly graph: Graph
  readonly worded: Worded
  readonly onlyStopWords: boolean
  /** How many the handle reads. */
  readonly memories: number
  readonly vector: Float32Array | null
  readonly degraded: readonly string[]
  /** The nearest that the filters leave, best first, and the nearest of the scope. */
  readonly near: readonly { readonly memory: number; readonly passage: number; readonly similarity: number }[]
  readonly nearest: number
  readonly mostWords: number
  /**
   * Also those that the filters leave out, as far as they would be found without: so what is kept stands in the order in which it would stand then.
   */
  readonly candidates: readonly number[]
  readonly window: TimeWindow | null
  readonly milliseconds: {
    readonly embed: number
    readonly vector: number
    readonly lexical: number
    readonly entity: number
  }
}

/** Asks every leg, with the filters inside. */
export const gather = async (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  window: TimeWindow | null,
): Promise<Gathered> => {
  const { store } = engine
  const { db, resident } = store
  const identities = store.book.visible(context.scope, input.tiers).map(({ identity }) => identity)
  const readable = new Set(identities)
  const isReadable = (identity: number): boolean => readable.has(identity)
  const scope = headCondition(identities, {}, context.acceptedAt, 'exact')
  const filtered = join([headCondition(identities, input, context.acceptedAt, 'exact'), shownTypes(input)], ' and ')
  const offered = join([headCondition(identities, plain(input), context.acceptedAt, 'exact'), shownTypes(input)], ' and ')

  const started = performance.now()
  const query = input.query.slice(0, MAX_QUERY_LENGTH)
  const timeless = window === null ? query : without(query, [window])
  const asked = readNames(store, timeless, scope)
  const all = queryTerms(timeless)
  const nameTerms = queryTerms(asked.spans.map(({ start, end }) => timeless.slice(start, end)).join(' ')).terms
  const named = performance.now()

  const memories = countFor(store, identities)
  const byName = wanted(input, 'lexical') || asked.names.size > 0 ? findWords(store, nameTerms, memories, isReadable) : null
  const speaks = asked.names.size > 0 && byName !== null && areSpeaking(engine, asked, byName, scope)
  const terms = speaks ? queryTerms(without(timeless, asked.spans)) : all
  const isAsked = wanted(input, 'lexical') && !(terms.onlyStopWords && speaks)
  const worded = findWords(store, isAsked ? terms.terms : [], memories, isReadable)
  const lexical = performance.now()

  const text = speaks && asked.spans.length > 0 ? inFirstPerson(timeless, asked.spans) : timeless
  const { vector, degraded } = await embedQuery(engine, context, input, text)
  const embedded = performance.now()

  // Everything below reads one state of the store: nothing waits any more.
  const limit = Math.max(CANDIDATES, 2 * (input.offset + input.limit))
  const ended = memoriesEnded(db, identities, context.acceptedAt)
  const { type } = input
  // Of a type that searches leave out unless it is named, all that there is is compared.
  const hidden =
    type !== undefined && HIDDEN_FROM_UNFILTERED.includes(type)
      ? memoriesMatching(db, identities, { type }, context.acceptedAt)
      : null
  const digests =
    type === undefined && wanted(input, 'digest')
      ? memoriesMatching(db, identities, { type: DIGEST }, context.acceptedAt)
      : null
  const isOffered = (memory: number): boolean =>
    (hidden === null ? resident.isOffered(memory) || digests?.has(memory) === true : hidden.has(memory)) &&
    !ended.has(memory)
  const inScope = (memory: number, identity: number): boolean => readable.has(identity) && isOffered(memory)
  const matching = hasFilter(input) ? memoriesMatching(db, identities, input, context.acceptedAt, shownTypes(input)) : null
  const passes = (memory: number): boolean => (matching === null ? isOffered(memory) : matching.has(memory))
  const near =
    vector === null
      ? []
      : resident.matrix.nearest(vector, limit, (memory, identity) => readable.has(identity) && passes(memory))
  const wide = vector !== null && matching !== null ? resident.matrix.nearest(vector, limit, inScope) : near
  const vectored = performance.now()

  let mostWords = 0
  for (const [memory, score] of worded.scores) if (score > mostWords && isOffered(memory)) mostWords = score
  const byWords = [...worded.scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([memory]) => memory)
  const graph = graphOf(store, asked, scope, (memory) => worded.scores.has(memory))
  const besides = (condition: Sql): readonly number[] => [
    ...(wanted(input, 'entity') ? memoriesAbout(db, [...asked.names], condition, input.offset + input.limit) : []),
    ...(wanted(input, 'entity') ? graph.memories(condition, CANDIDATES) : []),
    ...(window === null ? [] : memoriesDated(db, window.from, window.to, condition, CANDIDATES)),
  ]
  const candidates = new Set([
    ...[...near, ...wide].map(({ memory }) => memory),
    ...byWords.filter(passes).slice(0, limit),
    ...besides(filtered),
    ...(matching === null ? [] : [...byWords.filter(isOffered).slice(0, limit), ...besides(offered)]),
  ])
  return {
    identities,
    scope,
    offered,
    matching,
    asked,
    graph,
    worded,
    onlyStopWords: terms.onlyStopWords,
    memories,
    vector,
    degraded,
    near,
    nearest: Math.max(wide[0]?.similarity ?? 0, near[0]?.similarity ?? 0),
    mostWords,
    candidates: [...candidates],
    window,
    milliseconds: {
      entity: named - started,
      lexical: lexical - named + (performance.now() - vectored),
      embed: embedded - lexical,
      vector: vectored - embedded,
    },
  }
}

/** Counting takes as long as there are memories: once after each write. */
const counts = new WeakMap<Store, { readonly state: string; readonly count: number }>()

const countFor = (store: Store, identities: readonly number[]): number => {
  const state = `${store.counters.dseq} ${store.counters.ver} ${identities.join()}`
  const known = counts.get(store)
  if (known?.state === state) return known.count
  const count = countOf(store.db, identities)
  counts.set(store, { state, count })
  return count
}

/** The input without its filters. A type that is found by its name alone is what the search is about. */
export const plain = ({ type, includeDuplicates, includeSuperseded, includeProposed }: SearchInput): HeadFilter => ({
  ...(type !== undefined && HIDDEN_FROM_UNFILTERED.includes(type) ? { type } : {}),
  includeDuplicates,
  includeSuperseded,
  includeProposed,
})

/** Types that only a search for that type finds. */
const shownTypes = (input: SearchInput): Sql =>
  input.type === undefined
    ? sql`h.type not in ${among(HIDDEN_FROM_UNFILTERED.filter((type) => type !== DIGEST || !wanted(input, 'digest')))}`
    : sql`true`

/** Whether those who are named speak in the memories about them, which then do not name them. */
const areSpeaking = ({ store }: Engine, { names }: Asked, byName: Worded, scope: Sql): boolean => {
  const own = memoriesAbout(store.db, [...names], scope, SAMPLE)
  const naming = own.filter((memory) => byName.scores.has(memory)).length
  return own.length > 0 && naming < SPEAKS_BELOW * own.length
}
