import { type BoundScope, EVERYONE, readsNothing, resolve, tierOf } from '../../src/domain/scope.js'
import type { Scope, Tier } from '../../src/schema/scope.js'
import type { Db } from '../ports.js'
import { sql } from './sql.js'

const UNSET = ''
const ANONYMOUS = '~'

/** An identity that a handle may read, with how near it is: session before user before global. */
export interface VisibleIdentity {
  readonly identity: number
  readonly scope: Scope
  readonly tier: Tier
}

interface IdentityRow {
  identity: number
  org: string
  namespace: string
  agent: string
  user: string
  session: string
}

const encode = (id: string | null | undefined): string => (id === undefined ? UNSET : id === null ? ANONYMOUS : `=${id}`)

const rowToScope = (row: IdentityRow): Scope => ({
  org: row.org.slice(1),
  namespace: row.namespace.slice(1),
  ...(row.agent === UNSET ? {} : { agent: row.agent.slice(1) }),
  ...(row.user === UNSET ? {} : { user: row.user === ANONYMOUS ? null : row.user.slice(1) }),
  ...(row.session === UNSET ? {} : { session: row.session.slice(1) }),
})

/** All identities of a store, kept in memory: every call resolves its scope here before it touches a row. */
export interface IdentityBook {
  /** The number of an identity, or null when nothing was ever written under it. */
  readonly find: (scope: Scope) => number | null
  /** The number of an identity, given when it is new. */
  readonly take: (scope: Scope) => number
  readonly scopeOf: (identity: number) => Scope
  /** Every identity of the store, oldest first, whoever asks. */
  readonly all: () => readonly VisibleIdentity[]
  /**
   * Every identity that a handle may read: its own tier and the wider ones, never another user's or session's, and nothing when an
   * id is empty. A handle of an agent reads that agent's rows and those of no agent; a handle of none reads all agents' rows.
   */
  readonly visible: (scope: BoundScope, tiers?: readonly Tier[]) => readonly VisibleIdentity[]
  /** Identities of other sessions of the same named user, newest first: what an anonymous visitor does in one session is another task. */
  readonly siblings: (scope: BoundScope) => readonly VisibleIdentity[]
  /** Every identity of the user of one, in any session and of any agent, and what all users share: where links to its rows may stand. */
  readonly relatives: (identity: number) => readonly number[]
  /** Reads them again: some have gone. */
  readonly reread: () => void
  readonly mark: () => number
  readonly backTo: (mark: number) => void
}

/** Sessions whose keys are looked at in a write. */
const MOST_SIBLINGS = 64

const SEPARATOR = '\0'
const roomOf = (scope: Scope): string => [scope.org, scope.namespace].join(SEPARATOR)
const shelfOf = (scope: Scope): string => [roomOf(scope), encode(scope.user)].join(SEPARATOR)
const nameOf = (scope: Scope): string => [shelfOf(scope), encode(scope.session), encode(scope.agent)].join(SEPARATOR)

export const openIdentityBook = (db: Db): IdentityBook => {
  const entries: VisibleIdentity[] = []
  const byName = new Map<string, VisibleIdentity>()
  const byNumber = new Map<number, VisibleIdentity>()
  const shelves = new Map<string, VisibleIdentity[]>()

  const add = (identity: number, scope: Scope): void => {
    const entry = { identity, scope, tier: tierOf(scope) }
    entries.push(entry)
    byName.set(nameOf(scope), entry)
    byNumber.set(identity, entry)
    const shelf = shelves.get(shelfOf(scope))
    if (shelf === undefined) shelves.set(shelfOf(scope), [entry])
    else shelf.push(entry)
  }

  const drop = (): void => {
    const entry = entries.pop()
    if (entry === undefined) return
    byName.delete(nameOf(entry.scope))
    byNumber.delete(entry.identity)
    shelves.get(shelfOf(entry.scope))?.pop()
  }

  const candidates = (scope: BoundScope): readonly VisibleIdentity[] => {
    const { org, namespace, user } = resolve(scope)
    if (user === EVERYONE) return entries.filter((entry) => roomOf(entry.scope) === roomOf({ org, namespace }))
    const shared = shelves.get(shelfOf({ org, namespace })) ?? []
    return user === undefined ? shared : [...shared, ...(shelves.get(shelfOf({ org, namespace, user })) ?? [])]
  }

  const reread = (): void => {
    entries.length = 0
    for (const map of [byName, byNumber, shelves]) map.clear()
    for (const row of db.all<IdentityRow>(sql`select * from identities order by identity`))
      add(row.identity, rowToScope(row))
  }
  reread()

  return {
    find: (scope) => byName.get(nameOf(scope))?.identity ?? null,
    take: (scope) => {
      const known = byName.get(nameOf(scope))
      if (known !== undefined) return known.identity
      const identity = (entries[entries.length - 1]?.identity ?? 0) + 1
      db.run(
        sql`insert into identities (identity, org, namespace, agent, user, session) values (${identity}, ${encode(scope.org)},
          ${encode(scope.namespace)}, ${encode(scope.agent)}, ${encode(scope.user)}, ${encode(scope.session)})`,
      )
      add(identity, scope)
      return identity
    },
    all: () => entries,
    scopeOf: (identity) => (byNumber.get(identity) as VisibleIdentity).scope,
    visible: (scope, tiers) =>
      readsNothing(scope)
        ? []
        : candidates(scope).filter(
            (entry) => admits(scope, entry.scope) && (tiers === undefined || tiers.includes(entry.tier)),
          ),
    siblings: (scope) => {
      const { org, namespace, user, session, agent } = resolve(scope)
      if (typeof user !== 'string' || user === EVERYONE || session === undefined || readsNothing(scope)) return []
      return (shelves.get(shelfOf({ org, namespace, user })) ?? [])
        .filter(
          ({ scope: other }) =>
            other.session !== undefined &&
            other.session !== session &&
            (agent === undefined || other.agent === undefined || other.agent === agent),
        )
        .slice(-MOST_SIBLINGS)
        .toReversed()
    },
    relatives: (identity) => {
      const { org, namespace, user } = (byNumber.get(identity) as VisibleIdentity).scope
      const shared = shelves.get(shelfOf({ org, namespace })) ?? []
      const own = user === undefined ? [] : (shelves.get(shelfOf({ org, namespace, user })) ?? [])
      return [...own, ...shared].map((entry) => entry.identity)
    },
    reread,
    mark: () => entries.length,
    backTo: (mark) => {
      while (entries.length > mark) drop()
    },
  }
}

/** Whether a row of this identity lies within what the handle reads. */
const admits = (handle: BoundScope, row: Scope): boolean => {
  const agent = handle.agent === undefined || row.agent === undefined || row.agent === handle.agent
  if (!agent) return false
  if (row.user === undefined && row.session === undefined) return true
  const user = handle.user === EVERYONE || row.user === handle.user
  const session = handle.session === EVERYONE || row.session === undefined || row.session === handle.session
  return user && session
}
