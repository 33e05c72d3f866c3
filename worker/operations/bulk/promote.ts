import type { GivenFields } from '../../../src/domain/body.js'
import { canonicalForm } from '../../../src/domain/canonical.js'
import { lockInForce } from '../../../src/domain/guards.js'
import { narrow, resolve, tierOf } from '../../../src/domain/scope.js'
import { HOLDS_KEY, hasEnded } from '../../../src/domain/version.js'
import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'
import type { PromoteResult } from '../../../src/schema/bulk.js'
import type { VersionBody } from '../../../src/schema/records.js'
import { duplicatesOf, type Head, headById, headOf, headsByForm, headsByKey } from '../../store/versions.js'
import type { CallContext, Engine } from '../context.js'
import { commitWrite } from '../memory/commit.js'
import { restate, unlinkConflict } from '../memory/conflicts.js'
import { locked } from '../memory/guard.js'
import { recordingOf } from '../memory/lifecycle.js'
import { type Fields, prepare } from '../memory/prepare.js'
import { type Change, recorded, recordRefusal, repeatOf } from '../memory/recorded.js'
import { requireWritable } from '../memory/set.js'

interface PromoteInput {
  readonly key: string
  readonly to: 'session' | 'user' | 'global'
  readonly from: {
    readonly agent?: string | undefined
    readonly user?: string | null | undefined
    readonly session?: string | undefined
  }
  readonly idempotencyKey?: string | undefined
  readonly dryRun?: boolean | undefined
}

/**
 * Says in the handle's own scope what a memory of a narrower one says. A handle of the wider scope does it, since a narrow one never writes
 * beyond itself: it may narrow to where the memory stands, so it could have read it and said it again.
 */
export const promote = (engine: Engine, context: CallContext, input: PromoteInput): Promise<PromoteResult> => {
  const recording = recordingOf('memory.promote', input)
  requireWritable(engine, context, recording)
  return engine.inOrder(async () => {
    const before = repeatOf<PromoteResult>(engine, context, recording)
    if (before !== undefined) return before
    const source = sourceOf(engine, context, input)
    if (source instanceof MemoryError) {
      recordRefusal(engine, context, recording, source)
      throw source
    }
    const [prepared] = await prepare(engine, [fieldsOf(source)], context)
    if (prepared === undefined) throw new TypeError('one input prepares to one write')
    if (prepared.refused !== undefined) throw prepared.refused
    const result = recorded<PromoteResult>(engine, context, recording, () => {
      const { key, dryRun = false } = input
      const options = { ifMatchSha256: undefined, onPinned: undefined, dryRun }
      const write = { ...prepared, fields: { ...prepared.fields, ...datesOf(source.body) } }
      // What stands aside is no peer of what is to speak for it.
      const aside = agentsSame(engine, context, source)
      for (const head of aside) {
        const refused = refusalOf(head, context, input.to)
        if (refused !== null) throw refused
      }
      const freed = aside.flatMap((head) => stepAside(engine, context, head))
      const { result: written, changes } = commitWrite(engine, context, { kind: 'set', key }, write, options)
      const left = [source, ...aside.filter(({ memory }) => memory !== source.memory)].flatMap(({ memory }) =>
        leaveTo(engine, context, headOf(engine.store.db, memory) as Head, written.id),
      )
      const scope = engine.store.book.scopeOf(source.identity)
      const from = { id: source.memoryId, key, status: 'duplicate' as const, scope }
      return { result: { ...written, from }, changes: [...freed, ...changes, ...left] }
    })
    await engine.store.db.durable()
    if (result.degraded.includes('unembedded') || !engine.ladder.covers(prepared.vectors)) engine.wakeIndexing()
    return result
  })
}

/** The memory that is meant, or why it is not promoted. */
const sourceOf = (engine: Engine, context: CallContext, { key, to, from }: PromoteInput): Head | MemoryError => {
  const { db, book } = engine.store
  const own = resolve(context.scope)
  if (tierOf(own) !== to)
    return new MemoryError(
      'FORBIDDEN',
      `A handle writes to its own scope only: promote to ${to} with a handle of that tier.`,
      {
        reason: 'other_scope',
      },
    )
  const narrowed = narrow(context.scope, definedIn(from))
  if (!narrowed.ok)
    return new MemoryError('FORBIDDEN', `This handle is bound to another ${narrowed.level}. Scopes only narrow.`, {
      reason: 'widening',
    })
  const there = resolve(narrowed.scope)
  const identity = book.find(there)
  if (there.agent === own.agent && there.user === own.user && there.session === own.session)
    return invalidArgument('from', "is the handle's own scope")
  const live = identity === null ? [] : headsByKey(db, [identity], key)
  const head = live.find((one) => HOLDS_KEY.includes(one.body.status) && !hasEnded(one, context.acceptedAt))
  if (head === undefined) return new MemoryError('NOT_FOUND', `Nothing lives under ${key} there.`, { key })
  return refusalOf(head, context, to) ?? head
}

const definedIn = ({ agent, user, session }: PromoteInput['from']) => ({
  ...(agent === undefined ? {} : { agent }),
  ...(user === undefined ? {} : { user }),
  ...(session === undefined ? {} : { session }),
})

/** Promoting leaves the answer to another memory, which a lock forbids and a pin is against. */
const refusalOf = ({ body }: Head, { acceptedAt }: CallContext, to: PromoteInput['to']): MemoryError | null => {
  const { key, status, contentSha256 } = body
  if (lockInForce(body, acceptedAt) !== null) return locked(key, body.lockUntil)
  if (body.pinned) return new MemoryError('PINNED_CONFLICT', `${key} is pinned there. Unpin it first.`, { key })
  if (to === 'global' && body.sensitivity === 'high')
    return new MemoryError('FORBIDDEN', `${key} is highly sensitive, and would be read by all users.`, {
      reason: 'sensitive',
    })
  if (status === 'duplicate' || status === 'proposed')
    return new MemoryError(
      'PRECONDITION_FAILED',
      status === 'duplicate' ? `Another memory answers for ${key} already.` : `${key} is still on trial. Decide first.`,
      { key, currentSha256: contentSha256 },
    )
  return null
}

/** Of what agents keep for themselves and the handle reads: the memory, and what others of them say in the same words. */
const agentsSame = ({ store }: Engine, context: CallContext, source: Head): readonly Head[] => {
  const own = resolve(context.scope)
  if (own.agent !== undefined) return []
  const identities = store.book
    .visible(context.scope)
    .filter(({ scope }) => scope.agent !== undefined && scope.user === own.user && scope.session === own.session)
    .map(({ identity }) => identity)
  return identities.includes(source.identity)
    ? headsByForm(store.db, identities, canonicalForm(source.body.value)).filter(
        ({ body }) => body.type === source.body.type,
      )
    : []
}

const stepAside = ({ store }: Engine, context: CallContext, head: Head): readonly Change[] => {
  const freed = unlinkConflict(store, context, head)
  return [...freed, restate(store, context, head, { status: 'duplicate', statusReason: null, conflictWith: [] })]
}

/**
 * What the wider memory is to say. How the text came here stays what it was, so that promoting makes nothing more trusted; who attested,
 * pinned or locked it, and the turns of one user's conversation, stay behind.
 */
const fieldsOf = ({ memoryId, body }: Head): Fields => ({
  key: body.key,
  value: body.value,
  type: body.type,
  tags: [...body.tags],
  entities: [...body.entities],
  relations: [...body.relations],
  files: [...body.files],
  confidence: body.confidence,
  onExpire: body.onExpire,
  // Input may only downgrade; what is carried over was let in already.
  sourceClass: body.sourceClass as NonNullable<Fields['sourceClass']>,
  sourceResourceId: memoryId,
  ...(body.origin === null ? {} : { origin: body.origin }),
  sensitivity: body.sensitivity,
})

/** Dates with how much of them was given, which a date read anew would not tell. */
const datesOf = (body: VersionBody): GivenFields => ({
  validAt: body.validAt,
  validTo: body.validTo,
  temporalAnchor: body.temporalAnchor,
  expiresAt: body.expiresAt,
  validAtPrecision: body.validAtPrecision,
  validToPrecision: body.validToPrecision,
  temporalAnchorPrecision: body.temporalAnchorPrecision,
})

/** Leaves the narrower memory, and those that stood as its duplicates, to the wider one. */
const leaveTo = (engine: Engine, context: CallContext, source: Head, widerId: string): readonly Change[] => {
  const { store } = engine
  const readable = store.book.visible(context.scope).map(({ identity }) => identity)
  const duplicateOf = headById(store.db, readable, widerId)?.body.duplicateOf ?? widerId
  const freed = unlinkConflict(store, context, source)
  const repeats = duplicatesOf(store.db, source.memoryId, canonicalForm(source.body.value)).map((head) =>
    restate(store, context, head, { duplicateOf }),
  )
  const left = restate(store, context, source, { status: 'duplicate', statusReason: null, duplicateOf, conflictWith: [] })
  return [...freed, ...repeats, left]
}
