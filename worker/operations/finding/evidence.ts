import type { Calibration } from '../../../src/domain/calibration.js'
import { PASSAGE_LENGTH } from '../../../src/domain/passage.js'
import { type Evidence, NEIGHBOURS } from '../../../src/domain/search/fusion.js'
import { timeliness } from '../../../src/domain/search/time.js'
import { type Fact, factsAmong, passagesAmong } from '../../store/finding.js'
import { among, sql } from '../../store/sql.js'
import type { Engine } from '../context.js'
import type { Gathered } from './legs.js'

/** Type of memories that were said one after the other. */
const TURNS: readonly string[] = ['turn', '~turn']

const isTurn = (fact: Fact | undefined): fact is Fact => fact !== undefined && TURNS.includes(fact.type)

/** Cosine of texts that have nothing to do with each other, where it was not measured. */
const FALLBACK_UNRELATED = 0.06

/** What a share of the way to the nearest is at least a way of. */
const SHORTEST_WAY = 0.1

/** Everything that is known of the candidates, and of what was said around them. */
export interface Known {
  readonly evidence: ReadonlyMap<number, Evidence>
  /** Of those that may be answered with, and of those that only the filters leave out. */
  readonly facts: ReadonlyMap<number, Fact>
  /** Names from one of the query's to what a memory is about, where it was reached so. */
  readonly paths: ReadonlyMap<number, readonly string[]>
  /** The passage of each memory that is nearest, and how near. */
  readonly nearest: ReadonlyMap<number, { readonly passage: number; readonly slot: number; readonly similarity: number }>
}

export const weighCandidates = (engine: Engine, gathered: Gathered): Known => {
  const { db, embedder } = engine.store
  const facts = new Map(factsAmong(db, gathered.candidates, gathered.offered).map((fact) => [fact.memory, fact]))
  const around = new Set<number>()
  // As far again: what stands beside a candidate may become one, and has its own neighbours.
  for (const memory of likeliest(gathered))
    if (isTurn(facts.get(memory))) for (let i = -2 * NEIGHBOURS; i <= 2 * NEIGHBOURS; i++) around.add(memory + i)
  const said = new Map([...facts].filter(([, fact]) => isTurn(fact)))
  const beside = [...around].filter((memory) => !facts.has(memory))
  for (const fact of factsAmong(db, beside, sql`h.type in ${among(TURNS)} and ${gathered.scope}`))
    said.set(fact.memory, fact)
  for (const fact of factsAmong(db, beside, sql`h.type in ${among(TURNS)} and ${gathered.offered}`))
    facts.set(fact.memory, fact)
  const memories = [...new Set([...said.keys(), ...facts.keys()])]
  const passages = passagesAmong(db, memories)
  const nearest = nearestPassages(engine, gathered, passages)
  const lengths = new Map<number, number>()
  for (const { memory, length } of passages) lengths.set(memory, (lengths.get(memory) ?? 0) + length)
  const standing = gathered.graph.standings(memories)
  const paths = new Map<number, readonly string[]>()
  const zero = unrelatedOf(embedder.calibration)
  const way = Math.max(SHORTEST_WAY, gathered.nearest - zero)
  const evidence = new Map<number, Evidence>()
  for (const memory of memories) {
    const fact = facts.get(memory) ?? (said.get(memory) as Fact)
    const { about, path } = standing(memory)
    if (path !== null) paths.set(memory, path)
    evidence.set(memory, {
      memory,
      words:
        gathered.mostWords === 0
          ? 0
          : ((gathered.worded.scores.get(memory) ?? 0) / gathered.mostWords) * brevity(lengths.get(memory) ?? 0),
      nearness: ((nearest.get(memory)?.similarity ?? zero) - zero) / way,
      about,
      linked: path?.length === 2,
      timely: gathered.window === null ? null : timeliness(fact.dated, gathered.window),
      neighbours: isTurn(fact) ? neighboursOf(fact, said) : [],
    })
  }
  return { evidence, facts, nearest, paths }
}

/** Candidates whose neighbours are looked at: those with most evidence of their own. */
const LIKELIEST = 40

const likeliest = ({ candidates, near, nearest, worded, mostWords }: Gathered): readonly number[] => {
  const own = new Map<number, number>()
  for (const { memory, similarity } of near)
    own.set(memory, Math.max(own.get(memory) ?? 0, similarity / Math.max(nearest, SHORTEST_WAY)))
  const worth = (memory: number): number =>
    (own.get(memory) ?? 0) + (worded.scores.get(memory) ?? 0) / Math.max(mostWords, 1)
  const worths = new Map(candidates.map((memory) => [memory, worth(memory)]))
  return [...candidates].sort((a, b) => (worths.get(b) ?? 0) - (worths.get(a) ?? 0) || a - b).slice(0, LIKELIEST)
}

export const unrelatedOf = (calibration: Calibration | null): number => calibration?.randomPairs.p50 ?? FALLBACK_UNRELATED

/** What was written right before and after a turn in the same part of a conversation: under the same folder of keys. */
const neighboursOf = (fact: Fact, said: ReadonlyMap<number, Fact>): Evidence['neighbours'] => {
  const neighbours: { memory: number; distance: number }[] = []
  for (let i = -NEIGHBOURS; i <= NEIGHBOURS; i++) {
    const other = i === 0 ? undefined : said.get(fact.memory + i)
    if (isTurn(other) && other.identity === fact.identity && folderOf(other.key) === folderOf(fact.key))
      neighbours.push({ memory: other.memory, distance: Math.abs(i) })
  }
  return neighbours
}

const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)

/** Of equal words, those of a short text say more of it. */
const brevity = (length: number): number => 1.05 - 0.1 * Math.min(1, length / (2 * PASSAGE_LENGTH))

const nearestPassages = (
  { store }: Engine,
  { vector }: Gathered,
  passages: ReturnType<typeof passagesAmong>,
): Known['nearest'] => {
  const nearest = new Map<number, { passage: number; slot: number; similarity: number }>()
  if (vector === null) return nearest
  const { matrix } = store.resident
  for (const { passage, memory } of passages) {
    const row = matrix.at(passage)
    if (row === null) continue
    const similarity = matrix.similarity(vector, row.slot)
    if (similarity > (nearest.get(memory)?.similarity ?? Number.NEGATIVE_INFINITY))
      nearest.set(memory, { passage, slot: row.slot, similarity })
  }
  return nearest
}
