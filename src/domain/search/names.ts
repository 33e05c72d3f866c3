import { canonicalEntity } from '../entity.js'
import { isStopWord } from '../lexical.js'
import { mentionName } from '../mention.js'

/** A stretch of a query that may be the name of somebody or something. */
export interface NameSpan {
  /** In its canonical form. */
  readonly name: string
  /** Its first word, in lower case. */
  readonly first: string
  readonly start: number
  readonly end: number
  /** Written as names are, where no sentence begins. */
  readonly isProper: boolean
}

/** Words of the longest name that is looked for. */
const LONGEST = 3

/** Names looked for in one query. */
const MOST_WORDS = 64

interface Word {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly isCapital: boolean
  readonly begins: boolean
}

const wordsOf = (query: string): readonly Word[] =>
  [...query.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’\-]*/gu)].slice(0, MOST_WORDS).map((match) => {
    const text = match[0].replace(/['’]s?$/u, '')
    const before = query.slice(0, match.index).trimEnd()
    return {
      text,
      start: match.index,
      end: match.index + text.length,
      isCapital: /^\p{Lu}[\p{Ll}\p{M}'’-]/u.test(text) && !isStopWord(text),
      begins: before === '' || /[.!?:"“]$/u.test(before),
    }
  })

/** Every stretch of a query that a name may stand in, longer ones before the shorter ones they cover. */
export const nameSpans = (query: string): readonly NameSpan[] => {
  const words = wordsOf(query)
  const spans: NameSpan[] = []
  for (let length = LONGEST; length > 0; length--)
    for (let i = 0; i + length <= words.length; i++) {
      const some = words.slice(i, i + length)
      const [head, last] = [some[0] as Word, some[length - 1] as Word]
      if (isStopWord(head.text) || isStopWord(last.text)) continue
      spans.push({
        name: canonicalEntity(some.map(({ text }) => text).join(' ')),
        first: mentionName(head.text),
        start: head.start,
        end: last.end,
        isProper: some.every(({ isCapital }) => isCapital) && !head.begins,
      })
    }
  return spans
}

/** Runs of words written as names are, each as long as it goes: "Anna Keller" is one, and not also "Anna". */
export const properNames = (query: string): readonly NameSpan[] => {
  const proper = nameSpans(query).filter(({ isProper }) => isProper)
  return proper.filter(
    (span) => !proper.some((other) => other !== span && other.start <= span.start && other.end >= span.end),
  )
}

/**
 * A question about somebody as that one would put it: memories of what a person said speak of that person as I. "What does Bo's dog eat?"
 * becomes "What does my dog eat?".
 */
export const inFirstPerson = (query: string, spans: readonly Pick<NameSpan, 'start' | 'end'>[]): string => {
  let said = ''
  let at = 0
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (start < at) continue
    const possessive = /^['’]s?(?![\p{L}\p{N}])/u.exec(query.slice(end))?.[0]
    said += `${query.slice(at, start)}${possessive === undefined ? 'I' : 'my'}`
    at = end + (possessive?.length ?? 0)
  }
  return said + query.slice(at)
}

/** The query without some stretches of it. */
export const without = (query: string, spans: readonly Pick<NameSpan, 'start' | 'end'>[]): string => {
  let rest = query
  for (const { start, end } of [...spans].sort((a, b) => b.start - a.start))
    rest = `${rest.slice(0, start)} ${rest.slice(end).replace(/^['’]s?(?![\p{L}\p{N}])/u, '')}`
  return rest
}

/** Whether somebody asks about herself or himself. */
export const asksAboutSelf = (query: string): boolean =>
  /(?<![\p{L}\p{N}'’])(?:I|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)(?![\p{L}\p{N}])/u.test(query)
