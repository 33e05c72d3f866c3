import { isNewest } from '../../../src/domain/neighbours/lease.js'
import { mergePatch } from '../../../src/domain/neighbours/merge-patch.js'
import { roomKey, roomPrefix } from '../../../src/domain/neighbours/room.js'
import { resolve } from '../../../src/domain/scope.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { RemoveResult } from '../../../src/schema/neighbours/profile.js'
import type { WorkingResult, WorkingRow } from '../../../src/schema/neighbours/working.js'
import { type JsonValue, Value } from '../../../src/schema/scalars.js'
import { parse } from '../../parse.js'
import { leaseOf } from '../../store/leases.js'
import type { Head } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { type Entry, fitting, isThere, liveHere, putOne, recordingFor, type Writing } from './put.js'
import { addressOf, lastName, type Paging, pageOf, removeRow, rowAt } from './rows.js'

const WORKING = '~working'

const keyOf = (name: string): string => fitting(roomKey('~working', name), 'name')

const toRow =
  (engine: Engine) =>
  (head: Head): WorkingRow => ({
    name: lastName(head),
    value: head.body.value,
    expiresAt: head.body.expiresAt,
    ...addressOf(engine, head),
  })

interface Changing extends Writing {
  readonly name: string
  readonly ttlSeconds?: number | undefined
  readonly ifMatchSha256?: string | null | undefined
  readonly fence?: { readonly lease: string; readonly token: number } | undefined
}

export const setWorking = (
  engine: Engine,
  context: CallContext,
  input: Changing & { readonly value: JsonValue },
): Promise<WorkingRow> => change(engine, context, 'working.set', input, () => ({ value: input.value }))

/** Merges a patch into what stands there. What it leaves out stays, its end included. */
export const patchWorking = (
  engine: Engine,
  context: CallContext,
  input: Changing & { readonly patch: JsonValue },
): Promise<WorkingRow> =>
  change(engine, context, 'working.patch', input, (live) => ({
    value: parse(Value, mergePatch(live?.body.value, input.patch), 'patch'),
    ...(live?.body.expiresAt == null ? {} : { expiresAt: new Date(live.body.expiresAt).toISOString() }),
  }))

/** What has passed its end counts as gone. */
const change = (
  engine: Engine,
  context: CallContext,
  action: string,
  input: Changing,
  become: (live: Head | null) => Pick<Entry, 'value' | 'expiresAt'>,
): Promise<WorkingRow> =>
  putOne(
    engine,
    context,
    recordingFor(action, input),
    () => {
      const key = keyOf(input.name)
      const held = liveHere(engine, context, key)
      const live = held !== null && isThere(held, context.acceptedAt) ? held : null
      requireUnchanged(engine, context, input, key, live)
      const { value, expiresAt } = become(live)
      const end = input.ttlSeconds === undefined ? { expiresAt } : { ttlSeconds: input.ttlSeconds }
      return { key, type: WORKING, value, ...end }
    },
    ({ head }) => toRow(engine)(head),
  )

const requireUnchanged = (
  { store }: Engine,
  context: CallContext,
  { ifMatchSha256, fence }: Changing,
  key: string,
  live: Head | null,
): void => {
  const currentSha256 = live?.body.contentSha256 ?? null
  const refuse = (why: string): MemoryError => new MemoryError('PRECONDITION_FAILED', why, { key, currentSha256 })
  if (ifMatchSha256 !== undefined && ifMatchSha256 !== currentSha256)
    throw refuse('The value has changed since it was read. Read it again and decide again.')
  if (fence === undefined) return
  const identity = store.book.find(resolve(context.scope))
  if (identity === null || !isNewest(leaseOf(store.db, identity, fence.lease), fence.token))
    throw refuse(`Somebody else has held ${fence.lease} since. Acquire it again and read what was done.`)
}

export const getWorking = (engine: Engine, context: CallContext, { name }: { readonly name: string }): WorkingRow | null => {
  const head = rowAt(engine, context, 'working.get', keyOf(name), WORKING)
  return head === null ? null : toRow(engine)(head)
}

export const listWorking = (engine: Engine, context: CallContext, input: Paging): WorkingResult =>
  pageOf(engine, context, input, { type: WORKING, prefix: roomPrefix('~working') }, toRow(engine))

export const deleteWorking = (
  engine: Engine,
  context: CallContext,
  input: Writing & { readonly name: string },
): Promise<RemoveResult> => removeRow(engine, context, 'working.delete', keyOf(input.name), input)
