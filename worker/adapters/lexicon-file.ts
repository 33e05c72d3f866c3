import { type Lexicon, readLexicon } from '../../src/domain/signature/lexicon.js'

/** Fetches the lexicon. Rejects when it is not there or is something else, such as the app's own page. */
export const fetchLexicon = async (url: string): Promise<Lexicon> => {
  const response = await fetch(url)
  const lexicon = response.ok ? readLexicon(await response.text()) : null
  if (lexicon === null) throw new Error(`${url} is not the lexicon: status ${response.status}`)
  return lexicon
}
