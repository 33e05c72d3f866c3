import type { MemoryError } from '../../src/protocol/errors.js'
import type { Db, Embedder } from '../ports.js'
import { findEmbedder, type KnownEmbedder } from '../store/embedders.js'
import { countToEmbed } from '../store/passages.js'

/** An embedder that takes part in this opening of the store. */
export interface Rung {
  readonly embedder: Embedder
  /** What the store knows of it; null until it has answered. */
  known: KnownEmbedder | null
  /** Every passage up to this one has its vector. */
  filledTo: number
  /** Whether all passages had one when last looked at. */
  complete: boolean
  /** Why it did not answer the last time. */
  failure: MemoryError | null
}

/** Which embedders a store is opened with. */
export interface Embedders {
  /** The one that is to answer in the end. */
  readonly wanted: Embedder
  /** The library's own, to answer until then. */
  readonly builtIns: readonly Embedder[]
  /** Whether a built-in answers first and stays ready, so that losing the wanted one costs nothing. */
  readonly auto: boolean
}

/** Missing vectors that the wanted embedder may make up for while it already answers: some seconds of work at the most. */
const FEW = 64

/** The embedders of this opening, from the one that stands in to the one that is wanted. */
export const rungsFor = (db: Db, embedders: Embedders): Rung[] =>
  [...standInsFor(db, embedders), embedders.wanted].map((embedder) => rungOf(db, embedder))

// What the app brings has to answer first: its vectors may be those of another model by now.
export const rungOf = (db: Db, embedder: Embedder): Rung => ({
  embedder,
  known: null,
  filledTo: 0,
  complete: embedder.builtIn && missingOf(db, embedder) === 0,
  failure: null,
})

/**
 * Who answers while the wanted embedder is not ready, if anyone. With `auto`, always the first built-in. Else only where much is
 * missing, the built-in that the store holds most vectors of; where it holds none, an embedder of the app has the first one, which
 * takes seconds for what takes a model many minutes.
 */
export const standInsFor = (db: Db, { wanted, builtIns, auto }: Embedders): readonly Embedder[] => {
  const first = builtIns.slice(0, 1)
  if (auto) return wanted.builtIn ? [] : first
  const missing = missingOf(db, wanted)
  if (missing <= FEW) return []
  const stored = builtIns.filter(({ id }) => id !== wanted.id && findEmbedder(db, id) !== null)
  const best = [...stored].sort((a, b) => missingOf(db, a) - missingOf(db, b)).slice(0, 1)
  if (best.length > 0) return best.filter((one) => missingOf(db, one) < missing)
  return wanted.builtIn ? [] : first
}

/** How many passages have no vector of an embedder. */
const missingOf = (db: Db, { id }: Embedder): number => countToEmbed(db, findEmbedder(db, id)?.number ?? 0)
