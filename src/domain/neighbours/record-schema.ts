import type { FieldType, RecordFields } from '../../schema/neighbours/records.js'
import type { JsonValue } from '../../schema/scalars.js'
import type { FieldWrites } from './fold.js'

/** A value that its field may not hold. */
export interface FieldProblem {
  readonly field: string
  readonly message: string
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/
const DAY = /^\d{4}-\d\d-\d\d$/

/** Whether a value is of a type; `readInstant` reads an instant, NaN for what is none. */
const isOf = (type: FieldType, value: JsonValue, readInstant: (text: string) => number): boolean => {
  if (type === 'json') return true
  if (type === 'number' || type === 'boolean') return typeof value === type
  if (typeof value !== 'string') return false
  if (type === 'text') return true
  const [pattern, text] = type === 'instant' ? [INSTANT, value] : [DAY, `${value}T00:00:00Z`]
  return pattern.test(value) && !Number.isNaN(readInstant(text))
}

/** What is wrong with fields that are written, the first of it; null where they fit. */
export const fieldProblem = (
  schema: RecordFields,
  writes: FieldWrites,
  readInstant: (text: string) => number,
): FieldProblem | null => {
  for (const [field, value] of Object.entries(writes)) {
    const declared = Object.hasOwn(schema, field) ? schema[field] : undefined
    if (declared === undefined) return { field, message: 'is not a field of this collection' }
    if (value === null) continue
    if (!isOf(declared.type, value, readInstant)) return { field, message: `is not of type ${declared.type}` }
    if (declared.values !== undefined && !declared.values.includes(String(value)))
      return { field, message: `is none of ${declared.values.join(', ')}` }
  }
  return null
}

/** The first field that a record has to have and has not, or null. */
export const missingField = (schema: RecordFields, fields: FieldWrites): string | null =>
  Object.entries(schema).find(([name, { required }]) => required === true && !Object.hasOwn(fields, name))?.[0] ?? null
