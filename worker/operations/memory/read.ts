import { resolve } from '../../../src/domain/scope.js'
import { hasEnded, isServed } from '../../../src/domain/version.js'
import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'
import type { ListResult, MemoryRow } from '../../../src/schema/records.js'
import type { Scope, Tier } from '../../../src/schema/scope.js'
import { insertAudit } from '../../store/audit.js'
import { type HeadFilter, listHeads } from '../../store/heads.js'
import type { VisibleIdentity } from '../../store/identities.js'
import { type Head, headById, headsByKey, headToRow } from '../../store/versions.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'

/** Tiers in the order in which they answer. */
export const NEAREST_FIRST: readonly Tier[] = ['session', 'user', 'global']

interface KeyInput {
  readonly key: string
  readonly tiers?: readonly Tier[] | undefined
}

/** The served memory under a key: of the nearest tier that has one, and there of the handle's own agent before others. */
export const get = (engine: Engine, context: CallContext, input: KeyInput): MemoryRow | null => {
  const found = nearestHead(engine, context, input, answersToKey(context))
  return found === null ? null : handOut(engine, context, found.head, found.scope)
}

/** What `get` of a key may answer with. */
export const answersToKey =
  ({ acceptedAt }: CallContext) =>
  (head: Head): boolean =>
    isServed(head, acceptedAt) || isDuplicate(head, acceptedAt)

/** The memory under a key that a handle means, of those that are wanted. */
export const nearestHead = (
  engine: Engine,
  context: CallContext,
  input: KeyInput,
  isWanted: (head: Head) => boolean,
): { readonly head: Head; readonly scope: Scope } | null => {
  const readable = engine.store.book.visible(context.scope, input.tiers)
  const identities = readable.map(({ identity }) => identity)
  const heads = headsByKey(engine.store.db, identities, input.key).filter(isWanted)
  const head = nearestOf(heads, readable, context, input.key)
  return head === null ? null : { head, scope: identityOf(readable, head).scope }
}

/** Which of the heads under a key answers. */
export const nearestOf = (
  heads: readonly Head[],
  readable: readonly VisibleIdentity[],
  context: CallContext,
  key: string,
): Head | null => {
  for (const tier of NEAREST_FIRST) {
    const here = heads.filter((head) => identityOf(readable, head).tier === tier)
    const own = here.filter((head) => identityOf(readable, head).scope.agent === context.scope.agent)
    const candidates = context.scope.agent !== undefined && own.length > 0 ? own : here
    const [head] = candidates
    if (head === undefined) continue
    const writers = new Set(candidates.map(({ identity }) => identity))
    if (writers.size > 1) throw ambiguous(key, readable, writers)
    return head
  }
  return null
}

/** Lists and searches leave a duplicate to its canonical memory, but who asks for its key means this one. */
const isDuplicate = (head: Head, nowMs: number): boolean => head.body.status === 'duplicate' && !hasEnded(head, nowMs)

/** A row as the caller gets it. */
export const handOut = (engine: Engine, context: CallContext, head: Head, scope: Scope): MemoryRow => {
  const row = headToRow(head, scope)
  traceSensitive(engine, context, 'memory.get', [row])
  return row
}

/** Reading what is highly sensitive leaves a trace. */
export const traceSensitive = (engine: Engine, context: CallContext, action: string, rows: readonly MemoryRow[]): void => {
  const sensitive = rows.filter(({ sensitivity }) => sensitivity === 'high')
  if (sensitive.length === 0) return
  const { store } = engine
  store.write(() => {
    for (const row of sensitive)
      insertAudit(store.db, store.auditSalt, {
        at: context.acceptedAt,
        actor: context.scope.actor ?? DEFAULT_ACTOR,
        identity: store.book.find(row.scope),
        action,
        memoryId: row.id,
        key: row.key,
        contentSha256: row.contentSha256,
        outcome: 'ok',
      })
  })
}

const identityOf = (readable: readonly VisibleIdentity[], head: Head): VisibleIdentity =>
  readable.find(({ identity }) => identity === head.identity) as VisibleIdentity

const ambiguous = (key: string, readable: readonly VisibleIdentity[], writers: ReadonlySet<number>): MemoryError =>
  new MemoryError(
    'AMBIGUOUS_KEY',
    `Several writers hold ${key} here. Narrow the handle to one of them, or list the prefix.`,
    {
      key,
      writers: readable
        .filter(({ identity }) => writers.has(identity))
        .map(({ scope }) => ({
          agent: scope.agent ?? null,
          ...(scope.user === undefined ? {} : { user: scope.user }),
          ...(scope.session === undefined ? {} : { session: scope.session }),
        })),
    },
  )

/** One memory by id, whatever its status. */
export const getById = (engine: Engine, context: CallContext, input: { readonly id: string }): MemoryRow | null => {
  const { db } = engine.store
  const readable = engine.store.book.visible(context.scope).map(({ identity }) => identity)
  const head = headById(db, readable, input.id)
  return head === null ? null : handOut(engine, context, head, engine.store.book.scopeOf(head.identity))
}

/** Memories by filter, newest first. */
export const list = (
  engine: Engine,
  context: CallContext,
  input: HeadFilter & { readonly limit: number; readonly cursor?: string | undefined },
): ListResult => {
  const { db } = engine.store
  const readable = engine.store.book.visible(context.scope, input.tiers)
  const after = input.cursor === undefined ? null : readCursor(input.cursor)
  const heads = listHeads(
    db,
    readable.map(({ identity }) => identity),
    input,
    { nowMs: context.acceptedAt, after, limit: input.limit + 1 },
  )
  const page = heads.slice(0, input.limit)
  const last = page[page.length - 1]
  return {
    rows: page.map((head) => headToRow(head, identityOf(readable, head).scope)),
    nextCursor: heads.length > input.limit && last !== undefined ? `${last.body.updatedAt}.${last.memory}` : null,
    scope: resolve(context.scope),
  }
}

const readCursor = (cursor: string): { readonly updatedAt: number; readonly memory: number } => {
  const parts = /^(\d{1,16})\.(\d{1,10})$/.exec(cursor)
  if (parts === null) throw invalidArgument('cursor', 'is not one that list has given')
  return { updatedAt: Number(parts[1]), memory: Number(parts[2]) }
}
