import { invalidArgument, type MemoryError } from '../protocol/errors.js'

/** Deeper than any value may nest. */
const DEEPEST = 100

/** Whether sending failed because of what was sent. */
export const isNotData = (error: unknown): boolean => error instanceof DOMException && error.name === 'DataCloneError'

/** What cannot cross to the worker, named by its place: the browser only says that there is something. */
export const notData = (input: unknown): MemoryError =>
  invalidArgument(
    placeOf(input, DEEPEST).join('.') || 'input',
    'is not data: a function or something else that cannot be copied',
  )

const placeOf = (part: unknown, depth: number): readonly string[] => {
  if (typeof part !== 'object' || part === null || depth === 0) return []
  const found = Object.entries(part).find(([, child]) => !canBeCopied(child))
  return found === undefined ? [] : [found[0], ...placeOf(found[1], depth - 1)]
}

const canBeCopied = (part: unknown): boolean => {
  try {
    structuredClone(part)
    return true
  } catch {
    return false
  }
}
