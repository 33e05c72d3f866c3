import type { DeclaredAttribute } from '../../src/domain/signature/attribute.js'
import { type Lexicon, readLexicon } from '../../src/domain/signature/lexicon.js'
import { relate, TOO_LONG } from '../../src/domain/signature/relate.js'
import { LONGEST_STATEMENT, type Signature, signatureOf } from '../../src/domain/signature/signature.js'
import type { Language } from '../operations/language.js'

/** Signatures kept: a statement is compared with the same neighbours again and again. */
const MOST_KEPT = 2_000

/** What judging asks of language, with a lexicon. */
export const createLanguage = (lexicon: Lexicon): Language => {
  const kept = new Map<string, Signature>()
  const signature = (text: string, declared: readonly DeclaredAttribute[]): Signature => {
    const name = declared.length === 0 ? text : `${JSON.stringify(declared)}${text}`
    const known = kept.get(name)
    if (known !== undefined) return known
    const made = signatureOf(text, lexicon, declared)
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(name, made)
    return made
  }
  return {
    relate: (earlier, later, declared = []) =>
      Math.max(earlier.length, later.length) > LONGEST_STATEMENT
        ? TOO_LONG
        : relate(signature(earlier, declared), signature(later, declared), lexicon),
  }
}

/** The same from the text of the lexicon; null when it is another text. What the built module is asked for. */
export const readLanguage = (text: string): Language | null => {
  const lexicon = readLexicon(text)
  return lexicon === null ? null : createLanguage(lexicon)
}
