import nlp from 'compromise/two'
import type { Word } from '../../src/domain/extract/found.js'

/** The words of an English sentence with what compromise takes them for. */
export const wordsOf = (text: string): readonly Word[] =>
  nlp(text).docs.flatMap((terms) => terms.map((term) => ({ text: term.text, tags: term.tags ?? new Set<string>() })))
