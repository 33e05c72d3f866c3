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

/** A parenthesised list of values for `in`, bound as one JSON text so that the statement stays the same for any length. */
export const among = (values: readonly (number | string)[]): Sql => sql`(select value from json_each(${JSON.stringify(values)}))`
