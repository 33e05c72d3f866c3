/** What a turn lends to the ones right beside it, as a share of its score: an answer seldom repeats the words of its question. */
export const NEIGHBOUR_SHARE = 0.35

/** The turns before and after one in its session, by their numbers. */
export interface Beside {
  readonly before: number | null
  readonly after: number | null
}

/** A turn with what it was found by, and what its neighbours add. */
export interface LentTurn {
  readonly memory: number
  readonly score: number
  readonly lent: number
}

/**
 * Ranks turns by their own score and that of their neighbours, the better of which lends a share of its own. A turn that nothing found
 * comes in beside one that was. Ties keep the older turn first.
 */
export const withNeighbours = (
  found: readonly { readonly memory: number; readonly score: number }[],
  besides: ReadonlyMap<number, Beside>,
  share = NEIGHBOUR_SHARE,
): readonly LentTurn[] => {
  const own = new Map(found.map(({ memory, score }) => [memory, score]))
  const lent = new Map<number, number>()
  for (const { memory, score } of found) {
    const { before = null, after = null } = besides.get(memory) ?? {}
    for (const neighbour of [before, after])
      if (neighbour !== null) lent.set(neighbour, Math.max(lent.get(neighbour) ?? 0, share * score))
  }
  return [...new Set([...own.keys(), ...lent.keys()])]
    .map((memory) => {
      const added = lent.get(memory) ?? 0
      return { memory, lent: added, score: (own.get(memory) ?? 0) + added }
    })
    .sort((a, b) => b.score - a.score || a.memory - b.memory)
}
