import { floorOf } from '../../../src/domain/calibration.js'
import { idsNamedIn } from '../../../src/domain/lineage.js'
import { type Relatedness, rankRelated, sharedEntities } from '../../../src/domain/related.js'
import { hasEnded, SERVED } from '../../../src/domain/version.js'
import type { RelatedMemory } from '../../../src/schema/bulk.js'
import type { Status } from '../../../src/schema/records.js'
import { vectorsOfMemory } from '../../store/inspection.js'
import type { LinkRow } from '../../store/links.js'
import { unpackVector } from '../../store/vector-matrix.js'
import { type Head, headOf, headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { headAbout, linksWithin } from '../provenance/about.js'

/** Passages of a long value whose neighbours are looked for. */
const MOST_PASSAGES = 8

/** What is still there to be shown, though another memory may answer for it by now. */
const SHOWN: readonly Status[] = ['active', 'conflicted', 'duplicate', 'superseded']

/** Memories that have to do with the one under a key, each with why. */
export const related = async (
  engine: Engine,
  context: CallContext,
  input: { readonly key: string; readonly limit: number },
): Promise<readonly RelatedMemory[]> => {
  const { store } = engine
  const identities = store.book.visible(context.scope).map(({ identity }) => identity)
  const rows = await linksWithin(engine, context, identities)
  const found = headAbout(engine, context, input)
  // What is highly sensitive has no vector, and is read by its key only.
  if (found === null || found.head.body.sensitivity === 'high') return []
  const { head } = found
  const shown = rows.filter((row) => row.memory !== head.memory && !row.isSensitive && SHOWN.includes(row.status))
  const reasons = [...linked(head, shown), ...near(engine, identities, head, input.limit), ...naming(head, shown)]
  const known = new Set(shown.map(({ memory }) => memory))
  return rankRelated(reasons.filter(({ memory }) => known.has(memory)))
    .flatMap(({ memory, ...why }): readonly RelatedMemory[] => {
      const other = headOf(store.db, memory)
      return other === null || hasEnded(other, context.acceptedAt)
        ? []
        : [{ row: headToRow(other, store.book.scopeOf(other.identity)), ...why }]
    })
    .slice(0, input.limit)
}

const linked = ({ memoryId, body }: Head, rows: readonly LinkRow[]): readonly Relatedness[] => {
  const sources = idsNamedIn(body.sourceResourceId)
  return rows.flatMap(({ memory, id, conflictWith, duplicateOf, supersededBy, sourceResourceId }) => [
    ...(body.conflictWith.includes(id) || conflictWith.includes(memoryId) ? [{ memory, why: 'conflict' as const }] : []),
    ...(body.duplicateOf === id || duplicateOf === memoryId ? [{ memory, why: 'duplicate' as const }] : []),
    ...(body.supersededBy === id ||
    supersededBy === memoryId ||
    sources.includes(id) ||
    idsNamedIn(sourceResourceId).includes(memoryId)
      ? [{ memory, why: 'lineage' as const }]
      : []),
  ])
}

const naming = ({ body }: Head, rows: readonly LinkRow[]): readonly Relatedness[] =>
  rows.flatMap(({ memory, status, entities }) => {
    const shared = sharedEntities(body.entities, entities)
    return shared.length === 0 || !SERVED.includes(status) ? [] : [{ memory, why: 'entities' as const, shared }]
  })

/** Served memories with a passage close to one of this memory's. */
const near = ({ store }: Engine, identities: readonly number[], head: Head, limit: number): readonly Relatedness[] => {
  const { matrix, isOffered } = store.resident
  const readable = new Set(identities)
  const floor = floorOf(store.embedder.calibration)
  return vectorsOfMemory(store.db, store.embedder.number, head.memory, MOST_PASSAGES).flatMap((vector) =>
    matrix
      .nearest(
        unpackVector(vector),
        // Long values come with several passages each.
        limit * MOST_PASSAGES,
        (memory, identity) => memory !== head.memory && readable.has(identity) && isOffered(memory),
      )
      .filter(({ similarity }) => similarity >= floor)
      .map(({ memory, similarity }) => ({ memory, why: 'vector' as const, similarity })),
  )
}
