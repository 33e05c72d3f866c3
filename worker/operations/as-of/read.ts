import { lastVersionAt } from '../../../src/domain/clock.js'
import { isInRoom } from '../../../src/domain/neighbours/room.js'
import { resolve } from '../../../src/domain/scope.js'
import { SERVED } from '../../../src/domain/version.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import type { AsOfInput } from '../../../src/schema/as-of.js'
import type { ListResult, MemoryRow, VersionBody } from '../../../src/schema/records.js'
import type { Tier } from '../../../src/schema/scope.js'
import { type HeadFilter, statusesOf } from '../../store/heads.js'
import { datedAmong, memoriesUnder, undatedUpTo } from '../../store/moments.js'
import { headOf, headToRow } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { handOut, nearestOf, traceSensitive } from '../memory/read.js'
import { takeTurn } from '../turn.js'
import { type Answering, answersOf, type Look, lookOf } from './moment.js'

/** The memory that answered under a key at a moment, as `get` chooses it. */
export const getAsOf = (
  engine: Engine,
  context: CallContext,
  input: AsOfInput & { readonly key: string; readonly tiers?: readonly Tier[] | undefined },
): MemoryRow | null => {
  const { db, book } = engine.store
  const readable = book.visible(context.scope, input.tiers)
  const identities = readable.map(({ identity }) => identity)
  const memories = memoriesUnder(db, identities, input.key)
  const answers = answersOf(engine.store, memories, lookOf(input, context), [...SERVED, 'duplicate'])
  // Several memories may have stood under the key one after the other: what began last holds.
  const byIdentity = new Map<number, Answering>()
  for (const answer of answers) {
    const other = byIdentity.get(answer.head.identity)
    if (other === undefined || answer.from >= other.from) byIdentity.set(answer.head.identity, answer)
  }
  const heads = [...byIdentity.values()].map(({ head }) => head)
  const head = nearestOf(heads, readable, context, input.key)
  if (head === null) return null
  const scope = book.scopeOf(head.identity)
  const newest = headOf(db, head.memory)
  // What has become highly sensitive leaves a trace, also when it is read as it was before.
  if (newest !== null && head.body.sensitivity !== 'high')
    traceSensitive(engine, context, 'memory.get', [headToRow(newest, scope)])
  return handOut(engine, context, head, scope)
}

/** Memories looked at in one turn: other calls get theirs in between. */
const TURN = 500

/** A memory with its place in the list: the number of the version that it is listed by. */
interface Placed extends Answering {
  readonly at: bigint
}

/** Memories by filter as they answered at a moment, those said last before it first. */
export const listAsOf = async (
  engine: Engine,
  context: CallContext,
  input: AsOfInput & HeadFilter & { readonly limit: number; readonly cursor?: string | undefined },
): Promise<ListResult> => {
  const { store } = engine
  const identities = store.book.visible(context.scope, input.tiers).map(({ identity }) => identity)
  const look = lookOf(input, context)
  const statuses = statusesOf(input)
  const after = input.cursor === undefined ? null : readCursor(input.cursor)
  const fits = ({ head }: Answering): boolean => matches(head.body, input, 'any')

  const dated: Placed[] = []
  for await (const memories of inTurns(datedAmong(store.db, identities), context))
    for (const answer of answersOf(store, memories, look, statuses))
      if (fits(answer)) dated.push({ ...answer, at: answer.head.ver })
  const rows = dated.filter((one) => after === null || isAfter(one, after)).sort(newestFirst)

  let from = after
  // Most of what is looked at is listed, unless a filter is narrow.
  let turn = input.limit + 10
  for (;;) {
    const passed = undatedUpTo(store.db, identities, upToOf(look), from, turn)
    const at = new Map(passed.map((one) => [one.memory, one.at]))
    const answers = answersOf(store, [...at.keys()], look, statuses).filter(fits)
    rows.push(...answers.map((answer) => ({ ...answer, at: at.get(answer.head.memory) as bigint })))
    rows.sort(newestFirst)
    const last = passed.at(-1)
    const enough = rows[input.limit]
    if (last === undefined || passed.length < turn || (enough !== undefined && !isAfter(enough, { ...last }))) break
    from = last
    turn = Math.max(turn, TURN)
    await takeTurn(context)
  }
  const page = rows.slice(0, input.limit)
  const last = page.at(-1)
  return {
    rows: page.map(({ head }) => headToRow(head, store.book.scopeOf(head.identity))),
    nextCursor: rows.length > input.limit && last !== undefined ? `${last.at}.${last.head.memory}` : null,
    scope: resolve(context.scope),
  }
}

/** What gave no dates is true from when it was written on. */
export const upToOf = ({ valid, upTo }: Look): bigint => {
  const wanted = valid === null ? upTo : lastVersionAt(valid)
  return wanted < upTo ? wanted : upTo
}

const newestFirst = (a: Placed, b: Placed): number => (a.at === b.at ? b.head.memory - a.head.memory : a.at > b.at ? -1 : 1)

const isAfter = ({ at, head }: Placed, place: { readonly at: bigint; readonly memory: number }): boolean =>
  at < place.at || (at === place.at && head.memory < place.memory)

const readCursor = (cursor: string): { readonly at: bigint; readonly memory: number } => {
  const parts = /^(\d{1,19})\.(\d{1,10})$/.exec(cursor)
  if (parts === null) throw invalidArgument('cursor', 'is not one that such a list has given')
  return { at: BigInt(parts[1] ?? 0), memory: Number(parts[2]) }
}

/** Whether a version that answers is one that a filter lets through; its status was looked at. */
export const matches = (body: VersionBody, filter: HeadFilter, tagCase: 'any' | 'exact'): boolean => {
  const fold = (tag: string): string => (tagCase === 'any' ? tag.toLowerCase() : tag)
  const tags = new Set(body.tags.map(fold))
  return (
    body.sensitivity !== 'high' &&
    (filter.keyPrefix === undefined || body.key.startsWith(filter.keyPrefix.normalize('NFC'))) &&
    (filter.type === undefined ? tagCase === 'exact' || isOwnRow(body, filter) : body.type === filter.type) &&
    (filter.sourceClass === undefined || body.sourceClass === filter.sourceClass) &&
    (filter.minConfidence === undefined || body.confidence >= filter.minConfidence) &&
    (filter.tags ?? []).every((tag) => tags.has(fold(tag)))
  )
}

/** As the condition of lists says it. */
const isOwnRow = ({ key }: VersionBody, { keyPrefix }: HeadFilter): boolean => !isInRoom(key) || isInRoom(keyPrefix ?? '')

/** Some memories at a time, with room for other calls in between. */
export async function* inTurns(memories: readonly number[], context: CallContext): AsyncGenerator<readonly number[]> {
  for (let i = 0; i < memories.length; i += TURN) {
    if (i > 0) await takeTurn(context)
    yield memories.slice(i, i + TURN)
  }
}
