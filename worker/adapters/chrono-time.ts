import { casual } from 'chrono-node/en'
import type { TimeWindow } from '../../src/domain/search/time.js'

type Unit = 'year' | 'month' | 'week' | 'day'

const MONTHS = 'january february march april may june july august september october november december'.split(' ')

/** Stretches of the calendar that the parser of dates does not take for one. */
const STRETCH = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?<which>last|past|previous|this|next)\\s+(?<unit>week|month|year)|(?<when>in|during|last|this|next|since|of)\\s+(?:(?<month>${MONTHS.join('|')})(?!\\s*,?\\s*\\d)|(?<year>(?:19|20)\\d\\d)))(?![\\p{L}\\p{N}])`,
  'iu',
)

/** Whole words only: "sun", "mon" and "march" are other words as well. */
const DATE_WORD = /\d|yesterday|today|tonight|tomorrow|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day/iu

/** The first time that a query names, by the calendar of the browser. Hours are left to the words. */
export const readTime = (query: string, now: number): TimeWindow | null => {
  const stretch = readStretch(query, new Date(now))
  if (stretch !== null) return stretch
  for (const { start, end, index, text } of casual.parse(query, new Date(now), { forwardDate: false })) {
    if (!DATE_WORD.test(text)) continue
    const unit: Unit | null =
      start.isCertain('day') || start.isCertain('weekday') ? 'day' : start.isCertain('month') ? 'month' : null
    if (unit === null || (start.isCertain('hour') && !start.isCertain('day'))) continue
    const from = begin(start.date(), unit)
    const last = end === null || end === undefined ? from : begin(end.date(), unit)
    return { from: from.getTime(), to: moved(last, unit, 1).getTime(), start: index, end: index + text.length }
  }
  return null
}

const readStretch = (query: string, now: Date): TimeWindow | null => {
  const found = STRETCH.exec(query)
  if (found?.groups === undefined) return null
  const { which, unit, when, month, year } = found.groups
  const window = (from: Date, length: Unit): TimeWindow => ({
    from: from.getTime(),
    to: moved(from, length, 1).getTime(),
    start: found.index,
    end: found.index + found[0].length,
  })
  if (year !== undefined) return window(new Date(Number(year), 0, 1), 'year')
  if (month !== undefined)
    return window(monthMeant(MONTHS.indexOf(month.toLowerCase()), when?.toLowerCase() ?? 'in', now), 'month')
  const length = (unit ?? 'day').toLowerCase() as Unit
  const away = which?.toLowerCase() === 'this' ? 0 : which?.toLowerCase() === 'next' ? 1 : -1
  return window(moved(begin(now, length), length, away), length)
}

/** "in May" is the one that was last begun, "last May" one that is over, "next May" one to come. */
const monthMeant = (month: number, when: string, now: Date): Date => {
  const current = now.getMonth()
  const year = now.getFullYear()
  if (when === 'next') return new Date(month > current ? year : year + 1, month, 1)
  if (when === 'this') return new Date(year, month, 1)
  return new Date(month < current || (month === current && when !== 'last') ? year : year - 1, month, 1)
}

const begin = (date: Date, unit: Unit): Date => {
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
  if (unit === 'year') return new Date(year, 0, 1)
  if (unit === 'month') return new Date(year, month, 1)
  // Weeks begin on Monday (ISO 8601).
  return new Date(year, month, unit === 'week' ? day - ((date.getDay() + 6) % 7) : day)
}

const moved = (date: Date, unit: Unit, count: number): Date =>
  new Date(
    date.getFullYear() + (unit === 'year' ? count : 0),
    date.getMonth() + (unit === 'month' ? count : 0),
    date.getDate() + (unit === 'week' ? 7 * count : unit === 'day' ? count : 0),
  )
