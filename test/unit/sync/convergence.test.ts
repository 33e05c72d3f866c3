import fc from 'fast-check'
import { expect, test } from 'vitest'
import { core } from '../../support/sync/core.js'
import { problemsOf } from '../../support/sync/oracles.js'
import { play, scenarios } from '../../support/sync/scenario.js'

const LONG = process.env['LONG'] === '1'
const MINUTE = 60_000

test('devices that exchange rows come to one state, whatever happens on the way', {
  timeout: LONG ? 60 * MINUTE : 2 * MINUTE,
}, () => {
  fc.assert(
    fc.property(scenarios(LONG ? 150 : 60), (scenario) => {
      expect(problemsOf(core, play(core, scenario))).toEqual([])
    }),
    { numRuns: LONG ? 100_000 : 2_000 },
  )
})
