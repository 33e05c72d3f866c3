import { PATTERN_LIMITS } from '../../src/domain/blacklist.js'
import type { PatternScanner } from '../../worker/ports.js'

/** One behaviour that every scanner has. Runs in any realm: a failed check throws. */
export interface ScannerCase {
  readonly name: string
  readonly run: (scanner: PatternScanner) => Promise<void>
}

const check = (holds: boolean, problem: string): void => {
  if (!holds) throw new Error(problem)
}

const same = (found: unknown, wanted: unknown): void =>
  check(JSON.stringify(found) === JSON.stringify(wanted), `${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`)

const refuses = (title: string, pattern: string, word: string): ScannerCase => ({
  name: `refuses ${title} and says why`,
  run: async (scanner) => {
    const problem = await scanner.check(pattern)
    check(problem?.includes(word) === true, `"${pattern}": ${problem}`)
    check(!problem?.includes(pattern), 'the reason repeats the pattern')
  },
})

export const scannerContract: readonly ScannerCase[] = [
  {
    name: 'takes patterns of RE2 syntax',
    run: async (scanner) => {
      for (const pattern of [
        'falcon',
        '(?i)falcon',
        '\\bproject (a|b)+\\b',
        '\\p{L}{3,9}\\d',
        '^x$',
        '(?P<name>a)',
        '(?<n>a)',
      ])
        same(await scanner.check(pattern), null)
    },
  },
  refuses('lookahead', 'a(?=b)', 'lookaround'),
  refuses('negative lookahead', '(?!b)a', 'lookaround'),
  refuses('lookbehind', '(?<=a)b', 'lookaround'),
  refuses('negative lookbehind', '(?<!a)b', 'lookaround'),
  refuses('back-references', '(a)\\1', 'back-reference'),
  refuses('named back-references', '(?<n>a)\\k<n>', 'back-reference'),
  refuses('a pattern that is not closed', '(secret', 'closing'),
  refuses('too many repetitions', 'x{2000}', 'repeat count'),
  refuses('a program that is too large', '(abcde){90}', 'too large'),
  refuses('a pattern that is too long', 'x'.repeat(PATTERN_LIMITS.length + 1), 'longer'),
  refuses('a pattern that matches everything', '(secret)*', 'everything'),
  {
    name: 'says which pattern is found first',
    run: async (scanner) => {
      same(await scanner.scan(['zebra', '(?i)FALCON'], ['project falcon']), { kind: 'match', index: 1 })
      same(await scanner.scan(['falcon', '.'], ['project falcon']), { kind: 'match', index: 0 })
      same(await scanner.scan(['zebra', '^falcon'], ['project falcon']), { kind: 'none' })
    },
  },
  {
    name: 'looks at every piece',
    run: async (scanner) => {
      same(await scanner.scan(['falcon$'], ['a', 'b', 'the falcon']), { kind: 'match', index: 0 })
      same(await scanner.scan(['falcon'], []), { kind: 'none' })
    },
  },
  {
    name: 'finds nothing where there is no pattern',
    run: async (scanner) => same(await scanner.scan([], ['a']), { kind: 'none' }),
  },
  {
    name: 'answers many at once, each with its own',
    run: async (scanner) => {
      const scans = Array.from({ length: 30 }, (_, i) => scanner.scan(['x{9}', `n${i}e`], [`n${i % 2 === 0 ? i : 99}e`]))
      const wanted = scans.map((_, i) => (i % 2 === 0 ? { kind: 'match', index: 1 } : { kind: 'none' }))
      same(await Promise.all(scans), wanted)
    },
  },
  {
    name: 'starts anew after it was stopped',
    run: async (scanner) => {
      scanner.stop()
      same(await scanner.scan(['a'], ['a']), { kind: 'match', index: 0 })
      scanner.stop()
    },
  },
]
