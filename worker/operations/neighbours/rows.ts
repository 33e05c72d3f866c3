import { lockInForce } from '../../../src/domain/guards.js'
import { namesIn } from '../../../src/domain/neighbours/room.js'
import { resolve } from '../../../src/domain/scope.js'
import { isServed } from '../../../src/domain/version.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import type { RemoveResult } from '../../../src/schema/neighbours/profile.js'
import type { Scope, Tier } from '../../../src/schema/scope.js'
import { roomHeads } from '../../store/rooms.js'
import { type Head, headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { locked } from '../memory/guard.js'
import { bury } from '../memory/lifecycle.js'
import { nearestHead, traceSensitive } from '../memory/read.js'
import type { Change } from '../memory/recorded.js'
import { liveHere, recordingFor, type Writing, writing } from './put.js'

/** The row under a key, of the nearest tier that has one. Reading what is highly sensitive leaves a trace. */
export const rowAt = (engine: Engine, context: CallContext, action: string, key: string, type: string): Head | null => {
  const found = nearestHead(engine, context, { key }, (head) => isRow(head, type, context))
  if (found !== null) traceSensitive(engine, context, action, [headToRow(found.head, found.scope)])
  return found?.head ?? null
}

export const isRow = (head: Head, type: string, { acceptedAt }: CallContext): boolean =>
  head.body.type === type && isServed(head, acceptedAt)

/** What every row answers with. */
export const addressOf = ({ store }: Engine, { memoryId, ver, identity, body }: Head) => ({
  contentSha256: body.contentSha256,
  createdAt: body.createdAt,
  updatedAt: body.updatedAt,
  key: body.key,
  id: memoryId,
  version: ver.toString(),
  scope: store.book.scopeOf(identity),
})

export interface Paging {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A page of the rows of a room in the order of their keys: of each key, all that the handle may read. */
export const pageOf = <Row>(
  engine: Engine,
  context: CallContext,
  { limit, cursor }: Paging,
  { type, prefix, tiers }: { readonly type: string; readonly prefix: string; readonly tiers?: readonly Tier[] | undefined },
  toRow: (head: Head) => Row,
): { readonly rows: readonly Row[]; readonly nextCursor: string | null; readonly scope: Scope } => {
  const { store } = engine
  const identities = store.book.visible(context.scope, tiers).map(({ identity }) => identity)
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const heads = roomHeads(store.db, identities, { type, prefix, nowMs: context.acceptedAt }, { after, limit: limit + 1 })
  const page = heads.slice(0, limit)
  const last = page.at(-1)
  const isMore = heads.length > limit && last !== undefined
  return {
    rows: page.map(toRow),
    nextCursor: isMore ? `${last.memory}.${last.body.key}` : null,
    scope: resolve(context.scope),
  }
}

const readCursor = (cursor: string): { readonly key: string; readonly memory: number } => {
  const parts = /^(\d{1,10})\.(~.*)$/s.exec(cursor)
  if (parts === null) throw invalidArgument('cursor', 'is not one that list has given')
  return { memory: Number(parts[1]), key: parts[2] ?? '' }
}

/** Deletes the row under a key of the handle's own scope: it can be restored for 14 days. */
export const removeRow = (
  engine: Engine,
  context: CallContext,
  action: string,
  key: string,
  input: Writing,
): Promise<RemoveResult> =>
  writing(
    engine,
    context,
    recordingFor(action, input),
    () => liveHere(engine, context, key),
    (live) => {
      const changes = live === null ? [] : [buryUnlocked(engine, context, live)]
      return { result: { found: live !== null, scope: resolve(context.scope) }, changes }
    },
  )

/** Buries a row, unless a lock forbids it. */
export const buryUnlocked = (engine: Engine, context: CallContext, head: Head): Change => {
  if (lockInForce(head.body, context.acceptedAt) !== null) throw locked(head.body.key, head.body.lockUntil)
  return bury(engine, context, head)
}

/** The last name in a key. */
export const lastName = ({ body }: Head): string => namesIn(body.key).at(-1) ?? ''
