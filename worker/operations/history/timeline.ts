import { changedFields, whatHappened } from '../../../src/domain/change.js'
import { canonicalEntity } from '../../../src/domain/entity.js'
import { resolve } from '../../../src/domain/scope.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import type { TimelineEvent, TimelineResult } from '../../../src/schema/history.js'
import type { MemoryRow, VersionBody } from '../../../src/schema/records.js'
import type { JsonValue } from '../../../src/schema/scalars.js'
import { type KeptRow, keptVersion } from '../../store/history.js'
import { memoriesUnder } from '../../store/moments.js'
import { memoriesBelow, namingAfter, versionBefore, versionsInOrder } from '../../store/timeline.js'
import { headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { traceSensitive } from '../memory/read.js'
import { takeTurn } from '../turn.js'

/** Versions looked at in one turn: other calls get theirs in between. */
const SLICE = 2_000

interface TimelineInput {
  readonly key?: string | undefined
  readonly keyPrefix?: string | undefined
  readonly subject?: string | undefined
  readonly entity?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** All versions of the memories that are asked for, in the order in which they were written, a page at a time. */
export const timeline = async (engine: Engine, context: CallContext, input: TimelineInput): Promise<TimelineResult> => {
  const { store } = engine
  const memories = await memoriesOf(engine, context, input)
  const page = {
    after: input.cursor === undefined ? { ver: 0n, row: 0 } : readCursor(input.cursor),
    fromMs: input.from === undefined ? 0 : Date.parse(input.from),
    toMs: input.to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(input.to),
    limit: input.limit + 1,
    sensitive: input.key !== undefined,
  }
  const rows = memories.length === 0 ? [] : versionsInOrder(store.db, memories, page)
  const shown = rows.slice(0, input.limit)
  const told = shown.map((row) => eventOf(engine, row, page.sensitive))
  traceSensitive(
    engine,
    context,
    'memory.timeline',
    told.map(({ row }) => row),
  )
  const last = shown.at(-1)
  return {
    events: told.map(({ event }) => event),
    nextCursor: rows.length > input.limit && last !== undefined ? `${last.ver}.${last.row}` : null,
    scope: resolve(context.scope),
  }
}

const memoriesOf = async (engine: Engine, context: CallContext, input: TimelineInput): Promise<readonly number[]> => {
  const { db, book } = engine.store
  const identities = book.visible(context.scope).map(({ identity }) => identity)
  if (input.key !== undefined) return memoriesUnder(db, identities, input.key)
  if (input.keyPrefix !== undefined) return memoriesBelow(db, identities, input.keyPrefix.normalize('NFC'))
  const wanted = canonicalEntity(input.subject ?? input.entity ?? '')
  if (wanted === '') return []
  const found = new Set<number>()
  let after = 0
  for (;;) {
    const rows = namingAfter(db, identities, after, SLICE)
    for (const { memory, body } of rows)
      if (!found.has(memory) && names(JSON.parse(body) as Partial<VersionBody>, wanted, input.entity !== undefined))
        found.add(memory)
    const last = rows.at(-1)
    if (last === undefined || rows.length < SLICE) return [...found]
    after = last.row
    await takeTurn(context)
  }
}

const names = ({ entities = [], relations = [] }: Partial<VersionBody>, wanted: string, anywhere: boolean): boolean =>
  [...entities, ...relations.flatMap(({ subject, object }) => (anywhere ? [subject, object] : [subject]))].some(
    (name) => canonicalEntity(name) === wanted,
  )

/** One version as it is told, with the row as which reading it is traced. */
const eventOf = (
  { store }: Engine,
  row: KeptRow,
  sensitive: boolean,
): { readonly event: TimelineEvent; readonly row: MemoryRow } => {
  const { db } = store
  const head = keptVersion(db, row)
  const earlier = versionBefore(db, row)
  const before = earlier === undefined ? null : earlier.body === null ? 'redacted' : keptVersion(db, earlier).body
  const after = row.body === null ? 'redacted' : head.body
  const scope = store.book.scopeOf(head.identity)
  const { body } = head
  const isKnown = before !== 'redacted' && after !== 'redacted'
  const event = {
    id: head.memoryId,
    key: body.key,
    version: head.ver.toString(),
    happening: whatHappened(row.kind, before, after),
    at: body.updatedAt,
    actor: body.actor,
    run: body.run,
    status: body.status,
    before: standing(before, sensitive),
    after: standing(after, sensitive),
    fields: isKnown ? changedFields(before, after).map(({ field }) => field) : [],
    validAt: body.validAt,
    validTo: body.validTo,
    scope,
  }
  return { event, row: headToRow(head, scope) }
}

/** The value that a version lets stand. One that is read by key only is told to nobody else, also as what stood before. */
const standing = (body: VersionBody | 'redacted' | null, sensitive: boolean): JsonValue =>
  body === null || body === 'redacted' || body.status === 'tombstoned' || (body.sensitivity === 'high' && !sensitive)
    ? null
    : body.value

const readCursor = (cursor: string): { readonly ver: bigint; readonly row: number } => {
  const parts = /^(\d{1,18})\.(\d{1,15})$/.exec(cursor) ?? /^([1-8]\d{18})\.(\d{1,15})$/.exec(cursor)
  if (parts === null) throw invalidArgument('cursor', 'is not one that timeline has given')
  return { ver: BigInt(parts[1] ?? 0), row: Number(parts[2]) }
}
