const UNITS: readonly (readonly [unit: string, words: string])[] = [
  ['eur', '€ eur euro euros'],
  ['usd', '$ usd dollar dollars'],
  ['gbp', '£ gbp quid'],
  ['jpy', '¥ jpy yen'],
  ['cent', '¢ cent cents'],
  ['%', '% percent percentage'],
  ['km', 'km kilometre kilometres kilometer kilometers'],
  ['m', 'm metre metres meter meters'],
  ['cm', 'cm centimetre centimetres centimeter centimeters'],
  ['mm', 'mm millimetre millimetres millimeter millimeters'],
  ['mi', 'mile miles'],
  ['ft', 'ft foot feet'],
  ['in', 'inch inches'],
  ['kg', 'kg kilogram kilograms kilo kilos'],
  ['g', 'g gram grams'],
  ['mg', 'mg milligram milligrams'],
  ['lb', 'lb lbs pound pounds'],
  ['oz', 'oz ounce ounces'],
  ['l', 'l litre litres liter liters'],
  ['ml', 'ml millilitre millilitres milliliter milliliters'],
  ['ms', 'ms millisecond milliseconds'],
  ['s', 's sec secs second seconds'],
  ['min', 'min mins minute minutes'],
  ['h', 'h hr hrs hour hours'],
  ['d', 'day days'],
  ['wk', 'week weeks'],
  ['mo', 'month months'],
  ['y', 'yr yrs year years'],
  ['kb', 'kb kilobyte kilobytes'],
  ['mb', 'mb megabyte megabytes'],
  ['gb', 'gb gigabyte gigabytes'],
  ['tb', 'tb terabyte terabytes'],
  ['°c', '°c celsius'],
  ['°f', '°f fahrenheit'],
]

const BY_WORD: ReadonlyMap<string, string> = new Map(
  UNITS.flatMap(([unit, words]) => words.split(' ').map((word) => [word, unit] as const)),
)

/** The unit a word or sign names, in one spelling, or null. */
export const unitOf = (word: string): string | null => BY_WORD.get(word) ?? null

const MONTHS = 'january february march april may june july august september october november december'.split(' ')
const DAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')

/** Number of a month from 1, or null. `may` alone is a verb more often than a month. */
export const monthOf = (word: string): number | null => {
  const at = MONTHS.findIndex(
    (month) => month === word || (word.length >= 3 && word === month.slice(0, 3)) || word === 'sept',
  )
  return at < 0 ? null : word === 'sept' ? 9 : at + 1
}

/** Number of a weekday from 1 for Monday, also in the plural, or null. */
export const weekdayOf = (word: string): number | null => {
  const at = DAYS.findIndex((day) => day === word || `${day}s` === word)
  return at < 0 ? null : at + 1
}
