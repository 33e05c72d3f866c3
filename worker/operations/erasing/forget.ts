import { erasureTarget, type IdentityLevel, LEVELS } from '../../../src/domain/erasure.js'
import { memoryId } from '../../../src/domain/memory-id.js'
import { type BoundScope, narrow, owns, resolve } from '../../../src/domain/scope.js'
import { hex } from '../../../src/domain/sha256.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { Erasure, ErasureCounts, ForgetResult } from '../../../src/schema/erasing.js'
import { countDoomed, type Doomed, doom } from '../../store/erasing.js'
import { allErasures, keepErasure, type Pending, type StoredErasure } from '../../store/erasures.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from '../context.js'
import { type Change, noteAct, type Recording, recorded, repeatOf } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'
import { stopIfAborted } from '../turn.js'
import { eraseNext } from './erase.js'
import { NOT_REACHED, told } from './receipts.js'

export interface ForgetInput {
  readonly user?: string | null | undefined
  readonly session?: string | undefined
  readonly namespace?: string | undefined
  readonly keyPrefix?: string | undefined
  readonly before?: string | undefined
  readonly reason?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

/** Memories named in one event. */
const TOLD_AT_ONCE = 1_000

const NOTHING: ErasureCounts = {
  memories: 0,
  versions: 0,
  passages: 0,
  links: 0,
  quotes: 0,
  merged: 0,
  audit: 0,
  results: 0,
  usage: 0,
  rules: 0,
  settings: 0,
  identities: 0,
}

/** Takes everything about somebody, or some keys, out of the store for good, with a receipt that does not say what it was. */
export const forget = (engine: Engine, context: CallContext, input: ForgetInput): Promise<ForgetResult> => {
  const recording: Recording = {
    action: 'memory.forget',
    idempotencyKey: input.idempotencyKey,
    dryRun: input.dryRun ?? false,
  }
  requireWritable(engine, context, recording)
  const scope = targetScope(context.scope, input)
  return engine.inOrder(async () => {
    stopIfAborted(context.signal)
    const before = repeatOf<ForgetResult>(engine, context, recording)
    if (before !== undefined) return asOfNow(engine, before)
    const gone: Change[] = []
    const begun = recorded(engine, context, recording, () => ({
      result: begin(engine, context, scope, input, gone),
      changes: [],
    }))
    await engine.store.db.durable()
    if (begun.id === null) return begun
    for (let from = 0; from < gone.length; from += TOLD_AT_ONCE) engine.publish(gone.slice(from, from + TOLD_AT_ONCE))
    // It has begun, and goes on whatever becomes of the call.
    const { signal } = new AbortController()
    try {
      while ((await eraseNext(engine, signal)) !== null);
    } catch (error) {
      // What is left is tried again in the background.
      engine.resolver.wake()
      throw error
    }
    return asOfNow(engine, begun)
  })
}

/** A receipt with how far it has come by now. */
const asOfNow = ({ store }: Engine, result: ForgetResult): ForgetResult => {
  const kept = allErasures(store.db).find(({ id }) => id === result.id)
  return kept === undefined ? result : { ...result, ...told(kept) }
}

/** The handle narrowed to what is to be erased. */
const targetScope = (scope: BoundScope, { user, session, namespace }: ForgetInput): BoundScope => {
  const named = { user, session, namespace }
  const patch = Object.fromEntries(Object.entries(named).filter(([, id]) => id !== undefined))
  const narrowed = narrow(scope, patch)
  if (narrowed.ok) return narrowed.scope
  throw new MemoryError(
    'FORBIDDEN',
    `This handle is bound to another ${narrowed.level}, and erases nothing outside of it.`,
    {
      reason: 'other_scope',
    },
  )
}

const kindOf = ({ user, session, namespace }: ForgetInput): Erasure['kind'] =>
  session !== undefined ? 'session' : user !== undefined ? 'user' : namespace !== undefined ? 'namespace' : 'keys'

/** Notes the erasure, and takes what it is about out of service. */
const begin = (
  engine: Engine,
  context: CallContext,
  bound: BoundScope,
  input: ForgetInput,
  gone: Change[],
): ForgetResult => {
  const { store } = engine
  const { db, book, system } = store
  const kind = kindOf(input)
  const scope = resolve(bound)
  const { org, namespace } = scope
  // Keys alone are those of the handle's own identity; a name takes everything with it that bears it.
  const levels: readonly IdentityLevel[] =
    kind === 'keys'
      ? LEVELS
      : LEVELS.filter((level) => level === 'org' || level === 'namespace' || bound[level] !== undefined)
  const own = kind === 'keys' ? [book.find(scope)] : book.all().map(({ identity }) => identity)
  const identities = own.filter(
    (identity): identity is number =>
      identity !== null && (kind === 'keys' || owns({ ...bound, org, namespace }, book.scopeOf(identity))),
  )
  const keyPrefix = input.keyPrefix?.normalize('NFC') ?? null
  const before = input.before === undefined ? null : Date.parse(input.before)
  const which: Doomed = { identities, keyPrefix, before }
  const isWhole = keyPrefix === null && before === null
  const erasure: StoredErasure = {
    id: memoryId(context.acceptedAt, system.randomBytes(16)),
    at: context.acceptedAt,
    ver: before === null ? store.counters.ver : BigInt(before) * 1_000_000n,
    kind,
    actor: actorOf(context.scope, input),
    reason: input.reason ?? null,
    ...erasureTarget(scope, levels, { keyPrefix, before }, hex(system.randomBytes(16))),
    pending: {
      linksAfter: 0,
      identities: isWhole ? identities : [],
      settings: isWhole && kind === 'namespace' ? { org, namespace } : null,
    } satisfies Pending,
    counts: { ...NOTHING, ...countDoomed(db, which) },
    notReached: NOT_REACHED,
  }
  for (const { id, key, identity } of doom(db, which))
    gone.push({ id, key, contentSha256: null, scope: book.scopeOf(identity) })
  keepErasure(db, erasure)
  noteAct(engine, context, 'memory.forget', erasure.id)
  const { dryRun = false } = input
  return { ...told(erasure), id: dryRun ? null : erasure.id, dryRun, scope: resolve(context.scope) }
}

/** Who erased it; who erases themselves leaves no name. */
const actorOf = ({ actor = DEFAULT_ACTOR }: BoundScope, { user }: ForgetInput): string =>
  typeof user === 'string' && actor.endsWith(`:${user}`) ? `${actor.slice(0, actor.indexOf(':'))}:erased` : actor
