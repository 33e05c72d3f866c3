import { RE2JS, RE2JSException } from 're2js'
import { PATTERN_LIMITS } from '../../src/domain/blacklist.js'

/** Compiled patterns kept: compiling one costs more than most scans. */
const MOST_KEPT = 500
const kept = new Map<string, RE2JS>()

const compiled = (pattern: string): RE2JS => {
  const known = kept.get(pattern)
  if (known !== undefined) return known
  const made = RE2JS.compile(pattern)
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(pattern, made)
  return made
}

/** Why a pattern cannot be a rule, or null. Says what is wrong with it, not what it is. */
export const patternProblem = (pattern: string): string | null => {
  if (pattern.length > PATTERN_LIMITS.length) return `is longer than ${PATTERN_LIMITS.length} characters`
  try {
    const program = compiled(pattern)
    if (program.programSize() > PATTERN_LIMITS.programSize)
      return `is too large once it is compiled: ${program.programSize()} steps of at most ${PATTERN_LIMITS.programSize}. Shorten its repetitions`
    return program.test('') ? 'matches the empty text, and with it everything' : null
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return syntaxProblem(pattern, error)
  }
}

const LOOKAROUND = /\(\?<?[=!]/u
const BACK_REFERENCE = /\\[1-9]|\\k[<{]|\(\?P=/u

const syntaxProblem = (pattern: string, error: RE2JSException): string => {
  if (LOOKAROUND.test(pattern)) return 'uses lookaround, which cannot be matched in linear time'
  if (BACK_REFERENCE.test(pattern)) return 'uses a back-reference, which cannot be matched in linear time'
  const { error: described } = error as { readonly error?: unknown }
  return `is not a pattern of RE2 syntax: ${typeof described === 'string' ? described : 'it does not compile'}`
}

/** Whether one of the texts has a match. */
export const hasMatch = (pattern: string, texts: readonly string[]): boolean => {
  const program = compiled(pattern)
  return texts.some((text) => program.test(text))
}

/** The first use of an engine compiles the engine; that is nobody's time. */
export const warmUp = (): void => {
  for (const pattern of ['(?i)\\b(?:[a-f]+|x{2,4})\\d$', '(a*)*b'])
    for (let i = 0; i < 20; i++) hasMatch(pattern, ['warm up with abcdef 0123456789 and Ünïcode '.repeat(20)])
}
