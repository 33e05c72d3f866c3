import type { UserProfile } from '../../src/schema/erasing.js'
import type { Db } from '../ports.js'
import { among, sql } from './sql.js'

/** How much stands under some identities, and since when. */
export const profileOf = (
  db: Db,
  identities: readonly number[],
): Pick<UserProfile, 'memories' | 'versions' | 'bytes' | 'byType' | 'byStatus' | 'firstAt' | 'lastAt'> => {
  const within = among(identities)
  const counted = (column: 'type' | 'status') => {
    const name = column === 'type' ? sql`type` : sql`status`
    const rows = db.all<{ name: string; n: number }>(
      sql`select ${name} as name, count(*) as n from heads where identity in ${within} group by 1 order by 1`,
    )
    return Object.fromEntries(rows.map(({ name: of, n }) => [of, n]))
  }
  const versions = db.get<{ n: number; bytes: number; first: number | null; last: number | null }>(
    sql`select count(*) as n, coalesce(sum(length(cast(body as blob))), 0) as bytes, min(ver) / 1000000 as first, max(ver) / 1000000 as last
      from versions where identity in ${within}`,
  )
  const byType = counted('type')
  return {
    memories: Object.values(byType).reduce((sum, n) => sum + n, 0),
    versions: versions?.n ?? 0,
    bytes: versions?.bytes ?? 0,
    byType,
    byStatus: counted('status'),
    firstAt: versions?.first ?? null,
    lastAt: versions?.last ?? null,
  }
}
