import { casual as german } from 'chrono-node/de'
import { casual as english } from 'chrono-node/en'
import { hans } from 'chrono-node/zh'
import type { DatePhrase, Tense } from '../../src/domain/extract/found.js'
import type { Moment } from '../operations/learning/talk-reader.js'

/** Words that also name a month or a day, and are one by mistake when they stand alone. */
const AMBIGUOUS =
  /^(?:may|march|mar|sat|sun|second|now|right now|this|jetzt|heute früh|现在|\d{1,2}|\d{1,2}[:.]\d{2}|noon|midnight|night|the night|evening|morning|afternoon)$/iu
const PLAIN =
  /\d|day\b|month|year|week|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|night|christmas|morrow|morning|noon|spring|summer|fall|winter|tag|woche|monat|jahr|morgen|gestern|übermorgen|heute|abend|mittwoch|[\u3400-\u9fff]/iu

/** A month is one where a word stands before it that goes with months, and it begins as one. */
const isAmbiguous = (text: string, phrase: string, index: number): boolean =>
  AMBIGUOUS.test(phrase) &&
  !(
    /^(?:May|March)$/u.test(phrase) &&
    /\b(?:in|since|until|by|last|next|this|of|during|from)\s+$/iu.test(text.slice(0, index))
  )

/** How long something takes, or how often it comes, is no date. */
const DURATION =
  /^(?:for |about |around |within |over |up to )*(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d+|few|a few|several)[ -](?:second|minute|hour|day|week|month|year|decade)s?$/iu
const RECURS_AFTER = /^(?:s\b|\s+(?:mornings|afternoons|evenings|nights))/iu
const RECURS_BEFORE = /\b(?:every|each)\s+(?:other\s+)?$/iu

/** Somewhere to count from where no day is known: what does not depend on it comes out the same. */
const ANYWHERE = Date.UTC(2000, 0, 1, 12)

const parserFor = (text: string) =>
  /\p{Script=Han}/u.test(text)
    ? hans
    : /\b(?:am|im|nächste[nrs]?|letzte[nrs]?|gestern|morgen|heute|vor|seit|uhr|bis)\b.*\b(?:ich|der|die|das|und|ist|nicht|mein\w*)\b|\b(?:ich|mein\w*|nicht|und)\b/iu.test(
          text,
        )
      ? german
      : english

/** The first date that a text names, as a date of the calendar where it was said. */
export const dateIn = (text: string, { at, offsetMinutes }: Moment, tense: Tense): DatePhrase | null => {
  if (!PLAIN.test(text)) return null
  const reference = { instant: new Date(at ?? ANYWHERE), timezone: offsetMinutes }
  const options = tense === 'future' ? { forwardDate: true } : {}
  const found = parserFor(text)
    .parse(text, reference, options)
    .find(
      ({ text: phrase, start, index }) =>
        !isAmbiguous(text, phrase, index) &&
        !DURATION.test(phrase) &&
        !RECURS_AFTER.test(text.slice(index + phrase.length)) &&
        !RECURS_BEFORE.test(text.slice(0, index)) &&
        (start.isCertain('day') || start.isCertain('month') || start.isCertain('year') || start.isCertain('weekday')),
    )
  if (found === undefined) return yearIn(text)
  const { start } = found
  const isWhole = start.isCertain('year') && (start.isCertain('month') || /\d{4}/u.test(found.text))
  if (at === null && !(isWhole && !isRelative(found.text))) return { phrase: found.text, date: null }
  let [year, month, day] = [start.get('year') ?? 0, start.get('month') ?? 1, start.get('day') ?? 1]
  if (at !== null && tense === 'past' && !start.isCertain('year')) {
    const reached = Date.UTC(year, month - 1, start.isCertain('month') && !start.isCertain('day') ? 1 : day)
    if (reached > at + offsetMinutes * 60_000 && !isRelative(found.text)) {
      if (start.isCertain('weekday') && !start.isCertain('month')) {
        const earlier = new Date(Date.UTC(year, month - 1, day - 7))
        ;[year, month, day] = [earlier.getUTCFullYear(), earlier.getUTCMonth() + 1, earlier.getUTCDate()]
      } else year--
    }
  }
  if (year < 1 || year > 9999) return { phrase: found.text, date: null }
  const pad = (number: number, width = 2): string => String(number).padStart(width, '0')
  const date =
    start.isCertain('day') || start.isCertain('weekday')
      ? `${pad(year, 4)}-${pad(month)}-${pad(day)}`
      : start.isCertain('month')
        ? `${pad(year, 4)}-${pad(month)}`
        : pad(year, 4)
  const time =
    start.isCertain('hour') && date.length === 10 ? `T${pad(start.get('hour') ?? 0)}:${pad(start.get('minute') ?? 0)}` : ''
  return { phrase: found.text, date: `${date}${time}` }
}

/** A year by itself, which the library takes for no date. */
const yearIn = (text: string): DatePhrase | null => {
  const [phrase, year] = /\b(?:in|since|until|from|by|during|seit|bis)\s+((?:19|20)\d{2})\b/iu.exec(text) ?? []
  return phrase === undefined || year === undefined ? null : { phrase, date: year }
}

const isRelative = (phrase: string): boolean =>
  /\b(?:ago|next|last|this|past|coming|today|tomorrow|yesterday|tonight|in (?:a|an|\d+|two|three|four|five|six)|later|heute|morgen|gestern|letzte|nächste|vor|after|before|from now)\b|[今明昨前后上下]/iu.test(
    phrase,
  )
