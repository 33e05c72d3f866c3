const MIRROR: { readonly [word: string]: string } = {
  i: 'you',
  "i'm": "you're",
  "i've": "you've",
  "i'd": "you'd",
  "i'll": "you'll",
  me: 'you',
  my: 'your',
  mine: 'yours',
  myself: 'yourself',
  your: 'my',
  yours: 'mine',
}

const LONGEST_SENTENCE = 200

/** What a person said of themselves, said back to them: "I moved to Berlin" is "You moved to Berlin." */
export const toSecondPerson = (statement: string): string => {
  const mirrored = statement
    .trim()
    .replace(/\b(i am|am i)\b/gi, (words) => (/^i/i.test(words) ? 'you are' : 'are you'))
    .replace(/\bi was\b/gi, 'you were')
    .replace(/(?<![\p{L}'’])(i['’](?:m|ve|d|ll)|i|me|my|mine|myself|your|yours)(?![\p{L}'’])/giu, mirror)
  return asSentence(mirrored)
}

const mirror = (word: string): string => MIRROR[word.toLowerCase().replace('’', "'")] ?? word

const asSentence = (text: string): string => {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?…。]["”’)]*$/u.test(sentence) ? sentence : `${sentence}.`
}

/** A memory as the sentence of an answer. What is long or has lines of its own is quoted by its most telling sentence. */
export const tell = (value: string, telling: string): string =>
  value.length <= LONGEST_SENTENCE && !value.includes('\n')
    ? toSecondPerson(value)
    : `You wrote: “${clip(telling.replace(/\s+/gu, ' ').trim(), LONGEST_SENTENCE)}”`

/** The beginning of a text, cut between words where there are any. */
export const clip = (text: string, length: number): string => {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  const space = cut.lastIndexOf(' ')
  return `${(space > length / 2 ? cut.slice(0, space) : cut).replace(/\p{Surrogate}$/u, '')}…`
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** How long ago something was, as people say it. */
export const age = (at: number, now: number): string => {
  const seconds = Math.max(0, (now - at) / 1000)
  const unit = UNITS.find(([, length]) => seconds >= length)
  return unit === undefined ? 'just now' : relative.format(-Math.floor(seconds / unit[1]), unit[0])
}

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' })
const ENDINGS: { readonly [rule: string]: string } = { one: 'st', two: 'nd', few: 'rd' }

export const ordinal = (n: number): string => `${n}${ENDINGS[ORDINALS.select(n)] ?? 'th'}`

export const plural = (n: number, one: string, many: string): string => `${n.toLocaleString('en')} ${n === 1 ? one : many}`
