import type { Sql, SqlValue } from '../ports.js'

const isSql = (value: SqlValue | Sql): value is Sql =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)

/**
 * A statement whose interpolations are bound, never pasted. A fragment made by the same tag is joined in with its own values.
 *
 * ```ts
 * db.get(sql`select value from meta where name = ${'term'}`)
 * ```
 */
export const sql = (parts: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]): Sql => {
  let text = parts[0] ?? ''
  const bound: SqlValue[] = []
  values.forEach((value, i) => {
    if (isSql(value)) {
      text += value.text
      bound.push(...value.values)
    } else {
      text += '?'
      bound.push(value)
    }
    text += parts[i + 1] ?? ''
  })
  return { text, values: bound }
}

/** Fragments joined by a fixed separator. */
export const join = (fragments: readonly Sql[], separator: ' and ' | ' or ' | ', '): Sql => ({
  text: fragments.map((fragment) => fragment.text).join(separator),
  values: fragments.flatMap((fragment) => fragment.values),
})

/** Lists up to this length are bound value by value; the planner then sees plain values. */
const SHORT_LIST = 4

/** A list for `in`, bound so that the statement's text stays the same for any length. */
export const among = (values: readonly (number | string)[]): Sql => {
  // An empty list is not a list of null: nothing is in it, and everything is not in it.
  if (values.length === 0) return sql`(select 1 where false)`
  if (values.length > SHORT_LIST) return sql`(select value from json_each(${JSON.stringify(values)}))`
  const padded = Array.from({ length: SHORT_LIST }, (_, i) => values[i] ?? values[0] ?? null)
  return sql`(${join(
    padded.map((value) => sql`${value}`),
    ', ',
  )})`
}
