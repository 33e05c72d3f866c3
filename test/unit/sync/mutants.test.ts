import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { core } from '../../support/sync/core.js'
import { MUTANTS, type Mutant, mutated, occurrences } from '../../support/sync/mutants.js'
import { problemsOf } from '../../support/sync/oracles.js'
import { play, scenarios } from '../../support/sync/scenario.js'

const LONG = process.env['LONG'] === '1'
const RUNS = LONG ? 20_000 : 800

/** The same scenarios in every short run: which faults they catch is known, and does not change by chance. */
const SEED = LONG ? {} : { seed: 7 }

/** Whether scenarios tell a faulty core from the real one. */
const isCaught = (mutant: Mutant): boolean => {
  const faulty = mutated(mutant)
  const holds = fc.property(scenarios(100), (scenario) => {
    try {
      return problemsOf(faulty, play(faulty, scenario)).length === 0
    } catch {
      return false
    }
  })
  return fc.check(holds, { numRuns: RUNS, endOnFailure: true, ...SEED }).failed
}

test('every mutant changes one place that is there', () => {
  expect(MUTANTS.filter((mutant) => occurrences(mutant) !== 1).map(({ name }) => name)).toEqual([])
  expect(MUTANTS.length).toBeGreaterThanOrEqual(25)
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
})

test('a core that is loaded this way without a fault holds', () => {
  const same = mutated({ name: 'none', file: 'stamp', find: 'export', put: 'export' })
  fc.assert(
    fc.property(scenarios(60), (scenario) => problemsOf(same, play(same, scenario)).length === 0),
    { numRuns: 100 },
  )
  expect(Object.keys(same).sort()).toEqual(expect.arrayContaining(Object.keys(core)))
})

describe('scenarios', () => {
  const missed: string[] = []

  test.each(MUTANTS)('are held against a core that $name', { timeout: 10 * 60_000 }, (mutant) => {
    if (!isCaught(mutant)) missed.push(mutant.name)
  })

  test('catch all but one in twenty of them', () => {
    expect(missed.length, `not caught: ${missed.join(', ')}`).toBeLessThanOrEqual(MUTANTS.length * 0.05)
  })
})
