import { holdsCredential } from '../../domain/credentials.js'

/** Texts told of in one span, and characters of each. */
const MOST = 8
const LONGEST = 120
/** Texts looked at in one input or answer, and how deep. */
const MOST_SEEN = 64
const DEEPEST = 4
/** Stands in place of a text that holds a key or a password. */
export const MASK = '[masked]'

/** Fields that hold what somebody has said; all others are names, times and numbers. */
const SAYING = new Set([
  'value',
  'text',
  'content',
  'query',
  'question',
  'excerpt',
  'texts',
  'said',
  'object',
  'brief',
  'fields',
  'patch',
])

/** Beginnings of the texts in an input or an answer. A text that holds a secret is masked as a whole, looked at before it is cut. */
export const snippetsOf = (...parts: readonly unknown[]): readonly string[] => {
  const texts: string[] = []
  const walk = (part: unknown, isSaid: boolean, depth: number): void => {
    if (texts.length >= MOST_SEEN || depth > DEEPEST) return
    if (typeof part === 'string') {
      if (isSaid && part.trim() !== '') texts.push(part)
    } else if (Array.isArray(part)) for (const one of part.slice(0, MOST_SEEN)) walk(one, isSaid, depth + 1)
    else if (isPlain(part))
      for (const [name, held] of Object.entries(part)) walk(held, isSaid || SAYING.has(name), depth + 1)
  }
  for (const part of parts) walk(part, false, 0)
  return [...new Set(texts)].slice(0, MOST).map(snippetOf)
}

/** Long enough for every known kind of secret, short enough to be looked at with each call. */
const LOOKED_AT = 20_000

export const snippetOf = (text: string): string => {
  if (holdsCredential(text.slice(0, LOOKED_AT))) return MASK
  const line = text
    .slice(0, LONGEST * 2)
    .replace(/\s+/gu, ' ')
    .trim()
  if (line.length <= LONGEST) return line
  return `${line.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '')}…`
}

const isPlain = (part: unknown): part is Record<string, unknown> => {
  if (typeof part !== 'object' || part === null) return false
  const prototype = Object.getPrototypeOf(part)
  return prototype === Object.prototype || prototype === null
}
