/** Splits text into the pieces of a vocabulary, the way the BERT-uncased tokenizer does. */
export interface WordPiece {
  /** The id that stands for a word the vocabulary cannot spell, or -1 when the vocabulary has no `[UNK]`. */
  readonly unknownId: number
  /** The ids of a text's pieces, in order, without `[CLS]` and `[SEP]`. No length limit: nothing is cut. */
  readonly ids: (text: string) => number[]
}

/** What a character does to the word being read. Zero means not looked up yet. */
const LETTER = 1
const SPACE = 2
const DROPPED = 3
const ALONE = 4
const FOLDED = 5

/** Longer words are taken for noise (encoded data, drawn lines), as BERT does. */
const MAX_WORD_LENGTH = 100
/** V8 keeps the whole text alive behind a longer slice of it, so a longer word must not become a cache key. */
const MAX_CACHED_WORD_LENGTH = 12
const MAX_CACHED_WORDS = 20_000

const SPACES = /\s/u
const IGNORED = /[\p{Mn}\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/u
/** Punctuation in BERT's sense, which counts every ASCII symbol, and the ideographs, written without spaces. */
const SEPARATE = /[!-/:-@[-`{-~\p{P}\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2F800}-\u{2FA1F}]/u
/** BERT glues an emoji to its word and then knows neither; apart, the word is kept. */
const EMOJI = /[\p{Emoji_Presentation}\u{1F000}-\u{1FAFF}]/u

/**
 * Builds the splitter of one vocabulary, whose order gives the ids. Empty entries are ids that no text produces.
 *
 * Text is lower-cased, accents are stripped and control characters ignored; punctuation, ideographs and emoji stand alone.
 * Composed and decomposed spellings give the same ids. Time grows linearly with the text, whatever is in it.
 */
export const createWordPiece = (vocabulary: readonly string[]): WordPiece => {
  const starts = new Map<string, number>()
  const continuations = new Map<string, number>()
  let longest = 0
  for (const [id, piece] of vocabulary.entries()) {
    if (piece === '') continue
    const continues = piece.length > 2 && piece.startsWith('##')
    const spelling = continues ? piece.slice(2) : piece
    if (continues) continuations.set(spelling, id)
    else starts.set(spelling, id)
    if (spelling.length > longest) longest = spelling.length
  }
  const unknownId = starts.get('[UNK]') ?? -1

  const kinds = new Uint8Array(0x1_0000)
  const kindOf = (code: number, character: string): number => {
    const known = kinds[code]
    if (known !== undefined && known !== 0) return known
    const kind = kindOfCharacter(character)
    if (code < kinds.length) kinds[code] = kind
    return kind
  }

  const splitWord = (word: string): readonly number[] => {
    const ids: number[] = []
    let from = 0
    while (from < word.length) {
      const pieces = from === 0 ? starts : continuations
      let to = Math.min(word.length, from + longest)
      let id = pieces.get(word.slice(from, to))
      while (id === undefined && --to > from) id = pieces.get(word.slice(from, to))
      if (id === undefined) return [unknownId]
      ids.push(id)
      from = to
    }
    return ids
  }

  const cache = new Map<string, readonly number[]>()
  const idsOfWord = (word: string): readonly number[] => {
    if (word.length > MAX_CACHED_WORD_LENGTH) return splitWord(word)
    const cached = cache.get(word)
    if (cached !== undefined) return cached
    const ids = splitWord(word)
    if (cache.size >= MAX_CACHED_WORDS) cache.clear()
    cache.set(word, ids)
    return ids
  }

  const addWord = (word: string, ids: number[]): void => {
    if (word === '') return
    if (word.length > MAX_WORD_LENGTH) {
      ids.push(unknownId)
      return
    }
    const whole = starts.get(word)
    if (whole !== undefined) ids.push(whole)
    else for (const id of idsOfWord(word)) ids.push(id)
  }

  const ids = (text: string): number[] => {
    const lower = text.toLowerCase()
    const found: number[] = []
    let word = ''
    let from = 0
    let at = 0
    while (at < lower.length) {
      const unit = lower.charCodeAt(at)
      if (kinds[unit] === LETTER) {
        at += 1
        continue
      }
      const code = lower.codePointAt(at) ?? unit
      const next = at + (code > 0xffff ? 2 : 1)
      const character = lower.slice(at, next)
      const kind = kindOf(code, character)
      if (kind === LETTER) {
        at = next
        continue
      }
      if (from < at) word += lower.slice(from, at)
      from = next
      at = next
      if (kind === DROPPED) continue
      const folded = kind === FOLDED ? fold(character) : character
      if (kind === FOLDED && kindOfCharacter(folded) !== ALONE) {
        word += folded
        continue
      }
      addWord(word, found)
      word = ''
      if (kind !== SPACE) addWord(folded, found)
    }
    addWord(word + lower.slice(from), found)
    return found
  }

  return { unknownId, ids }
}

/**
 * Decomposes one character and strips its accents. Never a whole text: putting a long run of combining marks into canonical
 * order takes quadratic time, five seconds for 200 KB of them.
 */
const fold = (character: string): string => character.normalize('NFD').replace(/\p{Mn}/gu, '')

const kindOfCharacter = (character: string): number => {
  if (SPACES.test(character)) return SPACE
  if (IGNORED.test(character)) return DROPPED
  if (fold(character) !== character) return FOLDED
  return SEPARATE.test(character) || EMOJI.test(character) ? ALONE : LETTER
}
