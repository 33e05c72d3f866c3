import { abortedEmbedding } from '../abort.js'
import type { Embedder } from '../ports.js'

/** Words that say little of what an English sentence is about. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but
  by can could did do does doing down during each else for from further had has have having he her here hers him
  his how i if in into is it its itself just may me might more most must my myself of off on once only or other
  our ours out over own same shall she should so some such than that the their theirs them then there these they
  this those through to too under until up us very was we were what when where which while who whom why will with
  would you your yours s t d ll m re ve`.split(/\s+/),
)
const STOP_WORD_WEIGHT = 0.2

/** Runs of letters and digits, and each emoji. */
const WORDS = /[\p{L}\p{N}\p{Mc}]+|\p{Extended_Pictographic}/gu

const TRIGRAM_SEED = 0x9747b28c

/**
 * An embedder without a model or a file: each word and each of its trigrams adds to, or takes from, one of `dims` numbers
 * that its hash picks. Finds shared words and near spellings, not shared meaning. Case, accents and word order make no
 * difference. Text without a letter, digit or emoji gives the zero vector.
 *
 * ```ts
 * const embedder = createHashEmbedder()
 * const [vector] = await embedder.embed(['the database port is 5432'])
 * ```
 */
export const createHashEmbedder = ({ dims = 384 }: { readonly dims?: number } = {}): Embedder => ({
  id: `hash-${dims}@1`,
  dims,
  builtIn: true,
  embed: async (texts, { signal } = {}) => {
    // Lets an abort that follows the call in the same breath be seen, as it would be by a slower embedder.
    await null
    if (signal?.aborted) throw abortedEmbedding()
    return texts.map((text) => embedText(text, dims))
  },
})

const embedText = (text: string, dims: number): Float32Array => {
  const sum = new Float64Array(dims)
  const add = (hash: number, weight: number): void => {
    const slot = (hash >>> 1) % dims
    sum[slot] = (sum[slot] as number) + (hash & 1 ? weight : -weight)
  }
  for (const [word] of stripAccents(text.toLowerCase()).matchAll(WORDS)) {
    const weight = STOP_WORDS.has(word) ? STOP_WORD_WEIGHT : 1
    add(hashOf(word, 0, word.length, 0), weight)
    const framed = `^${word}$`
    const trigrams = framed.length - 2
    // A word's trigrams weigh together what the word weighs, in the sense of vector length.
    const share = weight / Math.sqrt(trigrams)
    for (let at = 0; at < trigrams; at++) add(hashOf(framed, at, at + 3, TRIGRAM_SEED), share)
  }
  return unit(sum)
}

/** FNV-1a over UTF-16 units, stirred at the end: the plain hash leaves its lowest bits, which we use, poorly mixed. */
const hashOf = (text: string, from: number, to: number, seed: number): number => {
  let hash = 0x811c9dc5 ^ seed
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Character by character: normalising a long run of combining marks as a whole takes quadratic time. */
const stripAccents = (text: string): string =>
  text.replace(/[^\0-\x7f]/gu, (character) => character.normalize('NFD').replace(/\p{Mn}/gu, ''))

const unit = (sum: Float64Array): Float32Array => {
  const length = Math.sqrt(sum.reduce((square, value) => square + value * value, 0))
  return Float32Array.from(sum, (value) => (length === 0 ? 0 : value / length))
}
