import type { Hit } from 'palimpsest'
import { valueText } from './exchange.js'

/** Cosine from which meaning alone is enough for an answer. */
const SURE = 0.5

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
export const isSure = (question: string, { key, components }: Hit): boolean => {
  if (components.length === 2 || components.some(({ leg, score }) => leg === 'vector' && score >= SURE)) return true
  const asked = new Set(stems(question))
  return !key.startsWith('note/') && stems(key.split('/').slice(1).join(' ')).some((stem) => asked.has(stem))
}

const stems = (text: string): string[] => (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).map((word) => word.slice(0, 4))
