import { CATEGORIES, type Category, type Conversation, type Question } from './locomo.js'

/** Share of a question's evidence among the first five and the first ten that were returned. */
export interface Recall {
  readonly category: Category
  readonly at5: number
  readonly at10: number
}

export const recallOf = ({ category, evidence }: Question, found: readonly string[]): Recall => {
  const share = (count: number): number => {
    const first = new Set(found.slice(0, count))
    return evidence.filter((id) => first.has(id)).length / evidence.length
  }
  return { category, at5: share(5), at10: share(10) }
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

const pair = (recalls: readonly Recall[]): string =>
  `${mean(recalls.map(({ at5 }) => at5)).toFixed(3)} / ${mean(recalls.map(({ at10 }) => at10)).toFixed(3)}`

export const RECALL_COLUMNS = ['R@5 / R@10', 'all', 'without adversarial', ...Object.values(CATEGORIES)]

/** One line of the table: all questions, those that have an answer, and each category. */
export const recallRow = (name: string, recalls: readonly Recall[]): readonly string[] => [
  name,
  pair(recalls),
  pair(recalls.filter(({ category }) => category !== 'adversarial')),
  ...[...new Set(Object.values(CATEGORIES))].map((wanted) => pair(recalls.filter(({ category }) => category === wanted))),
]

/** Published for all ten conversations: dense retrieval over turns, by the authors of the questions. */
export const DRAGON = [
  'DRAGON, as published (all ten)',
  '0.567 / 0.662',
  '-',
  '0.354 / 0.466',
  '0.704 / 0.773',
  '0.331 / 0.408',
  '0.680 / 0.777',
  '0.439 / 0.547',
]

/** Likelihood that a question with an answer is held for surer than one without. */
export const auroc = (answerable: readonly number[], others: readonly number[]): number => {
  const all = [...answerable.map((value) => ({ value, good: true })), ...others.map((value) => ({ value, good: false }))]
  all.sort((a, b) => a.value - b.value)
  let ranks = 0
  for (let from = 0; from < all.length; ) {
    let to = from
    while (to < all.length && all[to]?.value === all[from]?.value) to++
    const rank = (from + 1 + to) / 2
    for (let i = from; i < to; i++) if (all[i]?.good === true) ranks += rank
    from = to
  }
  return (ranks - (answerable.length * (answerable.length + 1)) / 2) / (answerable.length * others.length)
}

/** Share of others that is refused where no more than one in twenty with an answer is. */
export const refusedAtFive = (answerable: readonly number[], others: readonly number[]): number => {
  const sorted = [...answerable].sort((a, b) => a - b)
  const threshold = sorted[Math.floor(sorted.length * 0.05)] ?? 0
  return others.filter((value) => value < threshold).length / others.length
}

/** Questions that have an answer in their own conversation. */
export const answerable = ({ questions }: Conversation): readonly Question[] =>
  questions.filter(({ category }) => category !== 'adversarial')
