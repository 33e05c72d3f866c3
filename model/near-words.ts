import type { Sense } from './wordnet-relations.js'

/*
 * Words that may stand for each other although no frequent sense of theirs is one: father and dad, wood and wooden, happy and
 * joyful. WordNet tells which words have anything to do with each other, the token table how near they are in use. Neither is enough:
 * what is near in use may be another thing of one kind (Monday, Tuesday), and what is broader may be far too broad.
 */

/** Cosine from which two linked words count as near. */
const NEAR = 0.6
/** The same for words that WordNet sends from one to the other: shades of one quality. */
const NEAR_SHADE = 0.4
/** The same for words that begin alike, with no link between them. */
const NEAR_STEM = 0.7
const STEM = 4

/** The same for words of which one takes in more: a dad is a father, but to tell of a parrot is more than to tell of a bird. */
const NEAR_ABOVE = 0.7

export interface WordSource {
  /** All senses of a word, the rare ones as well. */
  readonly sensesOf: (word: string) => readonly Sense[]
  readonly senseOf: (id: string) => Sense | undefined
  /** Of unit length; null for a word that is no token. */
  readonly vectorOf: (word: string) => Float32Array | null
}

/** Pairs of near words among some, each once, sorted. */
export const nearPairs = (words: readonly string[], source: WordSource): readonly string[] => {
  const known = new Set(words.filter((word) => source.vectorOf(word) !== null))
  const byStem = new Map<string, string[]>()
  for (const word of known) {
    if (word.length < STEM) continue
    const stem = word.slice(0, STEM)
    byStem.set(stem, [...(byStem.get(stem) ?? []), word])
  }
  const found = new Set<string>()
  for (const word of known) {
    const consider = (other: string, least: number): void => {
      if (other === word || !known.has(other) || areApart(word, other, source)) return
      if (nearness(word, other, source) >= least) found.add(word < other ? `${word} ${other}` : `${other} ${word}`)
    }
    for (const other of linkedTo(word, 0, source)) consider(other, NEAR)
    for (const other of linkedTo(word, 2, source)) consider(other, NEAR_ABOVE)
    for (const other of besideOf(word, source)) consider(other, NEAR_SHADE)
    for (const other of byStem.get(word.slice(0, STEM)) ?? [])
      if (isOfOtherKind(word, other, source)) consider(other, NEAR_STEM)
  }
  return [...found].sort()
}

const nearness = (a: string, b: string, { vectorOf }: WordSource): number => {
  const [one, other] = [vectorOf(a), vectorOf(b)]
  return one === null || other === null ? 0 : one.reduce((sum, component, i) => sum + component * (other[i] as number), 0)
}

/** Words of the same senses and of broader ones; `generations` says how far up. */
const linkedTo = (word: string, generations: number, { sensesOf, senseOf }: WordSource): ReadonlySet<string> => {
  const linked = [...sensesOf(word)]
  // Whoever comes from a country of Africa is African, and not the other way.
  let level: readonly Sense[] = linked.filter(({ isName }) => !isName)
  for (let i = 0; i < generations; i++) {
    level = level.flatMap(({ broader }) => broader.flatMap((id) => senseOf(id) ?? []))
    linked.push(...level)
  }
  return new Set(linked.flatMap(({ words }) => words))
}

/** Shades of the same quality, and what a word comes from. */
const besideOf = (word: string, { sensesOf, senseOf }: WordSource): ReadonlySet<string> => {
  const beside = sensesOf(word).flatMap(({ similar, akin }) => [...similar, ...akin])
  return new Set(beside.flatMap((id) => senseOf(id)?.words ?? []))
}

/** Opposites, two of one kind, and a kind with its name inside it: a bedroom is one of many rooms. */
const areApart = (a: string, b: string, { sensesOf }: WordSource): boolean => {
  const [inA, inB] = [sensesOf(a), sensesOf(b)]
  const ofB = new Set(inB.map(({ id }) => id))
  const isOpposite = inA.some(({ opposites }) => opposites.some(([, id]) => ofB.has(id)))
  const kinds = new Set(inA.filter(({ id }) => id.startsWith('n')).flatMap(({ broader }) => broader))
  const shared = inA.some(({ id }) => ofB.has(id))
  const isInside = a.endsWith(b) || b.endsWith(a)
  return isOpposite || isInside || (!shared && inB.some(({ broader }) => broader.some((id) => kinds.has(id))))
}

/** Not both nouns: the sculptor is no sculpture, though one can sculpture. */
const isOfOtherKind = (a: string, b: string, { sensesOf }: WordSource): boolean =>
  [a, b].some((word) => sensesOf(word).every(({ id }) => !id.startsWith('n')))
