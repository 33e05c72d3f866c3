import { sentence } from './grammar.js'
import { createRandom, type Random } from './random.js'
import { SCENES } from './scenes.js'
import type { Synset } from './wordnet.js'

/** A named list of texts to learn from. */
export interface Part {
  readonly name: string
  readonly texts: readonly string[]
}

/** How many scenes the generator writes. */
export const SCENE_COUNT = 61_440
/** Longer definitions cost the teacher more and teach the table less. */
const MAX_DEFINITION_PIECES = 10
const MAX_CHARACTERS = 220
const MAX_DEFINITION_WORDS = 22

/**
 * The texts of a training, always the same: WordNet's example sentences, its short definitions and generated scenes.
 * `pieceCount` says how many pieces of the vocabulary a text has.
 */
export const buildCorpus = (synsets: readonly Synset[], pieceCount: (text: string) => number): readonly Part[] => {
  const { examples, definitions } = wordNetTexts(synsets)
  return [
    { name: 'examples', texts: examples },
    { name: 'definitions', texts: definitions.filter((text) => pieceCount(text) <= MAX_DEFINITION_PIECES) },
    { name: 'scenes', texts: sceneTexts(SCENE_COUNT) },
  ]
}

/** Different sentences about people, animals and things. */
export const sceneTexts = (count: number): readonly string[] => {
  const random = createRandom('scenes')
  const texts = new Set<string>()
  while (texts.size < count) texts.add(sentence('{scene}', SCENES, random))
  return [...texts]
}

/** Example sentences and definitions, each once, in an order that mixes the parts of speech. */
export const wordNetTexts = (
  synsets: readonly Synset[],
): { examples: readonly string[]; definitions: readonly string[] } => {
  const random = createRandom('wordnet')
  const seen = new Set<string>()
  const fresh = (text: string): boolean => {
    if (text.length < 3 || text.length > MAX_CHARACTERS || seen.has(text)) return false
    seen.add(text)
    return true
  }
  const examples = synsets.flatMap((synset) => synset.examples).filter(fresh)
  const definitions = synsets.map((synset) => definitionText(synset, random)).filter(fresh)
  return { examples: random.shuffle(examples), definitions: random.shuffle(definitions) }
}

/** A definition by itself or said of its words. */
const definitionText = ({ words, definition }: Synset, random: Random): string => {
  const plain = definition.replace(/^\([^)]*\)\s*/, (domain) => (random.chance(0.5) ? domain : ''))
  const isLong = plain.split(/\s+/).length > MAX_DEFINITION_WORDS
  const text = isLong ? plain.split(/[;(]/)[0]?.trim() || plain : plain
  const form = random.next()
  if (form < 0.4) return text
  if (form < 0.7) return `${words[0]}: ${text}`
  return form < 0.85 ? `${words[0]} is ${text}` : `${words.slice(0, 3).join(', ')}: ${text}`
}
