/** What the evidence of one memory is, and about whom it is: 1 whom the query names, -1 somebody else, 0 neither. */
export interface SubjectEvidence {
  readonly about: number
  /** Rarity of the words of the query that it has. */
  readonly rarity: number
  /** What its words and its meaning are worth together. */
  readonly own: number
}

/** Memories of each side that are compared. */
const SIDE = 5

/** A rarity that says as much as the best of one leg. */
const RARITY_SCALE = 8

/** How far the others must be ahead before what the query asks is theirs. */
const MARGIN = 0.35

/**
 * Whether what the query asks about one person is known of somebody else only: the best memories about others fit clearly better than the best about
 * whom it names.
 */
export const isOthers = (all: readonly SubjectEvidence[]): boolean => {
  const [own, others] = [all.filter(({ about }) => about > 0), all.filter(({ about }) => about < 0)]
  if (others.length === 0) return false
  if (own.length === 0) return true
  const count = Math.min(SIDE, own.length, others.length)
  const ahead = (of: (one: SubjectEvidence) => number): number =>
    meanOfBest(others.map(of), count) - meanOfBest(own.map(of), count)
  return ahead(({ rarity }) => rarity) / RARITY_SCALE + ahead(({ own: worth }) => worth) / 2 > MARGIN
}

const meanOfBest = (values: readonly number[], count: number): number =>
  [...values]
    .sort((a, b) => b - a)
    .slice(0, count)
    .reduce((sum, value) => sum + value, 0) / count
