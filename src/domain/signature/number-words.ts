const SMALL =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen`.split(/\s+/)
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const ORDINALS =
  `zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
  fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`.split(/\s+/)

const CARDINAL: ReadonlyMap<string, number> = new Map([
  ...SMALL.map((word, i) => [word, i] as const),
  ...TENS.map((word, i) => [word, 20 + 10 * i] as const),
  ['dozen', 12],
])

const ORDINAL: ReadonlyMap<string, number> = new Map([...ORDINALS.map((word, i) => [word, i] as const), ['thirtieth', 30]])

const MAGNITUDE: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1e3],
  ['k', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
  ['trillion', 1e12],
])

/** A number that was read, and how many words it took. */
export interface ReadNumber {
  readonly value: number
  readonly isOrdinal: boolean
  readonly words: number
}

/** Reads a number from the words at a place: `two hundred and fifty`, `200 million`, `third`, `twenty-first`, `1,250`. Null for none. */
export const readNumber = (words: readonly string[], at: number): ReadNumber | null => {
  const first = words[at] ?? ''
  const digits = /^(\d+(?:\.\d+)?)(st|nd|rd|th)?$/.exec(first)
  if (digits !== null) {
    const isOrdinal = digits[2] !== undefined
    const magnitude = isOrdinal ? undefined : MAGNITUDE.get(words[at + 1] ?? '')
    return { value: Number(digits[1]) * (magnitude ?? 1), isOrdinal, words: magnitude === undefined ? 1 : 2 }
  }
  return readSpelled(words, at)
}

const readSpelled = (words: readonly string[], at: number): ReadNumber | null => {
  let total = 0
  let current = 0
  let taken = 0
  let last = 0
  for (let i = at; i < words.length; i++) {
    const word = words[i] ?? ''
    const [tens = '', unit] = word.split('-')
    const ordinal = ORDINAL.get(unit ?? word)
    const cardinal = unit === undefined ? CARDINAL.get(word) : sumOf(CARDINAL.get(tens), CARDINAL.get(unit))
    const magnitude = MAGNITUDE.get(word)
    if (ordinal !== undefined && (unit === undefined || CARDINAL.has(tens))) {
      const value = total + current + ordinal + (unit === undefined ? 0 : (CARDINAL.get(tens) ?? 0))
      return { value, isOrdinal: true, words: i - at + 1 }
    }
    // Two numbers in a row are two numbers, but for tens with units: twenty two.
    if (cardinal !== undefined && (taken === 0 || last >= 100 || (last >= 20 && cardinal < 10))) current += cardinal
    else if (magnitude === 100 && taken > 0 && current > 0) current *= 100
    else if (magnitude !== undefined && magnitude > 100 && taken > 0) {
      total += current * magnitude
      current = 0
    } else if (word !== 'and' || last < 100 || !CARDINAL.has(words[i + 1] ?? '')) break
    if (word === 'and') continue
    last = magnitude ?? cardinal ?? 0
    taken = i - at + 1
  }
  return taken === 0 ? null : { value: total + current, isOrdinal: false, words: taken }
}

const sumOf = (tens: number | undefined, unit: number | undefined): number | undefined =>
  tens === undefined || unit === undefined ? undefined : tens + unit
