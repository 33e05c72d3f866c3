import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeLexicon } from '../../model/lexicon.js'
import { type Lexicon, NO_LEXICON, readLexicon } from '../../src/domain/signature/lexicon.js'
import { createLanguage } from '../../worker/language/main.js'
import type { Language } from '../../worker/operations/language.js'

const PATH = fileURLToPath(new URL('../../.cache/model/lexicon.txt', import.meta.url))

let lexicon: Lexicon | null = null

/** The lexicon as it ships, made once. */
export const testLexicon = async (): Promise<Lexicon> => {
  if (!existsSync(PATH)) writeLexicon(PATH)
  lexicon ??= readLexicon(readFileSync(PATH, 'utf8'))
  return lexicon ?? NO_LEXICON
}

/** What judging asks of language, as the worker has it. */
export const testLanguage = async (): Promise<Language> => createLanguage(await testLexicon())
