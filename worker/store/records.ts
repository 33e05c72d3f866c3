import type { Db, Sql, SqlValue } from '../ports.js'
import { type RoomFilter, roomCondition } from './rooms.js'
import { among, join, sql } from './sql.js'
import { type Head, type HeadRow, headColumns, rowToHead } from './versions.js'

/** How a field is compared with a value. `in` takes a list. */
export interface Comparison {
  readonly field: string
  readonly by: 'is' | 'isNot' | 'gt' | 'gte' | 'lt' | 'lte' | 'in'
  readonly value: SqlValue | readonly (string | number)[]
}

export interface SortBy {
  readonly field: string
  readonly order: 'asc' | 'desc'
}

/** A field of a record, by a name without signs that mean something in a path. */
const fieldOf = (field: string): Sql => sql`v.body ->> ${`$.value.fields."${field}"`}`

const comparisonOf = ({ field, by, value }: Comparison): Sql => {
  const held = fieldOf(field)
  if (by === 'in') return sql`${held} in ${among(value as readonly (string | number)[])}`
  const to = value as SqlValue
  switch (by) {
    case 'is':
      return sql`${held} is ${to}`
    case 'isNot':
      return sql`${held} is not ${to}`
    case 'gt':
      return sql`${held} > ${to}`
    case 'gte':
      return sql`${held} >= ${to}`
    case 'lt':
      return sql`${held} < ${to}`
    case 'lte':
      return sql`${held} <= ${to}`
  }
}

/** What stands behind a row in an order: after it by the first field in which the two differ. What has no value comes first, going up. */
const beyond = (sorts: readonly SortBy[], values: readonly SqlValue[], memory: number): Sql => {
  const same = (count: number): readonly Sql[] =>
    sorts.slice(0, count).map(({ field }, i) => sql`${fieldOf(field)} is ${values[i] ?? null}`)
  const ways = sorts.map(({ field, order }, i) =>
    join([...same(i), after(fieldOf(field), order, values[i] ?? null)], ' and '),
  )
  return join([...ways, join([...same(sorts.length), sql`h.memory > ${memory}`], ' and ')], ' or ')
}

const after = (held: Sql, order: SortBy['order'], value: SqlValue): Sql => {
  if (order === 'asc') return value === null ? sql`${held} is not null` : sql`${held} > ${value}`
  return value === null ? sql`false` : sql`(${held} < ${value} or ${held} is null)`
}

/** Records that meet all comparisons, in an order, behind the version that ended the page before. */
export const recordHeads = (
  db: Db,
  identities: readonly number[],
  filter: RoomFilter,
  query: {
    readonly where: readonly Comparison[]
    readonly sorts: readonly SortBy[]
    readonly behind: { readonly row: number; readonly memory: number } | null
    readonly limit: number
  },
): readonly Head[] => {
  const { where, sorts, behind } = query
  const conditions = [roomCondition(identities, filter), ...where.map(comparisonOf)]
  if (behind !== null) conditions.push(sql`(${beyond(sorts, valuesAt(db, behind.row, sorts), behind.memory)})`)
  const order = [
    ...sorts.map(({ field, order }) => (order === 'asc' ? sql`${fieldOf(field)} asc` : sql`${fieldOf(field)} desc`)),
    sql`h.memory`,
  ]
  return db
    .all<HeadRow>(
      sql`select ${headColumns} from heads h join versions v on v.row = h.row
        where ${join(conditions, ' and ')} order by ${join(order, ', ')} limit ${query.limit}`,
    )
    .map(rowToHead)
}

const valuesAt = (db: Db, row: number, sorts: readonly SortBy[]): readonly SqlValue[] =>
  sorts.map(
    ({ field }) =>
      db.get<{ held: SqlValue }>(sql`select ${fieldOf(field)} as held from versions v where v.row = ${row}`)?.held ?? null,
  )

/** The memory of a version, when it stands under one of the identities. */
export const memoryOfRow = (db: Db, identities: readonly number[], row: number): number | null =>
  db.get<{ memory: number }>(sql`select memory from versions where row = ${row} and identity in ${among(identities)}`)
    ?.memory ?? null
