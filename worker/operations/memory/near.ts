import { floorOf } from '../../../src/domain/calibration.js'
import { textOf } from '../../../src/domain/canonical.js'
import { tellingWords } from '../../../src/domain/lexical.js'
import type { VersionBody } from '../../../src/schema/records.js'
import { memoriesWithRareWords } from '../../store/passages.js'
import type { PassageVectors } from '../../store/search-index.js'
import type { Store } from '../../store/store.js'
import { unpackVector } from '../../store/vector-matrix.js'

/** Nearest memories looked at. */
const MOST_NEAR = 8

/** Passages of a longer value that are looked at: each is a look through all vectors. */
const MOST_PASSAGES = 3

/** Of the words of a longer value, this many are asked for, the rarest first. */
const MOST_WORDS = 8

/**
 * Memories that a value comes near to, nearest first, with how near. What fits one passage is held against all passages; of a longer
 * value the first ones are, and its rare words beside them, since what it tells is one sentence among others. How near a longer value
 * is counts over all that were held: one passage that both have makes no repeat.
 */
export const nearOf = (
  store: Store,
  readable: readonly number[],
  body: VersionBody,
  vectors: readonly PassageVectors[],
): ReadonlyMap<number, number> => {
  const packed = vectors.find(({ embedder }) => embedder === store.embedder.number)?.packed ?? []
  const { matrix, isWeighed } = store.resident
  const identities = new Set(readable)
  const allows = (memory: number, identity: number): boolean => identities.has(identity) && isWeighed(memory)
  const floor = floorOf(store.embedder.calibration)
  const nearest = new Map<number, { readonly best: number; readonly all: number }>()
  const looked = packed.slice(0, MOST_PASSAGES)
  for (const vector of looked) {
    const found = new Map<number, number>()
    for (const { memory, similarity } of matrix.near(unpackVector(vector), floor, MOST_NEAR, allows))
      if (!found.has(memory)) found.set(memory, similarity)
    for (const [memory, similarity] of found) {
      const { best = 0, all = 0 } = nearest.get(memory) ?? {}
      nearest.set(memory, { best: Math.max(best, similarity), all: all + similarity })
    }
  }
  const byVector = [...nearest].sort(([, one], [, other]) => other.best - one.best).map(([memory]) => memory)
  const byWords = packed.length > 1 ? withItsWords(store, readable, textOf(body.value)) : []
  const inTurn = byVector.flatMap((memory, i) => [memory, byWords[i] ?? memory]).concat(byWords.slice(byVector.length))
  const chosen = [...new Set(inTurn)].slice(0, MOST_NEAR)
  return new Map(chosen.map((memory) => [memory, (nearest.get(memory)?.all ?? 0) / looked.length]))
}

const withItsWords = (store: Store, readable: readonly number[], text: string): readonly number[] => {
  const most = { words: MOST_WORDS, memories: MOST_NEAR }
  const found = memoriesWithRareWords(store.db, tellingWords(text), readable, most)
  return found.filter((memory) => store.resident.isWeighed(memory))
}
