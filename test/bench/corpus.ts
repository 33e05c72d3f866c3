const NAMES = [
  'Alice',
  'Bashir',
  'Chen',
  'Dara',
  'Elif',
  'Farid',
  'Greta',
  'Hana',
  'Idris',
  'Jonas',
  'Kofi',
  'Lena',
  'Marek',
  'Nadia',
]
const VERBS = [
  'keeps',
  'prefers',
  'moved',
  'bought',
  'lent',
  'painted',
  'repaired',
  'planned',
  'cancelled',
  'finished',
  'recommended',
]
const THINGS = [
  'the tent',
  'a bicycle',
  'her garden',
  'the invoice',
  'a piano',
  'the kitchen',
  'an old map',
  'the dog',
  'a train ticket',
]
const PLACES = [
  'in Oslo',
  'near the station',
  'at the lake',
  'in the office',
  'by the window',
  'under the stairs',
  'in Lisbon',
  'at home',
]
const TIMES = [
  'on Tuesday',
  'last spring',
  'every morning',
  'in March',
  'before lunch',
  'since 2019',
  'twice a week',
  'at 10:40',
]

const pick = (from: readonly string[], seed: number): string => from[seed % from.length] as string

/** The n-th sentence: always the same one, and never the same as another. */
export const sentence = (n: number): string => {
  const mixed = (n * 2_654_435_761) >>> 0
  return `${pick(NAMES, mixed)} ${pick(VERBS, mixed >>> 4)} ${pick(THINGS, mixed >>> 9)} ${pick(PLACES, mixed >>> 14)} ${pick(TIMES, mixed >>> 19)}, note ${n}.`
}
