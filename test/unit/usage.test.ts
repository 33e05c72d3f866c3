import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  afterOutcome,
  boostOf,
  decayed,
  MOST_BOOST,
  MOST_OUTCOMES,
  type RunOutcome,
  summed,
  UNUSED,
  USAGE_HALF_LIFE_MS,
  type Usage,
} from '../../src/domain/usage.js'

const outcome = fc.constantFrom<RunOutcome>('helped', 'harmed', 'neutral')
const told = fc.array(fc.record({ outcome, after: fc.integer({ min: -1_000, max: 3 * USAGE_HALF_LIFE_MS }) }), {
  maxLength: 60,
})

const tell = (all: readonly { readonly outcome: RunOutcome; readonly after: number }[]): { usage: Usage; now: number } =>
  all.reduce(({ usage, now }, one) => ({ usage: afterOutcome(usage, one.outcome, now + one.after), now: now + one.after }), {
    usage: UNUSED,
    now: 1_767_225_600_000,
  })

describe('usage', () => {
  test('is bounded however often it is told, counts every use, and boosts by no less than nothing', () => {
    fc.assert(
      fc.property(told, (all) => {
        const { usage, now } = tell(all)
        expect(usage.uses).toBe(all.length)
        for (const sum of [usage.helped, usage.harmed]) {
          expect(sum).toBeGreaterThanOrEqual(0)
          expect(sum).toBeLessThanOrEqual(MOST_OUTCOMES)
        }
        const boost = boostOf(summed([usage, usage, usage], now))
        expect(boost).toBeGreaterThanOrEqual(0)
        expect(boost).toBeLessThan(MOST_BOOST)
      }),
    )
  })

  test('is worth half after its half-life, and never more for a clock that was set back', () => {
    const once = afterOutcome(UNUSED, 'helped', 1_000)
    expect(decayed(once, 1_000 + USAGE_HALF_LIFE_MS).helped).toBe(0.5)
    expect(decayed(once, 1_000 + 2 * USAGE_HALF_LIFE_MS).helped).toBe(0.25)
    expect(decayed(once, 0)).toEqual(once)
  })

  test('lifts by what helped, less by what harmed too, and not at all by use alone', () => {
    const after = (...outcomes: readonly RunOutcome[]) =>
      boostOf(tell(outcomes.map((one) => ({ outcome: one, after: 0 }))).usage)
    expect(after('helped')).toBeGreaterThan(0)
    expect(after('helped', 'helped')).toBeGreaterThan(after('helped'))
    expect(after('helped', 'helped', 'harmed')).toBe(after('helped'))
    expect(after('neutral', 'neutral')).toBe(0)
    expect(after('harmed', 'harmed')).toBe(0)
  })
})
