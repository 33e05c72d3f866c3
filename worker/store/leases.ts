import type { Lease } from '../../src/domain/neighbours/lease.js'
import type { Db } from '../ports.js'
import { sql } from './sql.js'

/** The lease of a name within one identity, or null when it was never granted. */
export const leaseOf = (db: Db, identity: number, name: string): Lease | null =>
  db.get<Lease & Record<string, never>>(
    sql`select holder, token, granted_at as grantedAt, ttl_ms as ttlMs from leases where identity = ${identity} and name = ${name}`,
  ) ?? null

export const putLease = (db: Db, identity: number, name: string, { holder, token, grantedAt, ttlMs }: Lease): void => {
  db.run(
    sql`insert into leases (identity, name, holder, token, granted_at, ttl_ms)
      values (${identity}, ${name}, ${holder}, ${token}, ${grantedAt}, ${ttlMs})
      on conflict (identity, name) do update set holder = excluded.holder, token = excluded.token,
        granted_at = excluded.granted_at, ttl_ms = excluded.ttl_ms`,
  )
}
