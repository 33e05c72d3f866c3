import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeLexicon } from '../../model/lexicon.js'
import { type Lexicon, NO_LEXICON, readLexicon } from '../../src/domain/signature/lexicon.js'
import { createLanguage } from '../../worker/language/main.js'
import type { Language } from '../../worker/operations/language.js'

const PATH = fileURLToPath(new URL('../../.cache/model/lexicon.txt', import.meta.url))

/** What it is made with, besides WordNet. */
const SOURCES = ['lexicon.ts', 'near-words.ts', 'wordnet-relations.ts', 'static-256.bin'].map((name) =>
  fileURLToPath(new URL(`../../model/${name}`, import.meta.url)),
)

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

let lexicon: Lexicon | null = null

/** The lexicon as it ships, made once, and again when what makes it has changed. */
export const testLexicon = async (): Promise<Lexicon> => {
  if (changedAt(PATH) < Math.max(...SOURCES.map(changedAt))) writeLexicon(PATH)
  lexicon ??= readLexicon(readFileSync(PATH, 'utf8'))
  return lexicon ?? NO_LEXICON
}

/** What judging asks of language, as the worker has it. */
export const testLanguage = async (): Promise<Language> => createLanguage(await testLexicon())
