import type { SearchExplanation } from '../../../src/schema/records.js'
import { headsAmong } from '../../store/heads.js'
import type { CallContext, Engine } from '../context.js'
import type { SearchInput } from '../search.js'
import { excludedByScope } from '../search-rows.js'
import { unrelatedOf } from './evidence.js'
import type { Gathered } from './legs.js'
import type { Ranked } from './order.js'

/** Memories that an abstaining answer names as nearest. */
const MISSES = 5

export const explanationOf = (
  engine: Engine,
  context: CallContext,
  input: SearchInput,
  gathered: Gathered,
  ranked: readonly Ranked[],
  least: number,
  begun: number,
): SearchExplanation => {
  const { store } = engine
  const best = new Map(ranked.slice(0, MISSES).map((one) => [one.memory, one]))
  return {
    embedder: gathered.vector === null ? null : store.embedder.id,
    scan: store.resident.matrix.kind,
    thresholds: { vector: unrelatedOf(store.embedder.calibration), confidence: least },
    candidates: { vector: gathered.near.length, lexical: gathered.worded.scores.size },
    milliseconds: { ...gathered.milliseconds, rows: performance.now() - begun },
    scopeExcluded: excludedByScope(engine, gathered.identities),
    nearMisses: headsAmong(store.db, [...best.keys()], gathered.identities, input, context.acceptedAt)
      .map((head) => ({ key: head.body.key, id: head.memoryId, similarity: best.get(head.memory)?.raw.vector ?? 0 }))
      .sort((a, b) => b.similarity - a.similarity),
  }
}
