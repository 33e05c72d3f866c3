import type { DeclaredAttribute } from '../../src/domain/signature/attribute.js'
import type { StatementRelation } from '../../src/domain/signature/relation.js'

/** What judging asks of language. */
export interface Language {
  /** How the later of two statements stands to the earlier one, where a namespace may have declared attributes. */
  readonly relate: (earlier: string, later: string, declared?: readonly DeclaredAttribute[]) => StatementRelation
}

/** Knows no language: only what is said in the same words is the same. */
const NO_LANGUAGE: Language = {
  relate: () => ({ kind: 'apart', because: 'what the words mean could not be looked up' }),
}

/** The language, once it has come: nothing that opens or reads a store waits for it. */
export interface LanguageSource {
  /** What there is of it now. */
  readonly now: () => Language
  /** Loads it, once; answers whether it is there. Never rejects. */
  readonly ready: () => Promise<boolean>
}

export const createLanguageSource = (load: () => Promise<Language>): LanguageSource => {
  let language = NO_LANGUAGE
  let loading: Promise<boolean> | null = null
  return {
    now: () => language,
    ready: () => {
      loading ??= load().then(
        (loaded) => {
          language = loaded
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
