import { hasMatch, patternProblem } from '../../worker/patterns/match.js'
import type { PatternScanner } from '../../worker/ports.js'

/** The engine of patterns in this thread: nothing stops it, so it is for patterns that need no stopping. */
export const createScannerHere = (): PatternScanner => ({
  check: async (pattern) => patternProblem(pattern),
  scan: async (patterns, pieces) => {
    const index = patterns.findIndex((pattern) => hasMatch(pattern, pieces))
    return index === -1 ? { kind: 'none' } : { kind: 'match', index }
  },
  stop: () => undefined,
})
