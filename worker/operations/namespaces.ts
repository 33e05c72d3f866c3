import { DEFAULT_POLICY, settle } from '../../src/domain/policy.js'
import { type BoundScope, narrow, readsNothing, resolve } from '../../src/domain/scope.js'
import { MemoryError } from '../../src/protocol/errors.js'
import type { NamespaceReport, NamespaceSettings } from '../../src/schema/namespaces.js'
import { countByStatus, registrationOf, writeRegistration } from '../store/namespaces.js'
import { type CallContext, DEFAULT_ACTOR, type Engine } from './context.js'
import { recordingOf } from './memory/lifecycle.js'
import { noteAct, recorded, recordRefusal } from './memory/recorded.js'
import { requireWritable } from './memory/set.js'

/** Settings as they are given: what is missing stays, null takes it away. */
type GivenSettings = { readonly [Name in keyof NamespaceSettings]?: NamespaceSettings[Name] | null | undefined }

interface Named {
  readonly namespace?: string | undefined
}

/** The call as one in the namespace that it names. */
export const within = (context: CallContext, { namespace }: Named): CallContext => {
  if (namespace === undefined) return context
  const narrowed = narrow(context.scope, { namespace })
  if (!narrowed.ok)
    throw new MemoryError('FORBIDDEN', 'This handle is bound to another namespace.', { reason: 'other_scope' })
  return { ...context, scope: narrowed.scope as BoundScope }
}

/** Settles how a namespace is judged. */
export const registerNamespace = (
  engine: Engine,
  outer: CallContext,
  input: Named & GivenSettings & { readonly idempotencyKey?: string | undefined; readonly dryRun?: boolean | undefined },
): Promise<NamespaceReport> => {
  const context = within(outer, input)
  const recording = recordingOf('namespaces.register', input)
  requireWritable(engine, context, recording)
  const { user, session } = context.scope
  if (user !== undefined || session !== undefined) {
    const error = new MemoryError(
      'FORBIDDEN',
      'What is settled for a namespace holds for all its users: register with a handle of none.',
      { reason: 'narrow_scope' },
    )
    recordRefusal(engine, context, recording, error)
    throw error
  }
  return engine.inOrder(async () => {
    const { db } = engine.store
    const report = recorded<NamespaceReport>(engine, context, recording, () => {
      const scope = resolve(context.scope)
      const { namespace: _named, idempotencyKey: _key, dryRun: _dry, ...given } = input
      const settings = settle(registrationOf(db, scope)?.settings ?? {}, given)
      writeRegistration(db, scope, {
        settings,
        actor: context.scope.actor ?? DEFAULT_ACTOR,
        updatedAt: context.acceptedAt,
      })
      noteAct(engine, context, recording.action)
      return { result: reportOf(engine, context, recording.dryRun), changes: [] }
    })
    await db.durable()
    engine.wakeKeeping()
    return report
  })
}

/** What a namespace has settled, and how many memories of it the handle may read. */
export const getNamespace = (engine: Engine, context: CallContext, input: Named): NamespaceReport =>
  reportOf(engine, within(context, input), false)

const reportOf = ({ store }: Engine, context: CallContext, dryRun: boolean): NamespaceReport => {
  const { org, namespace } = resolve(context.scope)
  const registered = readsNothing(context.scope) ? null : registrationOf(store.db, { org, namespace })
  const readable = store.book.visible(context.scope).map(({ identity }) => identity)
  return {
    org,
    namespace,
    defaultConflictPolicy: DEFAULT_POLICY,
    ...registered?.settings,
    memories: countByStatus(store.db, readable),
    registeredAt: registered?.updatedAt ?? null,
    registeredBy: registered?.actor ?? null,
    dryRun,
  }
}
