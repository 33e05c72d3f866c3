import { exactness } from '../../../src/domain/search/exact.js'
import { type Evidence, fuseEvidence, LEG_WEIGHTS, type LegWeights, ownScore } from '../../../src/domain/search/fusion.js'
import { priorOf } from '../../../src/domain/search/priors.js'
import { isOthers } from '../../../src/domain/search/subject.js'
import { asksForNow } from '../../../src/domain/search/time.js'
import type { SourceClass } from '../../../src/schema/records.js'
import { taggedAmong } from '../../store/finding.js'
import { headsAmong } from '../../store/heads.js'
import { passageText } from '../../store/passages.js'
import { boostsOf } from '../../store/usage.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { type SearchInput, wanted } from '../search.js'
import { type Known, unrelatedOf, weighCandidates } from './evidence.js'
import { type Gathered, plain } from './legs.js'
import { LOOKED_AT, newerFirst, type Ranked } from './order.js'

/** Evidence below this is none: of a leg, as a share of the best. */
const TRACE = 0.1

/** What a score is worth under a tag that the caller does not want. */
const DEMOTED = 0.5

/** Candidates in order. */
export interface Ranking {
  readonly ranked: readonly Ranked[]
  readonly weights: LegWeights
  readonly paths: Known['paths']
  /** Heads of the first ones. */
  readonly heads: ReadonlyMap<number, Head>
  /** What is asked about one person is known of others only. */
  readonly isOthers: boolean
}

/** Puts candidates in order: by what the legs say together, moved a little by what is known of each memory. */
export const rankCandidates = (engine: Engine, context: CallContext, input: SearchInput, gathered: Gathered): Ranking => {
  const { db } = engine.store
  const weights: LegWeights = {
    ...LEG_WEIGHTS,
    vector: wanted(input, 'vector') ? LEG_WEIGHTS.vector : 0,
    lexical: gathered.worded.asked === 0 ? 0 : LEG_WEIGHTS.lexical,
  }
  const known = weighCandidates(engine, gathered)
  const scores = fuseEvidence(known.evidence, weights)
  const candidates = [...known.facts.values()].flatMap((fact) => {
    const one = known.evidence.get(fact.memory)
    return one !== undefined && isFound(one, scores.get(fact.memory) ?? 0) ? [{ fact, one }] : []
  })
  const boosts = boostsOf(
    db,
    candidates.map(({ one }) => one.memory),
    gathered.identities,
    context.acceptedAt,
  )
  const found = candidates.map(({ one }) => one.memory)
  const [liked, demoted] = [taggedAmong(db, found, input.tagsSoft ?? []), taggedAmong(db, found, input.demoteTags ?? [])]
  const ageOf = agesOf(
    input,
    candidates.map(({ fact }) => fact.at),
  )
  const ranked = candidates
    .map(({ fact, one }): Ranked => {
      const boost = boosts.get(one.memory) ?? 0
      const prior = priorOf({
        sourceClass: fact.source_class as SourceClass,
        confidence: fact.confidence,
        boost,
        age: ageOf(fact.at),
      })
      return {
        memory: one.memory,
        passage: passageOf(one, known, gathered, weights),
        score:
          (scores.get(one.memory) ?? 0) *
          prior *
          (liked.has(one.memory) ? 1 + (input.tagBoost ?? 0) : 1) *
          (demoted.has(one.memory) ? DEMOTED : 1),
        prior,
        boost,
        at: fact.at,
        evidence: one,
        raw: rawOf(engine, one.memory, known, gathered),
      }
    })
    .sort((a, b) => b.score - a.score || a.memory - b.memory)
  const { matching } = gathered
  const kept = (some: readonly Ranked[]): readonly Ranked[] =>
    matching === null ? some : some.filter(({ memory }) => matching.has(memory))
  const shown = kept(ranked).slice(0, Math.max(LOOKED_AT, input.offset + input.limit))
  const first = new Set([...ranked.slice(0, LOOKED_AT), ...shown].map(({ memory }) => memory))
  const heads = new Map(
    headsAmong(db, [...first], gathered.identities, plain(input), context.acceptedAt).map((head) => [head.memory, head]),
  )
  const textOf = ({ memory, passage }: Ranked): string => passageText(db, passage, heads.get(memory) as Head)
  const words = [...gathered.worded.holders.keys()].map((term) => term.slice(1, -1))
  const exact = ranked
    .map((one) => (heads.has(one.memory) ? { ...one, score: one.score * exactness(words, textOf(one)) } : one))
    .sort((a, b) => b.score - a.score || a.memory - b.memory)
  const parts = { query: input.query, holders: gathered.worded.holders, heads, textOf }
  // Once over all, so that what is kept stands as it would without the filters; then what only these have brought so far up.
  const whole = newerFirst(exact, parts)
  const settled = new Set(whole.slice(0, LOOKED_AT).map(({ memory }) => memory))
  const inOrder = matching === null ? whole : newerFirst(kept(whole), parts, settled)
  return {
    ranked: inOrder,
    weights,
    paths: known.paths,
    heads,
    isOthers: isOthers(
      inOrder.map(({ evidence, raw }) => ({
        about: evidence.about,
        rarity: raw.lexical,
        own: ownScore(evidence, LEG_WEIGHTS),
      })),
    ),
  }
}

const isFound = ({ words, nearness, about, linked, timely }: Evidence, score: number): boolean =>
  score > 0 && (words > TRACE || nearness > TRACE || about > 0 || linked || (timely ?? 0) > TRACE || score > TRACE)

const agesOf = ({ query }: SearchInput, times: readonly number[]): ((at: number) => number | null) => {
  if (!asksForNow(query)) return () => null
  const [oldest, newest] = [Math.min(...times), Math.max(...times)]
  return (at) => (newest === oldest ? null : (newest - at) / (newest - oldest))
}

/** The passage that the stronger of the two legs found. */
const passageOf = (
  { memory, words, nearness }: Evidence,
  known: Known,
  { worded }: Gathered,
  weights: LegWeights,
): number => {
  const near = known.nearest.get(memory)?.passage
  const withWords = worded.passages.get(memory)
  const isWorded = words * weights.lexical >= nearness * weights.vector
  return (isWorded ? (withWords ?? near) : (near ?? withWords)) ?? 0
}

const rawOf = (engine: Engine, memory: number, known: Known, { worded }: Gathered): Ranked['raw'] => ({
  vector: known.nearest.get(memory)?.similarity ?? unrelatedOf(engine.store.embedder.calibration),
  lexical: worded.scores.get(memory) ?? 0,
})
