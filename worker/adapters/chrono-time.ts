import { casual } from 'chrono-node/en'
import type { TimeWindow } from '../../src/domain/search/time.js'

type Unit = 'year' | 'month' | 'day' | 'hour'

/** What was named last of a date says how long it is. */
const UNITS: readonly Unit[] = ['hour', 'day', 'month', 'year']

/** The first time that a query names, in the zone of the browser. */
export const readTime = (query: string, now: number): TimeWindow | null => {
  const [found] = casual.parse(query, new Date(now), { forwardDate: false })
  if (found === undefined) return null
  const { start, end, index, text } = found
  const unit = UNITS.find((one) => start.isCertain(one)) ?? (start.isCertain('weekday') ? 'day' : null)
  if (unit === null) return null
  const from = begin(start.date(), unit)
  const last = end === null || end === undefined ? from : begin(end.date(), unit)
  return { from: from.getTime(), to: after(last, unit).getTime(), start: index, end: index + text.length }
}

const begin = (date: Date, unit: Unit): Date =>
  new Date(
    date.getFullYear(),
    unit === 'year' ? 0 : date.getMonth(),
    unit === 'year' || unit === 'month' ? 1 : date.getDate(),
    unit === 'hour' ? date.getHours() : 0,
  )

const after = (date: Date, unit: Unit): Date =>
  new Date(
    date.getFullYear() + Number(unit === 'year'),
    date.getMonth() + Number(unit === 'month'),
    date.getDate() + Number(unit === 'day'),
    date.getHours() + Number(unit === 'hour'),
  )
