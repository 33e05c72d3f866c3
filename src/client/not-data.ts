import { invalidArgument, type MemoryError } from '../protocol/errors.js'

/** Deeper than any value may nest. */
const DEEPEST = 100

/** Sends an input to the worker, or rejects with INVALID_ARGUMENT naming what in it cannot cross. */
export const sendData = async <T>(input: unknown, send: () => PromiseLike<T>): Promise<T> => {
  if (typeof input === 'object' && input !== null) requireReadable(input)
  try {
    return await send()
  } catch (error) {
    throw error instanceof DOMException && error.name === 'DataCloneError' ? notData(input) : error
  }
}

/** Named by its place: the browser only says that there is something. */
const notData = (input: unknown): MemoryError =>
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

/**
 * Refuses what nests so deep that it can be sent and not be read: the worker would never learn of the call (Chromium reads
 * about 2,900 levels).
 */
const requireReadable = (input: object): void => {
  const seen = new Set<object>()
  for (const [field, part] of Object.entries(input))
    if (isDeeper(part, READABLE, seen)) throw invalidArgument(field, 'is nested too deep')
}

const READABLE = 500

/** Whether a part has more levels than that, as copying walks through it: each object once. */
const isDeeper = (part: unknown, levels: number, seen: Set<object>): boolean => {
  if (typeof part !== 'object' || part === null || ArrayBuffer.isView(part) || seen.has(part)) return false
  if (levels === 0) return true
  seen.add(part)
  return childrenOf(part).some((child) => isDeeper(child, levels - 1, seen))
}

const childrenOf = (part: object): readonly unknown[] => {
  if (part instanceof Map) return [...part.keys(), ...part.values()]
  return part instanceof Set ? [...part] : Object.values(part)
}
