import { lexicalQuery, MAX_QUERY_LENGTH, queryTerms } from '../../../src/domain/lexical.js'
import { mentionName } from '../../../src/domain/mention.js'
import { resolve } from '../../../src/domain/scope.js'
import { confidenceIn, isInKey, LEAST_CONFIDENCE } from '../../../src/domain/search/gate.js'
import { without } from '../../../src/domain/search/names.js'
import type { TimeWindow } from '../../../src/domain/search/time.js'
import type { AbstainCode, SearchResult } from '../../../src/schema/records.js'
import type { Sql } from '../../ports.js'
import { namingCondition, sourceCondition } from '../../store/finding.js'
import { join } from '../../store/sql.js'
import type { CallContext, Engine } from '../context.js'
import { abstain, type SearchInput, wanted } from '../search.js'
import { servesAnything } from '../search-rows.js'
import { explanationOf } from './explain.js'
import { readHits, routesOf } from './hits.js'
import { type Gathered, gather } from './legs.js'
import { type Ranking, rankCandidates } from './ranking.js'

/** Reads the time that a query names, relative to a moment. */
export type ReadTime = (query: string, now: number) => TimeWindow | null

/** What finds by all legs: loaded with the first search. */
export interface Finder {
  readonly find: (engine: Engine, context: CallContext, input: SearchInput) => Promise<SearchResult>
}

export const createFinder = (readTime: ReadTime): Finder => ({
  find: async (engine, context, given) => {
    const input = { ...given, also: conditionOf(given) }
    const advisories =
      input.query.length > MAX_QUERY_LENGTH
        ? [`Only the first ${MAX_QUERY_LENGTH} characters of the query were looked at.`]
        : []
    const query = input.query.slice(0, MAX_QUERY_LENGTH)
    if (lexicalQuery(query) === null) return abstain(context, 'empty_query', advisories)
    const gathered = await gather(engine, context, input, readTime(query, input.now ?? context.acceptedAt))
    const begun = performance.now()
    if (!servesAnything(engine, context, gathered.identities, input)) return abstain(context, 'nothing_stored', advisories)
    const ranking = rankCandidates(engine, context, input, gathered)
    const { ranked } = ranking
    const confidence = confidenceOf(engine, input, gathered, ranking)
    const least = input.minConfidence === 0 ? 0 : LEAST_CONFIDENCE
    const code = codeOf(gathered, ranking, confidence, least)
    const { degraded } = gathered
    const explain = input.explain ? { explain: explanationOf(engine, context, input, gathered, ranked, least, begun) } : {}
    if (code !== null) return { ...abstain(context, code, advisories), confidence, degraded, ...explain }
    const hits = readHits(engine, context, input, gathered.identities, ranking)
    engine.noteRecalled(ranked.slice(input.offset, input.offset + hits.length).map(({ memory }) => memory))
    return {
      hits,
      abstained: false,
      confidence,
      routeAgreement: routesOf(ranked),
      degraded,
      advisories,
      scope: resolve(context.scope),
      ...explain,
    }
  },
})

/** What is asked beside the filters of every read. */
const conditionOf = ({ entities = [], files = [], legs }: SearchInput): Sql | undefined => {
  const has = (leg: 'chunk' | 'digest'): boolean => legs?.includes(leg) ?? false
  const only = legs?.every((leg) => leg === 'chunk' || leg === 'digest') ?? false
  const conditions = [
    namingCondition(entities.map(mentionName), files),
    only ? sourceCondition({ chunk: has('chunk'), digest: has('digest') }) : undefined,
  ].filter((condition) => condition !== undefined)
  return conditions.length === 0 ? undefined : join(conditions, ' and ')
}

/** Why nothing is answered, or null. */
const codeOf = (
  gathered: Gathered,
  { ranked, isOthers }: Ranking,
  confidence: number,
  least: number,
): AbstainCode | null => {
  if (ranked.length === 0) return gathered.matching?.size === 0 ? 'all_filtered' : 'nothing_close'
  if (least === 0) return null
  if (confidence < least) return 'nothing_close'
  return isOthers ? 'wrong_subject' : null
}

/** How well the best of the answer is grounded, in words and in meaning. */
const confidenceOf = (engine: Engine, input: SearchInput, gathered: Gathered, { ranked, heads }: Ranking): number => {
  const best = heads.get(ranked[0]?.memory ?? -1)
  if (best === undefined) return 0
  const { worded, asked, mostWords, nearest, vector } = gathered
  const { strangers } = asked
  const grounds = {
    coverage: wanted(input, 'lexical') && worded.asked > 0 ? Math.min(1, mostWords / worded.asked) : null,
    cosine: vector === null ? null : nearest,
    isNamed: isNameAlone(input.query, gathered),
    isKeyed: isInKey(best.body.key, rareWords(gathered)),
    // Whether anybody has heard of a name is known where words were asked.
    isUnknown:
      wanted(input, 'lexical') &&
      asked.names.size === 0 &&
      strangers.length > 0 &&
      !strangers.some(({ name }) => isHeard(gathered, name)),
  }
  return confidenceIn(grounds, engine.store.embedder.calibration)
}

/** Whether a query is the name of somebody who is known, and nothing else: what is about that one is what is wanted. */
const isNameAlone = (query: string, { asked }: Gathered): boolean =>
  asked.names.size > 0 && asked.spans.length === 1 && queryTerms(without(query, asked.spans)).terms.length === 0

/** Words of the query that no more than half of the memories have. */
const rareWords = ({ worded, memories }: Gathered): readonly string[] =>
  [...worded.holders].filter(([, holding]) => holding.size <= Math.max(1, memories / 2)).map(([term]) => term.slice(1, -1))

/** Whether any memory has a word of a name. */
const isHeard = ({ worded }: Gathered, name: string): boolean =>
  name
    .split(' ')
    .some((word) => [...worded.holders].some(([term, memories]) => memories.size > 0 && term.toLowerCase().includes(word)))
