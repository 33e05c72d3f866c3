import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instantOf, readLocalDate, utc } from '../../src/domain/local-date.js'

test('counts days as the platform does, whatever the year', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 9999 }),
      fc.integer({ min: 1, max: 14 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 86_399 }),
      (year, month, day, seconds) => {
        const date = new Date(0)
        date.setUTCFullYear(year, month - 1, day)
        date.setUTCHours(0, 0, seconds)
        expect(utc([year, month, day, 0, 0, seconds])).toBe(date.getTime())
      },
    ),
  )
})

test('a local time is an instant that the clocks show as that time, where there is one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -5, max: 5 }),
      fc.integer({ min: -12, max: 14 }),
      fc.integer({ min: -12, max: 14 }),
      fc.integer({ min: -40, max: 40 }),
      (shiftAt, before, after, local) => {
        const hour = 3_600_000
        fc.pre(Math.abs(before - after) <= 2)
        const offsetAt = (instant: number): number => (instant < shiftAt * hour ? before : after) * hour
        const instant = instantOf(local * hour, offsetAt)
        const shown = [instant, instant - hour, instant + hour].map((one) => one + offsetAt(one))
        if (instant + offsetAt(instant) === local * hour)
          for (const earlier of [instant - hour, instant - 2 * hour])
            expect(earlier + offsetAt(earlier)).not.toBe(local * hour)
        else expect(shown).not.toContain(local * hour)
      },
    ),
  )
})

test('no other form is a date', () => {
  for (const text of ['', '26', '2026-3', '2026-03-01T09', '2026-03-01 09:00', '2026-03-01T09:00Z', 'x'])
    expect(readLocalDate(text)).toBeNull()
  expect(readLocalDate('2026-12-31T23:59')).toEqual({
    first: Date.UTC(2026, 11, 31, 23, 59),
    beyond: Date.UTC(2027, 0, 1),
    precision: 'minute',
  })
})
