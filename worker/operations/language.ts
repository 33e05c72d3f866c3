import { sha256Hex } from '../../src/domain/sha256.js'
import { type Lexicon, NO_LEXICON } from '../../src/domain/signature/lexicon.js'
import { type Signature, signatureOf } from '../../src/domain/signature/signature.js'

/** What is known of words, with the signatures of the statements met lately. */
export interface Language {
  readonly lexicon: Lexicon
  readonly signature: (text: string) => Signature
}

/** Signatures kept: a statement is compared with the same neighbours again and again. */
const MOST_KEPT = 2_000

export const createLanguage = (lexicon: Lexicon = NO_LEXICON): Language => {
  const kept = new Map<string, Signature>()
  return {
    lexicon,
    signature: (text) => {
      const name = text.length > 200 ? sha256Hex(text) : text
      const known = kept.get(name)
      if (known !== undefined) return known
      const made = signatureOf(text, lexicon)
      if (kept.size >= MOST_KEPT) kept.clear()
      kept.set(name, made)
      return made
    },
  }
}

/** The language with its lexicon, once that has come. */
export interface LanguageSource {
  /** What there is of it now. */
  readonly now: () => Language
  /** Loads the lexicon, once; answers whether it is there. Never rejects: without it words are compared as they are written. */
  readonly ready: () => Promise<boolean>
}

export const createLanguageSource = (load: () => Promise<Lexicon>): LanguageSource => {
  let language = createLanguage()
  let loading: Promise<boolean> | null = null
  return {
    now: () => language,
    ready: () => {
      loading ??= load().then(
        (lexicon) => {
          language = createLanguage(lexicon)
          return true
        },
        () => {
          // The next write tries again.
          loading = null
          return false
        },
      )
      return loading
    },
  }
}
