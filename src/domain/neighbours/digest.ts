import { sentencesOf } from '../asking/sentences.js'
import { canonicalForm } from '../canonical.js'
import { tellingWords } from '../lexical.js'

/** What somebody said. */
export interface Said {
  readonly speaker: string | null
  readonly text: string
}

interface Candidate {
  readonly line: string
  readonly words: ReadonlySet<string>
}

/** How much a word that was picked before still counts: a digest is to tell many things, not one thing often. */
const TOLD_BEFORE = 0.1

/** Sentences of more words than this count as if they had so many: length alone makes nothing telling. */
const FULL_LENGTH = 12

/**
 * The sentences that tell most of what was said, in the order in which they were said, each with its speaker. A word tells the more, the more
 * often the session comes back to it; a sentence is worth what its words are, those told already next to nothing (the sum-basic method of
 * Nenkova and Vanderwende, 2005, with counts of sentences). Questions tell nothing. The same turns give the same digest.
 */
export const digestOf = (turns: readonly Said[], sentences: number): string => {
  const candidates = candidatesIn(turns)
  const weights = new Map<string, number>()
  for (const { words } of candidates) for (const word of words) weights.set(word, (weights.get(word) ?? 0) + 1)
  const chosen = new Set<number>()
  while (chosen.size < Math.min(sentences, candidates.length)) {
    let best = -1
    let most = -1
    candidates.forEach(({ words }, at) => {
      if (chosen.has(at)) return
      const worth = worthOf(words, weights)
      if (worth > most) [best, most] = [at, worth]
    })
    chosen.add(best)
    for (const word of candidates[best]?.words ?? []) weights.set(word, (weights.get(word) ?? 0) * TOLD_BEFORE)
  }
  return candidates.flatMap(({ line }, at) => (chosen.has(at) ? [line] : [])).join('\n')
}

/** Sentences that state something, each once. */
const candidatesIn = (turns: readonly Said[]): readonly Candidate[] => {
  const seen = new Set<string>()
  return turns.flatMap(({ speaker, text }) =>
    sentencesOf(text).flatMap((sentence) => {
      const form = canonicalForm(sentence.text)
      const words = new Set(tellingWords(sentence.text.toLowerCase()))
      if (words.size === 0 || seen.has(form) || /[?？]$/.test(sentence.text)) return []
      seen.add(form)
      return [{ line: speaker === null ? sentence.text : `${speaker}: ${sentence.text}`, words }]
    }),
  )
}

/** The mean worth of the words, less for a sentence that says little. */
const worthOf = (words: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number => {
  const sum = [...words].reduce((worth, word) => worth + (weights.get(word) ?? 0), 0)
  return (sum / words.size) * Math.sqrt(Math.min(words.size, FULL_LENGTH) / FULL_LENGTH)
}
