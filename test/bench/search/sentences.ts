import { readWordNet } from '../../../model/wordnet.js'
import type { Sentences } from './texts.js'

/** Every so many examples one is kept back to ask with. */
const ASKED_EVERY = 240

/** Real sentences that come from npm: how WordNet explains words, and how it uses them. */
export const readSentences = (): Sentences => {
  const synsets = readWordNet()
  const examples = [...new Set(synsets.flatMap(({ examples }) => examples))].filter((text) => text.includes(' '))
  const definitions = [...new Set(synsets.map(({ definition }) => definition))].filter((text) => text.includes(' '))
  return {
    asked: examples.filter((_, i) => i % ASKED_EVERY === 0).slice(0, 200),
    examples: examples.filter((_, i) => i % ASKED_EVERY !== 0),
    definitions,
  }
}
