import { importModule } from '../modules.js'
import type { Language } from '../operations/language.js'

/** Where the two files of the language are: the module that reads statements, and the words it looks up. */
export interface LanguageFiles {
  readonly module: string
  readonly lexicon: string
}

interface LanguageModule {
  readonly readLanguage: (lexicon: string) => Language | null
}

/**
 * Loads what judging asks of language, apart from the worker's script, since opening and reading a store never need it. Rejects when a
 * file is not there or is something else, such as the app's own page.
 */
export const loadLanguage = async ({ module, lexicon }: LanguageFiles): Promise<Language> => {
  const importing = importModule(module)
  importing.catch(() => undefined)
  const response = await fetch(lexicon)
  const { readLanguage } = (await importing) as LanguageModule
  const language = response.ok ? readLanguage(await response.text()) : null
  if (language === null) throw new Error(`${lexicon} is not the lexicon: status ${response.status}`)
  return language
}
