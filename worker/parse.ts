import * as z from 'zod/mini'
import { MemoryError } from '../src/protocol/errors.js'

z.config(z.locales.en())

/** Longer field names are cut in messages: no schema knows them. */
const LONGEST_STEP = 100

/**
 * Input as its schema wants it, or INVALID_ARGUMENT naming each bad field. Messages name fields and what is expected of them,
 * never the value that was given.
 *
 * @param at path of the input within the call, when it is part of a larger one
 */
export const parse = <Schema extends z.core.$ZodType>(schema: Schema, input: unknown, at = ''): z.output<Schema> => {
  const parsed = tried(schema, input)
  if (parsed.success) return parsed.data
  const named = (path: readonly PropertyKey[], message: string) => ({
    path:
      [at, ...path.map((step) => String(step).slice(0, LONGEST_STEP))].filter((step) => step !== '').join('.') || 'input',
    message,
  })
  const issues = parsed.error.issues
    .flatMap((issue) =>
      // Unknown fields are reported at the object that holds them; what the caller looks for is the field.
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => named([...issue.path, key], 'is not a field of this input'))
        : [named(issue.path, issue.message)],
    )
    .slice(0, 20)
  const [first] = issues
  throw new MemoryError('INVALID_ARGUMENT', `${first?.path}: ${first?.message}`, { issues })
}

/** Checks read lengths and numbers, and those of an object may be anything: what they cannot even be asked of is no input. */
const tried = <Schema extends z.core.$ZodType>(schema: Schema, input: unknown) => {
  try {
    return z.safeParse(schema, input)
  } catch {
    return z.safeParse(z.never('is of a form that cannot be read'), undefined)
  }
}
