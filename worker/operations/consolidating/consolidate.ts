import { CONSOLIDATED } from '../../../src/domain/belief.js'
import { union } from '../../../src/domain/consolidation.js'
import { canonicalEntity } from '../../../src/domain/entity.js'
import { keySegment } from '../../../src/domain/mint-key.js'
import { resolve } from '../../../src/domain/scope.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import type { ConsolidatedRow, ConsolidateResult } from '../../../src/schema/consolidation.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { recordingOf } from '../memory/lifecycle.js'
import { requireWritable } from '../memory/set.js'
import { takeTurn } from '../turn.js'
import { type Gathered, type Group, gather } from './gather.js'
import { type PlannedRow, retireRow, writeRow } from './write-row.js'

interface ConsolidateInput {
  readonly subject: string
  readonly dryRun: boolean
}

/** Sources of one memory: as many as it can name. */
const MOST_SOURCES = 18

/**
 * Merges what this scope says of a subject, one memory for each level of trust and type. Each is written in a transaction of its own, so a
 * second run goes on where the first was stopped; where all stands so already it writes nothing.
 */
export const consolidate = async (
  engine: Engine,
  context: CallContext,
  { subject: named, dryRun }: ConsolidateInput,
): Promise<ConsolidateResult> => {
  requireWritable(engine, context, recordingOf('memory.consolidate', { dryRun }))
  const subject = canonicalEntity(named)
  if (subject === '') throw invalidArgument('subject', 'names nobody and nothing')
  const hasLanguage = await engine.language.ready()
  // Writes that came before are in what is read.
  await engine.inOrder(async () => undefined)
  const gathered = await gather(engine, context, subject)
  const planned = plan(subject, gathered)
  const keys = new Set(planned.map(({ key }) => key))
  const stale = gathered.summaries.filter(({ body }) => !keys.has(body.key))
  const rows: ConsolidatedRow[] = []
  const total = planned.length + stale.length
  const tell = (row: ConsolidatedRow): Promise<void> => {
    rows.push(row)
    engine.progress({ phase: 'consolidate', loaded: rows.length, total, ratio: rows.length / total })
    return takeTurn(context, rows.filter(({ action }) => WROTE.has(action)).length)
  }
  for (const row of planned) await tell({ ...described(row), ...(await writeRow(engine, context, row, dryRun)) })
  for (const head of stale) await tell({ ...retired(head), ...(await retireRow(engine, context, head, dryRun)) })
  return {
    subject,
    dryRun,
    rows,
    left: gathered.left,
    degraded: hasLanguage ? [] : ['language'],
    scope: resolve(context.scope),
  }
}

const WROTE: ReadonlySet<string> = new Set(['create', 'revise', 'retire'])

const plan = (subject: string, { groups, sentences, relate }: Gathered): readonly PlannedRow[] => {
  const used = new Map<string, number>()
  return groups.flatMap(({ trust, type, heads }) =>
    partsOf(heads).map((part): PlannedRow => {
      const base = `${CONSOLIDATED}${keySegment(subject)}/${keySegment(type)}/${trust}`
      const n = (used.get(base) ?? 0) + 1
      used.set(base, n)
      const value = union(
        part.map(({ memoryId }) => sentences.get(memoryId) ?? []),
        relate,
      )
      return { key: n === 1 ? base : `${base}/${n}`, subject, value, trust, type, heads: part }
    }),
  )
}

/** Parts that are as even as can be, so that none is left with one. */
const partsOf = (heads: Group['heads']): readonly (readonly Head[])[] => {
  const count = Math.ceil(heads.length / MOST_SOURCES)
  return Array.from({ length: count }, (_, i) =>
    heads.slice(Math.floor((i * heads.length) / count), Math.floor(((i + 1) * heads.length) / count)),
  )
}

const described = ({ key, value, trust, type, heads }: PlannedRow): Omit<ConsolidatedRow, 'id' | 'action'> => ({
  key,
  value,
  trust,
  type,
  sources: heads.map(({ memoryId, body }) => ({ id: memoryId, key: body.key })),
})

const retired = ({ body }: Head): Omit<ConsolidatedRow, 'id' | 'action'> => ({
  key: body.key,
  value: null,
  trust: null,
  type: null,
  sources: [],
})
