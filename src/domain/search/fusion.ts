/** What the legs know of one memory. Shares are of the best there is in the scope, whatever the filters leave of it. */
export interface Evidence {
  readonly memory: number
  /** Rarity of the words of the query that it has, as a share. */
  readonly words: number
  /** How near its nearest passage is, as a share of the way from unrelated texts to the nearest of all. */
  readonly nearness: number
  /** 1: about whom the query names; -1: about somebody else; 0: neither, or nobody is named, or it is linked to that one. */
  readonly about: number
  /** It is about what is two steps from whom the query names: what a memory about that one names. */
  readonly linked: boolean
  /** 1: of the time that the query names, falling to 0 with the distance; null where it names none. */
  readonly timely: number | null
  /** Memories that were said right before and after it, with how far away. */
  readonly neighbours: readonly { readonly memory: number; readonly distance: number }[]
}

/** Weights of the legs in the fusion. */
export interface LegWeights {
  readonly lexical: number
  readonly vector: number
  readonly entity: number
  readonly time: number
}

export const LEG_WEIGHTS: LegWeights = { lexical: 1, vector: 1, entity: 0.2, time: 0.3 }

/** Above 1, so that the best evidence of one leg counts for more than middling evidence of both. */
const SHARPNESS = 1.5

/** What a neighbour's own evidence is worth, by its distance. */
const NEIGHBOUR = [0, 0.35, 0.17] as const

/** Farthest neighbour that counts. */
export const NEIGHBOURS = NEIGHBOUR.length - 1

/** What a second step is worth beside the first: it may lead to what was asked, and to much else. */
const SECOND_STEP = 0.5

const sharp = (share: number): number => Math.max(0, share) ** SHARPNESS

/** What its words and its meaning say of each memory, before anything that stands around it. */
export const ownScore = ({ words, nearness }: Pick<Evidence, 'words' | 'nearness'>, weights: LegWeights): number =>
  weights.lexical * sharp(words) + weights.vector * sharp(nearness)

/**
 * Joins what the legs say by calibrated scores: ranks would make the best of nothing as good as the best of something. What was said right
 * before and after counts as weak context.
 */
export const fuseEvidence = (evidence: ReadonlyMap<number, Evidence>, weights: LegWeights): ReadonlyMap<number, number> => {
  const own = new Map([...evidence].map(([memory, one]) => [memory, ownScore(one, weights)]))
  return new Map(
    [...evidence].map(([memory, { about, linked, timely, neighbours }]) => {
      const context = neighbours.reduce(
        (sum, { memory: other, distance }) => sum + (NEIGHBOUR[distance] ?? 0) * (own.get(other) ?? 0),
        0,
      )
      const score =
        (own.get(memory) ?? 0) + context + weights.entity * (linked ? SECOND_STEP : about) + weights.time * (timely ?? 0)
      return [memory, score]
    }),
  )
}
