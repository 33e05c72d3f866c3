import { afterEach, describe, expect, test } from 'vitest'
import { PATTERN_LIMITS } from '../../src/domain/blacklist.js'
import { createWorkerScanner } from '../../worker/adapters/worker-scanner.js'
import type { PatternScanner } from '../../worker/ports.js'
import { scannerContract } from '../contracts/scanner.contract.js'
import { open, refusal } from '../support/engine-calls.js'
import { createScannerHere } from '../support/scanner-here.js'
import { createThreadScanner } from '../support/thread-scanner.js'

const scanners: PatternScanner[] = []
afterEach(() => {
  for (const scanner of scanners.splice(0)) scanner.stop()
})

const kept = <Scanner extends PatternScanner>(scanner: Scanner): Scanner => {
  scanners.push(scanner)
  return scanner
}

/** Far beyond what a machine under load needs for a pattern that is quick. */
const PATIENT = { ruleMs: 5_000, writeMs: 9_000 }

describe.each([
  ['in this thread', async () => createScannerHere()],
  ['in a thread of its own', () => createThreadScanner(PATIENT)],
])('a scanner %s', (_, create) => {
  test.each(scannerContract)('$name', async ({ run }) => run(kept(await create())))
})

/** Letters in no order: an automaton that has seen one half of them has not seen the other. */
const noise = (length: number): string => {
  let seed = 7
  return Array.from({ length }, () => {
    seed ^= seed << 13
    seed ^= seed >>> 17
    seed ^= seed << 5
    return 'ab'[seed & 1]
  }).join('')
}

/** As much as fits into one value: seconds of work for what is slow. */
const LONGEST = 23 * PATTERN_LIMITS.piece

/** Within all limits of size, and slow all the same: some hundreds of milliseconds for 8 KiB of noise. */
const SLOW = ['([ab]*a[ab]{60}){1,2}\\d$', '[ab]*a[ab]{180}\\b\\d', '(?:[ab]*a[ab]{90}|[ab]*b[ab]{70})\\d']
/** What kills backtracking engines. */
const EXPLOSIVE = [
  '(a+)+$',
  '(a|aa)+$',
  '(a|a?)+$',
  '(.*a){11}$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(x+x+)+y',
  '(?:a?){60}a{60}$',
]

describe('the time box', () => {
  test('ends a pattern that is too slow, and goes on with the next text', async () => {
    const scanner = kept(await createThreadScanner({ ruleMs: 20, writeMs: 100 }))
    const slow = ['zebra', ...SLOW]
    const text = Array.from({ length: 8 }, () => noise(PATTERN_LIMITS.piece))
    expect(await scanner.scan(slow, text)).toEqual({ kind: 'timeout', index: 1 })
    expect(scanner.started()).toBe(2)
    const patient = kept(await createThreadScanner(PATIENT))
    expect(await patient.scan(['ab'], text)).toEqual({ kind: 'match', index: 0 })
  })

  test('takes the rules of a write together', async () => {
    const scanner = kept(await createThreadScanner({ ruleMs: 60_000, writeMs: 30 }))
    const text = Array.from({ length: 8 }, () => noise(PATTERN_LIMITS.piece))
    expect(await scanner.scan(['zebra', SLOW[0] as string], text)).toMatchObject({ kind: 'timeout' })
  })

  test('holds for patterns that explode elsewhere: each is answered or ended, and never hangs', async () => {
    const scanner = kept(await createThreadScanner())
    for (const pattern of [...EXPLOSIVE, ...SLOW])
      for (const text of [`${'a'.repeat(PATTERN_LIMITS.piece - 1)}!`, noise(PATTERN_LIMITS.piece)]) {
        const problem = await scanner.check(pattern)
        if (problem === null) expect(['none', 'match', 'timeout']).toContain((await scanner.scan([pattern], [text])).kind)
      }
  })

  test('a timed out rule refuses the write, is flagged, and leaves the next write its chance', async () => {
    const scanner = kept(await createThreadScanner({ ruleMs: 100, writeMs: 600 }))
    const memory = await open({ scanner })
    const { rule } = await memory.forbid({ pattern: SLOW[0], patternType: 'regex' })
    const text = noise(LONGEST)
    const refused = await refusal(memory.set({ key: 'a', value: text }), 'BLACKLIST_TIMEOUT')
    expect(refused).toEqual({ patternId: rule.id })
    expect(await memory.get('a')).toBeNull()
    expect((await memory.rules())[0]?.timedOutAt).not.toBeNull()
    expect((await memory.audited()).map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'blacklist.add ok',
      'memory.set BLACKLIST_TIMEOUT',
    ])
    // Of a user whom the rule does not concern.
    await memory.set({ key: 'a', value: text, type: 'episodic' }, { user: 'mallory' })
    const bulk = await memory.bulk([
      { key: 'b', value: text },
      { key: 'c', value: 'Quick.' },
    ])
    expect(bulk.results.map((result) => (result.ok ? 'ok' : result.code))).toEqual(['BLACKLIST_TIMEOUT', 'ok'])
    await memory.engine.close()
  })

  test('a sweep leaves what it could not look at, and says so', async () => {
    const scanner = kept(await createThreadScanner({ ruleMs: 100, writeMs: 600 }))
    const memory = await open({ scanner })
    const text = noise(LONGEST)
    await memory.set({ key: 'a', value: text, type: 'episodic' })
    await memory.set({ key: 'b', value: `${'ab'.repeat(100)}a1` })
    const { sweep } = await memory.forbid({ pattern: SLOW[0], patternType: 'regex', sweep: true })
    expect(sweep).toEqual({ tombstoned: 1, kept: 0, unchecked: 1, cut: false })
    expect(await memory.get('a')).not.toBeNull()
    await memory.engine.close()
  })
})

describe('a scanner that cannot run', () => {
  const broken: PatternScanner = createWorkerScanner({
    start: () => {
      throw new Error('no workers here')
    },
    url: 'pattern-worker.js',
  })

  test('says so, and lets nothing through', async () => {
    const memory = await open()
    await memory.forbid({ pattern: 'falcon', patternType: 'regex' })
    const again = await open({ db: memory.db, scanner: broken, system: memory.system })
    expect(await refusal(again.set({ key: 'a', value: 'Harmless.' }), 'WORKER_FAILED')).toEqual({
      url: 'pattern-worker.js',
      cause: 'no workers here',
    })
    await refusal(again.forbid({ pattern: 'osprey', patternType: 'regex' }), 'WORKER_FAILED')
    // Plain texts need no engine.
    await again.forbid({ pattern: 'osprey', patternType: 'substring' }, { user: 'bob' })
    await again.set({ key: 'a', value: 'Harmless.' }, { user: 'bob' })
  })
})
