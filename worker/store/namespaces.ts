import type { NamespaceSettings } from '../../src/schema/namespaces.js'
import type { Status } from '../../src/schema/records.js'
import type { Scope } from '../../src/schema/scope.js'
import type { Db } from '../ports.js'
import { among, sql } from './sql.js'

/** What a namespace has settled, with who did it when. */
export interface Registration {
  readonly settings: NamespaceSettings
  readonly actor: string
  readonly updatedAt: number
}

type Named = Pick<Scope, 'org' | 'namespace'>

/** What was registered for a namespace, or null. */
export const registrationOf = (db: Db, { org, namespace }: Named): Registration | null => {
  const row = db.get<{ settings: string; actor: string; updated_at: number }>(
    sql`select settings, actor, updated_at from namespaces where org = ${org} and namespace = ${namespace}`,
  )
  return row === undefined
    ? null
    : { settings: JSON.parse(row.settings) as NamespaceSettings, actor: row.actor, updatedAt: row.updated_at }
}

/** Everything that was registered, oldest namespace first. */
export const allRegistrations = (db: Db): readonly (Named & Registration)[] =>
  db
    .all<Named & { settings: string; actor: string; updated_at: number }>(
      sql`select org, namespace, settings, actor, updated_at from namespaces order by number`,
    )
    .map(({ org, namespace, settings, actor, updated_at }) => ({
      org,
      namespace,
      settings: JSON.parse(settings) as NamespaceSettings,
      actor,
      updatedAt: updated_at,
    }))

const NOTHING: NamespaceSettings = {}

/** What a namespace has settled. */
export const settingsOf = (db: Db, scope: Named): NamespaceSettings => registrationOf(db, scope)?.settings ?? NOTHING

export const writeRegistration = (db: Db, { org, namespace }: Named, { settings, actor, updatedAt }: Registration): void => {
  db.run(
    sql`insert into namespaces (org, namespace, settings, actor, updated_at)
      values (${org}, ${namespace}, ${JSON.stringify(settings)}, ${actor}, ${updatedAt})
      on conflict (org, namespace) do update set settings = excluded.settings, actor = excluded.actor, updated_at = excluded.updated_at`,
  )
}

/** How many memories stand under each status. */
export const countByStatus = (db: Db, identities: readonly number[]): Readonly<Partial<Record<Status, number>>> =>
  Object.fromEntries(
    db
      .all<{ status: Status; n: number }>(
        sql`select status, count(*) as n from heads where identity in ${among(identities)} group by status order by status`,
      )
      .map(({ status, n }) => [status, n]),
  )

/** Every key that some identities hold. */
export const liveKeys = (db: Db, identities: readonly number[], statuses: readonly Status[]): ReadonlySet<string> =>
  new Set(
    db
      .all<{ key: string }>(
        sql`select distinct key from heads where identity in ${among(identities)} and status in ${among(statuses)}`,
      )
      .map(({ key }) => key),
  )

/** How often searches have found each of some memories. */
export const recallsOf = (db: Db, memories: readonly number[]): ReadonlyMap<number, number> =>
  new Map(
    db
      .all<{ memory: number; times: number }>(sql`select memory, times from recalls where memory in ${among(memories)}`)
      .map(({ memory, times }) => [memory, times]),
  )

/** Adds to how often memories were found. */
export const addRecalls = (db: Db, found: ReadonlyMap<number, number>, nowMs: number): void => {
  for (const [memory, times] of found)
    db.run(
      sql`insert into recalls (memory, times, last_at) values (${memory}, ${times}, ${nowMs})
        on conflict (memory) do update set times = times + excluded.times, last_at = excluded.last_at`,
    )
}
