import type { DatePrecision } from '../schema/records.js'

/** A date as it was written down, without a zone. */
export interface LocalDate {
  /** Epoch milliseconds of its first moment, as if it were UTC. */
  readonly first: number
  /** The same of the first moment after it. */
  readonly beyond: number
  /** How much of it was given; null when it is exact. */
  readonly precision: DatePrecision | null
}

const FORM = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3})\d*)?)?)?)?)?$/

/** Reads `2026`, `2026-03`, `2026-03-01`, `2026-03-01T09:00` or `2026-03-01T09:00:30`, days there are; null for all else. */
export const readLocalDate = (text: string): LocalDate | null => {
  const [, year, month, day, hour, minute, second, part] = FORM.exec(text) ?? []
  if (year === undefined) return null
  const given = [
    Number(year),
    Number(month ?? 1),
    Number(day ?? 1),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second ?? 0),
  ]
  const first = utc(given) + Number((part ?? '').padEnd(3, '0'))
  const last = [year, month, day, minute, second].filter((piece) => piece !== undefined).length
  const precision = (['year', 'month', 'day', 'minute'] as const)[last - 1] ?? null
  // The place of what was given last: the next one of it begins where it ends.
  const place = precision === null ? null : { year: 0, month: 1, day: 2, minute: 4 }[precision]
  return { first, beyond: place === null ? first : utc(given.map((number, i) => number + Number(i === place))), precision }
}

const DAY = 86_400_000

/**
 * Epoch milliseconds of a UTC time in the Gregorian calendar, whatever the year; a number beyond its range goes on in the next. Days are
 * counted from March on, so that the leap day is the last of its year (Hinnant, "chrono-compatible low-level date algorithms").
 */
export const utc = ([year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]): number => {
  const months = year * 12 + month - 3
  const from = Math.floor(months / 12)
  const days = Math.floor((153 * (months - 12 * from) + 2) / 5) + day - 1
  const leaps = Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400)
  return (from * 365 + leaps + days - 719_468) * DAY + ((hour * 60 + minute) * 60 + second) * 1000
}

/**
 * The instant of a local time. Where clocks are put back it is the first of the two; where they are put forward and the time was left
 * out, as much later as they were put forward ("compatible" in RFC 5545 and in Temporal).
 *
 * @param offsetAt what is added to UTC at an instant, in milliseconds
 */
export const instantOf = (local: number, offsetAt: (instant: number) => number): number => {
  const offsets = [offsetAt(local - DAY), offsetAt(local + DAY)]
  const meant = offsets.map((offset) => local - offset).filter((instant) => instant + offsetAt(instant) === local)
  return meant.length > 0 ? Math.min(...meant) : local - (offsets[0] ?? 0)
}
