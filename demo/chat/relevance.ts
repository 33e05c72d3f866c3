import type { Hit } from 'palimpsest'
import { valueText } from './exchange.js'

/** Cosine from which meaning alone is enough for an answer. */
const SURE = 0.5
/** Words of the question that one sentence must hold to be enough without its meaning. */
const ENOUGH_WORDS = 2

const EMPTY_WORDS = new Set(
  (
    'about what when where which whom whose does have that this with your from they them ' +
    'there were will would could should'
  ).split(' '),
)

/**
 * Puts first what speaks of the same somebody: search knows what a question is about, not whom. Otherwise the order of the
 * library stays.
 */
export const orderForQuestion = (question: string, hits: readonly Hit[]): Hit[] => {
  const names = question.match(/(?<=\s)(?!I\b)\p{Lu}[\p{L}'’-]+/gu) ?? []
  const asksOfSelf = /\bi\b/i.test(question)
  const points = (hit: Hit): number => {
    const text = valueText(hit.value)
    const named = names.some((name) => text.includes(name.replace(/['’]s$/u, ''))) ? 2 : 0
    return named + (asksOfSelf && (hit.key.startsWith('user/') || /^i\b/i.test(text)) ? 1 : 0)
  }
  return [...hits].sort((a, b) => points(b) - points(a))
}

/** Whether a hit may be told as the answer, or only as the closest there is. */
export const isSure = (question: string, { key, components, excerpt }: Hit): boolean => {
  if (components.length === 2 || components.some(({ leg, score }) => leg === 'vector' && score >= SURE)) return true
  const attribute = key.startsWith('note/') ? '' : key.split('/').slice(1).join(' ')
  return shared(question, attribute) > 0 || shared(question, tellingSentence(question, excerpt)) >= ENOUGH_WORDS
}

/** The sentence of a passage that has most in common with the question. */
export const tellingSentence = (question: string, passage: string): string => {
  const sentences = passage.split(/(?<=[.!?。！？])\s+|\n+/u)
  const [first = passage] = sentences
  return sentences.reduce((best, next) => (shared(question, next) > shared(question, best) ? next : best), first)
}

const shared = (question: string, text: string): number => {
  const asked = new Set(stems(question))
  return new Set(stems(text).filter((stem) => asked.has(stem))).size
}

const stems = (text: string): string[] =>
  (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).filter((word) => !EMPTY_WORDS.has(word)).map((word) => word.slice(0, 4))
