import { sentencesOf } from '../asking/sentences.js'
import { canonicalForm } from '../canonical.js'
import { tellingWords } from '../lexical.js'
import { normalize } from '../normalize.js'

/** Words that turn a sentence around. */
const NEGATIONS = /\b(?:not?|never|none|nothing|nobody|without|cannot|longer)\b|n['’]t\b/giu

interface Read {
  readonly form: string
  readonly words: ReadonlySet<string>
  readonly numbers: string
  readonly negations: number
}

const read = (text: string): Read => {
  const folded = normalize(text, 'NFKC').toLowerCase()
  return {
    form: canonicalForm(text),
    words: new Set(tellingWords(folded)),
    numbers: (folded.match(/\p{N}+/gu) ?? []).sort().join(),
    negations: folded.match(NEGATIONS)?.length ?? 0,
  }
}

/**
 * Whether a source still says what a statement was taken from: the sentence of the old text that shares most words with the statement stands in
 * the new one, or one that has those words as well, the same numbers, and as many negations. True where no sentence of the old text shares a word with
 * it, since nothing can be told then.
 */
export const stillSays = (statement: string, before: string, after: string): boolean => {
  const said = read(statement)
  let best: { readonly sentence: Read; readonly shared: readonly string[] } | null = null
  for (const { text } of sentencesOf(before)) {
    const sentence = read(text)
    const shared = [...sentence.words].filter((word) => said.words.has(word))
    if (shared.length > (best?.shared.length ?? 0)) best = { sentence, shared }
  }
  if (best === null) return true
  const { sentence, shared } = best
  return sentencesOf(after).some(({ text }) => {
    const other = read(text)
    if (other.form === sentence.form) return true
    return (
      other.numbers === sentence.numbers &&
      other.negations === sentence.negations &&
      shared.every((word) => other.words.has(word))
    )
  })
}
