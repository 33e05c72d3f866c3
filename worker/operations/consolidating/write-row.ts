import { BELIEF_REASON, isConsolidated, SUMMARY } from '../../../src/domain/belief.js'
import { type GivenFields, stateBody } from '../../../src/domain/body.js'
import { lockInForce } from '../../../src/domain/guards.js'
import { resolve } from '../../../src/domain/scope.js'
import { higher } from '../../../src/domain/sensitivity.js'
import { HOLDS_KEY } from '../../../src/domain/version.js'
import type { ConsolidatedRow } from '../../../src/schema/consolidation.js'
import { beliefSourcesOf, keepBeliefSources } from '../../store/beliefs.js'
import { type Head, headOf, headsByKey } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { unlinkConflict } from '../memory/conflicts.js'
import { releaseDuplicates } from '../memory/duplicates.js'
import { bury } from '../memory/lifecycle.js'
import { type PreparedWrite, prepare } from '../memory/prepare.js'
import { type Change, recorded } from '../memory/recorded.js'
import { reindexed, say } from '../memory/say.js'

/** One memory as it is to be. */
export interface PlannedRow extends Pick<ConsolidatedRow, 'trust' | 'type'> {
  readonly key: string
  readonly subject: string
  readonly value: string
  readonly heads: readonly Head[]
}

type Done = Pick<ConsolidatedRow, 'id' | 'action' | 'why'>

/** Labels that one memory may have. */
const MOST_LABELS = 64

const recordingOf = (dryRun: boolean) => ({ action: 'memory.consolidate', idempotencyKey: undefined, dryRun })

/** Writes one memory that says what its sources say, unless it stands so already. */
export const writeRow = (engine: Engine, context: CallContext, row: PlannedRow, dryRun: boolean): Promise<Done> =>
  engine.inOrder(async () => {
    const { store } = engine
    const sources = row.heads.map(({ memory }) => headOf(store.db, memory))
    const live = liveHead(engine, context, row.key)
    if (sources.some((source, i) => source?.row !== row.heads[i]?.row)) return leave(live, 'changed')
    const fields = fieldsOf(row, sources as readonly Head[])
    const refused = live === null ? null : guardOf(live, row.subject, context)
    if (refused !== null) return leave(live, refused)
    if (live !== null && standsSo(engine, live, row, fields)) return { id: live.memoryId, action: 'keep' }
    const [write] = await prepare(engine, [{ key: row.key, value: row.value, type: SUMMARY }], context)
    if (write?.refused !== undefined) throw write.refused
    if (write === undefined || write.blacklisted !== null) return leave(live, 'blacklisted')
    const id = recorded(engine, { ...context, forwarded: null }, recordingOf(dryRun), () =>
      written(engine, context, row, live, fields, write),
    )
    await store.db.durable()
    if (!engine.ladder.covers(write.vectors)) engine.wakeIndexing()
    return { id: live?.memoryId ?? (dryRun ? null : id), action: live === null ? 'create' : 'revise' }
  })

/** Deletes one that has not two sources any more: the one that is left speaks for itself. */
export const retireRow = (engine: Engine, context: CallContext, head: Head, dryRun: boolean): Promise<Done> =>
  engine.inOrder(async () => {
    const { store } = engine
    const live = headOf(store.db, head.memory)
    if (live === null || live.row !== head.row) return leave(head, 'changed')
    const refused = guardOf(live, head.body.entities[0] ?? '', context)
    if (refused !== null) return leave(live, refused)
    recorded(engine, { ...context, forwarded: null }, recordingOf(dryRun), () => {
      const freed = unlinkConflict(store, context, live)
      const buried = { ...live, body: { ...live.body, statusReason: BELIEF_REASON.lost } }
      return { result: null, changes: [bury(engine, context, buried), ...freed] }
    })
    await store.db.durable()
    return { id: live.memoryId, action: 'retire' }
  })

const leave = (head: Head | null, why: NonNullable<Done['why']>): Done => ({
  id: head?.memoryId ?? null,
  action: 'leave',
  why,
})

const liveHead = ({ store }: Engine, context: CallContext, key: string): Head | null => {
  const own = store.book.find(resolve(context.scope))
  const heads = own === null ? [] : headsByKey(store.db, [own], key)
  return heads.find(({ body }) => HOLDS_KEY.includes(body.status)) ?? null
}

const guardOf = ({ body }: Head, subject: string, { acceptedAt }: CallContext): NonNullable<Done['why']> | null => {
  if (!isConsolidated(body) || body.entities[0] !== subject) return 'taken'
  if (body.pinned) return 'pinned'
  return lockInForce(body, acceptedAt) === null ? null : 'locked'
}

/** What describes the whole: as much as all of the sources allow. It ends with the first of them. */
const fieldsOf = ({ subject, value }: PlannedRow, sources: readonly Head[]): GivenFields & { readonly value: string } => {
  const ends = sources.flatMap(({ body, leavesAt }) => [body.validTo, leavesAt]).filter((at) => at !== null)
  const all = (labels: (head: Head) => readonly string[]): readonly string[] => [...new Set(sources.flatMap(labels))]
  return {
    value,
    type: SUMMARY,
    tags: all(({ body }) => body.tags).slice(0, MOST_LABELS),
    entities: [subject, ...all(({ body }) => body.entities).filter((name) => name !== subject)].slice(0, MOST_LABELS),
    confidence: Math.min(...sources.map(({ body }) => body.confidence)),
    expiresAt: ends.length === 0 ? null : Math.min(...ends),
    sourceClass: 'derived',
    sourceResourceId: sources.map(({ memoryId }) => memoryId).join(' '),
    sensitivity: sources.map(({ body }) => body.sensitivity).reduce(higher),
  }
}

const standsSo = ({ store }: Engine, { memory, body }: Head, { value, heads }: PlannedRow, fields: GivenFields): boolean => {
  const noted = beliefSourcesOf(store.db, memory).map(({ source, sourceSha256 }) => `${source} ${sourceSha256}`)
  const wanted = heads.map((head) => `${head.memory} ${head.body.contentSha256}`)
  return (
    body.status === 'active' &&
    body.value === value &&
    noted.toSorted().join() === wanted.toSorted().join() &&
    (['expiresAt', 'confidence', 'sensitivity', 'sourceResourceId'] as const).every((name) => body[name] === fields[name]) &&
    (['tags', 'entities'] as const).every((name) => body[name].join('\0') === fields[name]?.join('\0'))
  )
}

const written = (
  engine: Engine,
  context: CallContext,
  row: PlannedRow,
  live: Head | null,
  fields: GivenFields & { readonly value: string },
  write: PreparedWrite,
): { readonly result: string; readonly changes: readonly Change[] } => {
  const { store } = engine
  const scope = resolve(context.scope)
  const stamp = {
    key: row.key,
    actor: context.scope.actor ?? DEFAULT_ACTOR,
    run: context.scope.run ?? null,
    nowMs: context.acceptedAt,
  }
  const { body } = stateBody(live?.body ?? null, fields, stamp)
  const freed = live === null ? [] : unlinkConflict(store, context, live)
  const sensitivity = higher(body.sensitivity, write.detected)
  const head = say(store, live, context, scope, { ...body, sensitivity }, store.book.take(scope))
  reindexed(store, live, head, write)
  if (live !== null) releaseDuplicates(store, context, live, head)
  keepBeliefSources(
    store.db,
    head.memory,
    head.body.contentSha256,
    row.heads.map(({ memory, body: said }) => ({ memory, sha256: said.contentSha256 })),
  )
  const { key, contentSha256 } = head.body
  return { result: head.memoryId, changes: [{ id: head.memoryId, key, contentSha256, scope }, ...freed] }
}
