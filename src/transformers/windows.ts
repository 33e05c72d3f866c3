/** A stretch of a text that fits the model's window, with its share of the whole. */
export interface Window {
  readonly text: string
  readonly weight: number
}

/** Windows of one text at the most: of a longer one, so many are looked at, spread over the whole. */
const MOST = 8

/** Characters that a window of tokens usually holds, in round numbers. */
const CHARACTERS_PER_TOKEN = 4

/**
 * The windows of a text. A model cuts off what is beyond its window without a word, so a longer text is read in pieces. Passages of
 * memories are short: this is for queries, and for whoever embeds texts of their own.
 */
export const windowsOf = (text: string, size: number, countTokens: (text: string) => number): readonly Window[] => {
  const rough = piecesOf(text, size * CHARACTERS_PER_TOKEN)
  const spread = rough.length <= MOST ? rough : Array.from({ length: MOST }, (_, i) => rough[at(i, rough.length)] as string)
  const windows = spread.flatMap((piece) => fitting(piece, size, countTokens))
  return windows.map((piece) => ({ text: piece, weight: windows.length === 1 ? 1 : piece.length }))
}

const at = (index: number, length: number): number => Math.round((index * (length - 1)) / (MOST - 1))

const piecesOf = (text: string, longest: number): readonly string[] => {
  const pieces: string[] = []
  let rest = text
  while (rest.length > longest) {
    const end = cutBefore(rest, longest)
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return [...pieces, rest]
}

/** Halved until it fits: some scripts have more tokens than characters. */
const fitting = (text: string, size: number, countTokens: (text: string) => number): readonly string[] => {
  if (text.length < 2 || countTokens(text) <= size) return [text]
  const middle = cutBefore(text, Math.ceil(text.length / 2))
  return [text.slice(0, middle), text.slice(middle)].flatMap((half) => fitting(half, size, countTokens))
}

/** Where to cut: after white space in the last quarter before the limit, else at the limit, never inside a surrogate pair. */
const cutBefore = (text: string, limit: number): number => {
  const from = Math.floor(limit * 0.75)
  const space = /.*\s/s.exec(text.slice(from, limit))
  if (space !== null) return from + space[0].length
  return limit > 1 && /[\uD800-\uDBFF]$/.test(text.slice(0, limit)) ? limit - 1 : limit
}

/** One vector for the windows of a text: their weighted mean at unit length. */
export const meanOf = (vectors: readonly Float32Array[], weights: readonly number[]): Float32Array => {
  const [first] = vectors
  if (first === undefined) return new Float32Array()
  if (vectors.length === 1) return first
  const mean = new Float32Array(first.length)
  for (const [index, vector] of vectors.entries())
    for (let d = 0; d < mean.length; d++) mean[d] = (mean[d] as number) + (vector[d] as number) * (weights[index] as number)
  const length = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0))
  return length === 0 ? mean : mean.map((value) => value / length)
}
