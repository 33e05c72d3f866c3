import * as z from 'zod/mini'
import { MemoryError } from '../src/protocol/errors.js'

z.config(z.locales.en())

/**
 * Input as its schema wants it, or INVALID_ARGUMENT naming each bad field. Messages name fields and what is expected of them,
 * never the value that was given.
 *
 * @param at path of the input within the call, when it is part of a larger one
 */
export const parse = <Schema extends z.core.$ZodType>(schema: Schema, input: unknown, at = ''): z.output<Schema> => {
  const parsed = z.safeParse(schema, input)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.slice(0, 20).map((issue) => {
    // An unknown field is reported at the object that holds it; what the caller looks for is the field.
    const field = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
    const path = [at, ...issue.path.map(String), ...field].filter((step) => step !== '').join('.') || 'input'
    return { path, message: issue.message }
  })
  const [first] = issues
  throw new MemoryError('INVALID_ARGUMENT', `${first?.path}: ${first?.message}`, { issues })
}
