import { readNumber } from './number-words.js'
import { monthOf, unitOf, weekdayOf } from './units.js'

/** A word of a statement, or something in it that has a value. */
export interface Token {
  /** In lower case, without possessive ending. */
  readonly text: string
  /** Its value in one spelling, such as `5 mg`, `14:00`, `#3`, `3-14`; null for words. */
  readonly value: string | null
  /** Written with a capital, though no sentence begins here. */
  readonly isName: boolean
  /** A comma, colon, semicolon or sentence end stands before it. */
  readonly afterBreak: boolean
}

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’.:\-_/@+&=?%#~]+[\p{L}\p{N}\p{M}]+)*|[€$£¥¢%]/gu

/** Spelled out, so that both ways of writing are one. */
const CONTRACTIONS: readonly (readonly [pattern: RegExp, full: string])[] = [
  [/\bcan['’]?t\b|\bcannot\b/gi, 'can not'],
  [/\bwon['’]t\b/gi, 'will not'],
  [/\bshan['’]t\b/gi, 'shall not'],
  [/n['’]t\b/gi, ' not'],
  [/\b(i)['’]m\b/gi, '$1 am'],
  [/['’]re\b/gi, ' are'],
  [/['’]ve\b/gi, ' have'],
  [/['’]ll\b/gi, ' will'],
  [/['’]d\b/gi, ' would'],
  [/\b(he|she|it|that|there|what|who)['’]s\b/gi, '$1 is'],
]

const TITLE = /\b(?:mr|mrs|ms|dr|st|jr|sr|prof|gen|sen|rep|gov|\p{Lu})$/iu

interface RawWord {
  readonly text: string
  readonly written: string
  readonly starts: boolean
  readonly afterBreak: boolean
}

/** Words and values of a text, in order. */
export const tokensOf = (text: string): readonly Token[] => {
  const words = wordsOf(text)
  const plain = words.map((word) => word.text)
  const tokens: Token[] = []
  for (let i = 0; i < words.length; ) {
    const word = words[i] as RawWord
    const found = valueAt(plain, i)
    const isName = !word.starts && /^\p{Lu}/u.test(word.written) && word.text !== 'i'
    tokens.push({
      text: found === null ? word.text : found.value,
      value: found?.value ?? null,
      isName: found === null && isName,
      afterBreak: word.afterBreak,
    })
    i += found?.words ?? 1
  }
  return tokens
}

const wordsOf = (text: string): readonly RawWord[] => {
  let plain = text.normalize('NFKC').replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
  if (/['’]|cannot/i.test(plain)) for (const [pattern, full] of CONTRACTIONS) plain = plain.replace(pattern, full)
  let end = 0
  let first = true
  return [...plain.matchAll(WORD)].map((match) => {
    // The full stop of a title ends no sentence.
    const between = plain.slice(end, match.index).replace(TITLE.test(plain.slice(0, end)) ? /^\./ : /^$/, '')
    end = match.index + match[0].length
    const starts = first || /[.!?:;\n]\s*["“(]?$/.test(between)
    first = false
    const written = match[0].replace(/['’]s?$/, '').replace(/['’]s$/i, '')
    return { text: written.toLowerCase(), written, starts, afterBreak: /[,.!?:;\n(–—]/.test(between) }
  })
}

interface FoundValue {
  readonly value: string
  readonly words: number
}

/** What has a value at a place of a text: a date, a time, a number with its unit, a version, an address. Null for a word. */
const valueAt = (words: readonly string[], at: number): FoundValue | null => {
  const word = words[at] ?? ''
  return exactAt(word) ?? dateAt(words, at) ?? amountAt(words, at)
}

const EXACT = [
  // Versions and other numbers with several dots, dates in digits, addresses.
  /^v?\d+(?:\.\d+){2,}$/,
  /^v\d+(?:\.\d+)*$/,
  /^\d{4}-\d{2}-\d{2}$/,
  /^https?:/,
  /@.+\./,
]

const exactAt = (word: string): FoundValue | null => {
  const time = /^(\d{1,2}):(\d{2})$/.exec(word)
  if (time !== null) return { value: `${Number(time[1])}:${time[2]}`, words: 1 }
  if (!EXACT.some((pattern) => pattern.test(word))) return null
  return { value: word.replace(/^v(?=\d)/, ''), words: 1 }
}

/** `14 March 2026`, `March 14th`, `14th of March`, `in May`, `Tuesdays`. */
const dateAt = (words: readonly string[], at: number): FoundValue | null => {
  const [first = '', second = '', third = '', fourth = ''] = words.slice(at, at + 4)
  const weekday = weekdayOf(first)
  if (weekday !== null) return { value: `weekday ${weekday}`, words: 1 }
  const day = dayOf(first)
  const monthAfter = day === null ? null : monthOf(second === 'of' ? third : second)
  if (day !== null && monthAfter !== null) {
    const used = second === 'of' ? 3 : 2
    return dated(monthAfter, day, second === 'of' ? fourth : third, used)
  }
  const month = monthOf(first)
  // Unlike the month, the verb stands at no date and after no preposition of time.
  const isMonth = !VERBS.has(first) || dayOf(second) !== null || isYear(second) || TIMED.has(words[at - 1] ?? '')
  if (month === null || !isMonth) return null
  const after = dayOf(second)
  if (after !== null && !isYear(second)) return dated(month, after, third, 2)
  return isYear(second) ? { value: `${second}-${month}`, words: 2 } : { value: `month ${month}`, words: 1 }
}

const VERBS = new Set(['may', 'march'])

const TIMED = new Set(['in', 'since', 'until', 'by', 'of', 'last', 'next', 'from', 'this', 'every'])

const dated = (month: number, day: number, year: string, words: number): FoundValue =>
  isYear(year) ? { value: `${year}-${month}-${day}`, words: words + 1 } : { value: `${month}-${day}`, words }

const isYear = (word: string): boolean => /^(?:1[5-9]|20|21)\d{2}$/.test(word)

const dayOf = (word: string): number | null => {
  const day = Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word)?.[1] ?? 0)
  return day >= 1 && day <= 31 ? day : null
}

/** A number with the unit before, glued to, or after it. */
const amountAt = (words: readonly string[], at: number): FoundValue | null => {
  const first = words[at] ?? ''
  const sign = /^[€$£¥¢]$/.test(first) ? unitOf(first) : null
  const glued = /^(\d+(?:\.\d+)?)([a-z°%]+)$/.exec(first)
  const gluedUnit = glued === null ? null : unitOf(glued[2] ?? '')
  if (glued !== null && gluedUnit !== null) return { value: `${Number(glued[1])} ${gluedUnit}`, words: 1 }
  if (glued !== null && /^(?:am|pm)$/.test(glued[2] ?? '')) return { value: hourOf(Number(glued[1]), glued[2]), words: 1 }
  const number = readNumber(words, sign === null ? at : at + 1)
  if (number === null) return null
  const used = number.words + (sign === null ? 0 : 1)
  if (number.isOrdinal) return { value: `#${number.value}`, words: used }
  const next = words[at + used] ?? ''
  if (/^(?:am|pm)$/.test(next)) return { value: hourOf(number.value, next), words: used + 1 }
  const unit = sign ?? unitOf(next)
  // With its sign before it, a currency may be named after it once more.
  const named = unit !== null && unitOf(next) === unit ? 1 : 0
  return { value: unit === null ? String(number.value) : `${number.value} ${unit}`, words: used + named }
}

const hourOf = (hour: number, half: string | undefined): string => `${(hour % 12) + (half === 'pm' ? 12 : 0)}:00`
