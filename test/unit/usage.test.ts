import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { favour, fuse } from '../../src/domain/rank.js'
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

describe('a boost', () => {
  const found = (memories: readonly number[]) =>
    fuse([{ leg: 'lexical', weight: 1, found: memories.map((memory) => ({ memory, passage: memory, score: 1 })) }])
  const memories = fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 20 })
  const boosts = fc.dictionary(
    fc.integer({ min: 1, max: 99 }).map(String),
    fc.double({ min: 0, max: MOST_BOOST, noNaN: true }),
  )

  test('takes nobody away and lowers no score, so that without it all is as it was', () => {
    fc.assert(
      fc.property(memories, boosts, (all, given) => {
        const before = found(all)
        const after = favour(before, new Map(Object.entries(given).map(([memory, boost]) => [Number(memory), boost])))
        expect(after.map(({ memory }) => memory).toSorted()).toEqual(before.map(({ memory }) => memory).toSorted())
        for (const { memory, score, boost } of after) {
          const own = before.find((one) => one.memory === memory)?.score ?? Number.NaN
          expect(score).toBe(own * (1 + boost))
        }
        expect(after.map(({ score }) => score)).toEqual(after.map(({ score }) => score).toSorted((a, b) => b - a))
        expect(favour(before, new Map())).toEqual(before)
      }),
    )
  })

  test('lifts by a few ranks, not to a place that words do not give', () => {
    const all = Array.from({ length: 20 }, (_, i) => i + 1)
    const order = favour(found(all), new Map([[20, MOST_BOOST]])).map(({ memory }) => memory)
    expect(order.indexOf(20)).toBeGreaterThan(10)
    expect(favour(found(all), new Map([[3, MOST_BOOST]]))[0]?.memory).toBe(3)
  })
})
