import type { Scope, ScopePatch, Tier } from '../schema/scope.js'

/** A handle's scope: levels that are missing are not bound yet. */
export type BoundScope = Readonly<ScopePatch>

/** Reads across all users, or all sessions. */
export const EVERYONE = '*'

const LEVELS = ['org', 'namespace', 'agent', 'user', 'session', 'run', 'actor'] as const
type Level = (typeof LEVELS)[number]

/**
 * A scope narrowed by a patch, or the level at which the patch would widen it. A bound level stays; only `'*'` may be narrowed
 * to one user or session.
 */
export const narrow = (
  scope: BoundScope,
  patch: ScopePatch,
): { readonly ok: true; readonly scope: BoundScope } | { readonly ok: false; readonly level: Level } => {
  const narrowed: Record<string, string | null> = { ...(scope as Record<string, string | null>) }
  for (const level of LEVELS) {
    const wanted = patch[level]
    if (wanted === undefined) continue
    const bound = scope[level]
    if (bound !== undefined && bound !== wanted && bound !== EVERYONE) return { ok: false, level }
    narrowed[level] = wanted
  }
  return { ok: true, scope: narrowed as BoundScope }
}

/** Why a handle of this scope cannot write, or null when it can. */
export const writeProblem = (
  scope: BoundScope,
): { readonly kind: 'empty' | 'everyone'; readonly level: 'user' | 'session' } | null => {
  for (const level of ['user', 'session'] as const) {
    if (scope[level] === '') return { kind: 'empty', level }
    if (scope[level] === EVERYONE) return { kind: 'everyone', level }
  }
  return null
}

/** True when an empty id at a personal level makes every read of this scope find nothing. */
export const readsNothing = (scope: BoundScope): boolean => scope.user === '' || scope.session === ''

/** The identity that rows written through this scope carry. */
export const resolve = (scope: BoundScope): Scope => ({
  org: scope.org ?? 'local',
  namespace: scope.namespace ?? 'default',
  ...(scope.agent === undefined ? {} : { agent: scope.agent }),
  ...(scope.user === undefined ? {} : { user: scope.user }),
  ...(scope.session === undefined ? {} : { session: scope.session }),
})

/** The tier of a row. */
export const tierOf = (scope: Scope): Tier =>
  scope.session !== undefined ? 'session' : scope.user !== undefined ? 'user' : 'global'

/** Whether a handle owns a row of this identity: every level that it is bound to is the row's own. */
export const owns = (handle: BoundScope, row: Scope): boolean =>
  !readsNothing(handle) &&
  (['org', 'namespace', 'agent', 'user', 'session'] as const).every(
    (level) => handle[level] === undefined || handle[level] === EVERYONE || handle[level] === row[level],
  )

/** Whether a handle is of no user, session or agent. */
export const speaksForAll = ({ user, session, agent }: BoundScope): boolean =>
  [user, session, agent].every((level) => level === undefined || level === '*')
