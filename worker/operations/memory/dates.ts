import { instantOf, readLocalDate, utc } from '../../../src/domain/local-date.js'
import type { DatePrecision } from '../../../src/schema/records.js'

/** The zone of this browser. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** A date as it is stored: when it begins or ends, and how much of it was given. */
export interface ReadDate {
  readonly instant: number
  readonly precision: DatePrecision | null
}

/** Reads a date that a schema has let through. What has no zone is of the zone given; of a whole day, month or year the begin or the end is meant. */
export const readDate = (text: string, timeZone: string, edge: 'begin' | 'end'): ReadDate => {
  const local = readLocalDate(text)
  if (local === null) return { instant: Date.parse(text), precision: null }
  return {
    instant: instantOf(edge === 'begin' ? local.first : local.beyond, (instant) => offsetAt(instant, timeZone)),
    precision: local.precision,
  }
}

/** What a zone adds to UTC at an instant, in milliseconds. */
export const offsetAt = (instant: number, timeZone: string): number => {
  const parts = formatOf(timeZone).formatToParts(instant)
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value)
  const isBefore = parts.some(({ type, value }) => type === 'era' && value.startsWith('B'))
  const year = isBefore ? 1 - part('year') : part('year')
  const shown = utc([year, part('month'), part('day'), part('hour'), part('minute'), part('second')])
  return shown - Math.floor(instant / 1000) * 1000
}

/** Making one takes as long as a write. */
const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  formats.set(timeZone, known)
  return known
}
