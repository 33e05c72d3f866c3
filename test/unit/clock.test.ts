import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextVersion } from '../../src/domain/clock.js'

const JANUARY = Date.UTC(2026, 0, 1)

test('is the wall clock in nanoseconds while that rises', () => {
  expect(nextVersion(JANUARY, 0n, [])).toBe(BigInt(JANUARY) * 1_000_000n)
})

test('rises by one tick within a millisecond and when the clock is set back', () => {
  const first = nextVersion(JANUARY, 0n, [])
  expect(nextVersion(JANUARY, first, [])).toBe(first + 1n)
  expect(nextVersion(JANUARY - 3_600_000, first, [])).toBe(first + 1n)
})

test('rises above a parent from a device whose clock is ahead', () => {
  const ahead = BigInt(JANUARY + 60_000) * 1_000_000n
  expect(nextVersion(JANUARY, 0n, [3n, ahead, 5n])).toBe(ahead + 1n)
})

test('only rises, however the clock jumps', () => {
  const jump = fc.integer({ min: -10_000_000, max: 10_000_000 })
  const step = fc.record({ jump, parents: fc.array(fc.bigInt({ min: 0n, max: 2n ** 62n }), { maxLength: 3 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      let now = JANUARY
      let last = 0n
      for (const { jump, parents } of steps) {
        now += jump
        const version = nextVersion(now, last, parents)
        for (const floor of [last, ...parents]) expect(version > floor).toBe(true)
        expect(version >= BigInt(now) * 1_000_000n).toBe(true)
        last = version
      }
    }),
  )
})
