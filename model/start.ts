import { type Basis, meanOf, project } from './basis.js'

/** First row of the vocabulary that is not a free place or a mark: what stands before says nothing about words. */
const FIRST_SIGN = 999
/** First row whose place tells how common the word is. */
const FIRST_RANKED = 1996
/** Words much more common than this weigh little. */
const COMMON = 1e-3

/**
 * The table before training: each piece as the teacher sees it alone, without what all have in common, along the basis, and
 * the lighter the more common the piece is, taking the order of the vocabulary for the order of frequency (Zipf).
 */
export const startTable = (
  pieces: Float32Array,
  vocabulary: readonly string[],
  basis: Basis,
  dims: number,
): Float32Array => {
  const mean = meanOf(pieces.subarray(FIRST_SIGN * basis.size), basis.size)
  const weights = startWeights(vocabulary)
  return project(pieces, basis, dims, mean).map((value, at) => value * (weights[Math.floor(at / dims)] as number))
}

const startWeights = (vocabulary: readonly string[]): Float64Array => {
  const ranks = Array.from({ length: vocabulary.length - FIRST_RANKED }, (_, rank) => 1 / (rank + 2))
  const total = ranks.reduce((sum, share) => sum + share, 0)
  return Float64Array.from(vocabulary, (piece, row) => {
    if (row >= FIRST_RANKED) return COMMON / (COMMON + (ranks[row - FIRST_RANKED] as number) / total)
    if (row < FIRST_SIGN) return 1
    return /[a-z0-9]/.test(piece) || piece.startsWith('##') ? 0.3 : 0.05
  })
}
