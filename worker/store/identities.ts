import { type BoundScope, EVERYONE, readsNothing, resolve, tierOf } from '../../src/domain/scope.js'
import type { Scope, Tier } from '../../src/schema/scope.js'
import type { Db, Sql } from '../ports.js'
import { join, sql } from './sql.js'

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

/** The number of an identity, or null when nothing was ever written under it. */
export const findIdentity = (db: Db, scope: Scope): number | null =>
  db.get<{ identity: number }>(
    sql`select identity from identities where org = ${encode(scope.org)} and namespace = ${encode(scope.namespace)}
      and user = ${encode(scope.user)} and session = ${encode(scope.session)} and agent = ${encode(scope.agent)}`,
  )?.identity ?? null

/** The number of an identity, given when it is new. */
export const takeIdentity = (db: Db, scope: Scope): number => {
  const found = findIdentity(db, scope)
  if (found !== null) return found
  db.run(
    sql`insert into identities (org, namespace, agent, user, session) values (${encode(scope.org)}, ${encode(scope.namespace)},
      ${encode(scope.agent)}, ${encode(scope.user)}, ${encode(scope.session)})`,
  )
  return findIdentity(db, scope) as number
}

/** The scope behind a number. */
export const scopeOf = (db: Db, identity: number): Scope => {
  const row = db.get<IdentityRow>(sql`select * from identities where identity = ${identity}`)
  return row === undefined ? { org: '', namespace: '' } : rowToScope(row)
}

/**
 * Every identity that a handle may read: its own tier and the wider ones, never another user's or session's, and nothing when an
 * id is empty. A handle of an agent reads that agent's rows and those of no agent; a handle of none reads all agents' rows.
 */
export const visibleIdentities = (db: Db, scope: BoundScope, tiers?: readonly Tier[]): readonly VisibleIdentity[] => {
  if (readsNothing(scope)) return []
  const { org, namespace } = resolve(scope)
  const rows = db.all<IdentityRow>(
    sql`select * from identities where org = ${encode(org)} and namespace = ${encode(namespace)} and ${levels(scope)}`,
  )
  return rows
    .map((row) => {
      const found = rowToScope(row)
      return { identity: row.identity, scope: found, tier: tierOf(found) }
    })
    .filter(({ tier }) => tiers === undefined || tiers.includes(tier))
}

const levels = (scope: BoundScope): Sql => {
  const agent = scope.agent === undefined ? sql`true` : sql`agent in (${UNSET}, ${encode(scope.agent)})`
  const global = sql`(user = ${UNSET} and session = ${UNSET})`
  const user = scope.user === undefined ? sql`user = ${UNSET}` : scope.user === EVERYONE ? sql`true` : sql`user = ${encode(scope.user)}`
  const session =
    scope.session === undefined
      ? sql`session = ${UNSET}`
      : scope.session === EVERYONE
        ? sql`true`
        : sql`session in (${UNSET}, ${encode(scope.session)})`
  return join([agent, sql`(${global} or (${user} and ${session}))`], ' and ')
}
