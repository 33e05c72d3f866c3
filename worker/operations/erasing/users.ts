import { type BoundScope, narrow, owns, resolve } from '../../../src/domain/scope.js'
import { MemoryError } from '../../../src/protocol/errors.js'
import type { ForgetResult, UserProfile } from '../../../src/schema/erasing.js'
import { profileOf } from '../../store/user-profile.js'
import { exportArchive } from '../archive/export.js'
import type { CallContext, Engine } from '../context.js'
import { type ForgetInput, forget } from './forget.js'

interface UserInput {
  readonly user: string | null
}

/** The handle narrowed to one person: everything of theirs, in every session and of every agent that it covers. */
const personScope = (scope: BoundScope, { user }: UserInput): BoundScope => {
  const narrowed = narrow(scope, { user })
  if (narrowed.ok) return { ...narrowed.scope, ...orgAndNamespace(scope) }
  throw new MemoryError('FORBIDDEN', 'This handle is bound to another user. Ask with a wider one.', {
    reason: 'other_scope',
  })
}

const orgAndNamespace = (scope: BoundScope) => {
  const { org, namespace } = resolve(scope)
  return { org, namespace }
}

/** What is held about a person, in numbers: no value and no key. */
export const userProfile = ({ store }: Engine, context: CallContext, input: UserInput): UserProfile => {
  const scope = personScope(context.scope, input)
  const own = store.book.all().filter((entry) => owns(scope, entry.scope))
  const agents = own.flatMap(({ scope: { agent } }) => (agent === undefined ? [] : [agent]))
  return {
    user: input.user,
    ...profileOf(
      store.db,
      own.map(({ identity }) => identity),
    ),
    sessions: new Set(own.flatMap(({ scope: { session } }) => (session === undefined ? [] : [session]))).size,
    agents: [...new Set(agents)].sort(),
    scope: resolve(scope),
  }
}

/** An archive of what belongs to one person. */
export const userExport = (
  engine: Engine,
  context: CallContext,
  { user, ...options }: UserInput & Parameters<typeof exportArchive>[2],
): Promise<Blob> => exportArchive(engine, { ...context, scope: personScope(context.scope, { user }) }, options)

/** Takes everything about a person out of the store. */
export const userErase = (engine: Engine, context: CallContext, input: UserInput & ForgetInput): Promise<ForgetResult> =>
  forget(engine, context, input)
