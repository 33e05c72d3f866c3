/** How one word stands to another: what it says is the same, takes in more, takes in less, or is the opposite. */
export type WordRelation = 'same' | 'synonym' | 'derived' | 'broader' | 'narrower' | 'opposite' | 'none'

export type PartOfSpeech = 'noun' | 'verb' | 'adjective' | 'adverb'

/** English words with their base forms and relations, as far as they are known. */
export interface Lexicon {
  /** Base forms a word may be of; the word itself where none is known. */
  readonly baseForms: (word: string) => readonly string[]
  /** Whether a word, in one of its forms, is of this part of speech in a sense it often has. */
  readonly isA: (word: string, part: PartOfSpeech) => boolean
  readonly isKnown: (word: string) => boolean
  /** Whether two words may be forms of one word. */
  readonly isSame: (a: string, b: string) => boolean
  /** How the second word stands to the first. */
  readonly relation: (a: string, b: string) => WordRelation
}

/** Knows no word, as in languages other than English: everything is compared letter by letter. */
export const NO_LEXICON: Lexicon = {
  baseForms: (word) => [word],
  isA: () => false,
  isKnown: () => false,
  isSame: (a, b) => a === b,
  relation: (a, b) => (a === b ? 'same' : 'none'),
}

/** What the file of words holds. */
interface Words {
  /** Senses of a base form, most frequent first; the first letter tells the part of speech. */
  readonly senses: Map<string, readonly string[]>
  readonly broader: Map<string, readonly string[]>
  /** Senses of qualities that are shades of one: tiny of small. */
  readonly similar: Map<string, readonly string[]>
  readonly opposites: Set<string>
  readonly derived: Set<string>
  readonly irregular: Map<string, string>
}

const FIRST_LINE = 'palimpsest lexicon 1'

/**
 * Generations of broader senses looked through, by part of speech: a poodle is an animal, but not everything is a thing; to slice is
 * to cut, but soon all is acting or moving.
 */
const GENERATIONS: readonly (readonly [part: string, generations: number])[] = [
  ['n', 3],
  ['v', 1],
]

const PARTS: Readonly<Record<PartOfSpeech, string>> = { noun: 'n', verb: 'v', adjective: 'a', adverb: 'r' }

/**
 * Reads the lexicon: after its first line a line per base form with its senses, then the sections of broader senses, of opposites,
 * of words derived from each other and of irregular forms. Answers null for any other text.
 */
export const readLexicon = (file: string): Lexicon | null => {
  const [first, ...lines] = file.split('\n')
  if (first !== FIRST_LINE) return null
  const words: Words = {
    senses: new Map(),
    broader: new Map(),
    similar: new Map(),
    opposites: new Set(),
    derived: new Set(),
    irregular: new Map(),
  }
  let section = ''
  for (const line of lines) {
    if (line.startsWith('%')) {
      section = line
      continue
    }
    const [word = '', ...rest] = line.split(' ')
    if (section === '') words.senses.set(word, rest)
    else if (section === '%broader') words.broader.set(word, rest)
    else if (section === '%similar') words.similar.set(word, rest)
    else if (section === '%opposites') words.opposites.add(line)
    else if (section === '%derived') words.derived.add(line)
    else if (section === '%forms') words.irregular.set(word, rest[0] ?? word)
  }
  return createLexicon(words)
}

/** What is known of one word, looked up once. */
interface Entry {
  readonly bases: readonly string[]
  readonly senses: readonly string[]
  /** Broader senses of the senses of one part of speech. */
  readonly above: ReadonlyMap<string, ReadonlySet<string>>
}

/** Words kept looked up: those of a language are many, those of a store's statements few. */
const MOST_ENTRIES = 20_000

const createLexicon = ({ senses, broader, similar, opposites, derived, irregular }: Words): Lexicon => {
  const entries = new Map<string, Entry>()

  const entryOf = (word: string): Entry => {
    const known = entries.get(word)
    if (known !== undefined) return known
    const found = candidatesOf(word).filter((candidate) => senses.has(candidate))
    const exception = irregular.get(word)
    const forms = [...new Set(exception === undefined ? found : [exception, ...found])]
    const bases = forms.length > 0 ? forms : [word]
    const all = bases.flatMap((base) => senses.get(base) ?? [])
    const above = GENERATIONS.map(([part, generations]) => [part, aboveOf(all, part, generations)] as const)
    const entry = { bases, senses: all, above: new Map(above) }
    if (entries.size >= MOST_ENTRIES) entries.clear()
    entries.set(word, entry)
    return entry
  }

  const aboveOf = (from: readonly string[], part: string, generations: number): ReadonlySet<string> => {
    const all = new Set<string>()
    let level = from.filter((sense) => sense.startsWith(part))
    for (let i = 0; i < generations; i++) {
      level = level.flatMap((sense) => broader.get(sense) ?? [])
      for (const sense of level) all.add(sense)
    }
    return all
  }

  const isPaired = (pairs: ReadonlySet<string>, as: readonly string[], bs: readonly string[]): boolean =>
    as.some((one) => bs.some((other) => pairs.has(one < other ? `${one} ${other}` : `${other} ${one}`)))

  const isSame = (a: string, b: string): boolean => {
    if (a === b) return true
    // Forms of one word begin alike, but for the irregular ones.
    if (a[0] !== b[0]) return false
    const { bases } = entryOf(b)
    return entryOf(a).bases.some((one) => bases.includes(one))
  }

  const relation = (a: string, b: string): WordRelation => {
    const [inA, inB] = [entryOf(a), entryOf(b)]
    if (a === b || inA.bases.some((one) => inB.bases.includes(one))) return 'same'
    if (inA.senses.length === 0 || inB.senses.length === 0) return 'none'
    if (isPaired(opposites, inA.bases, inB.bases)) return 'opposite'
    if (inA.senses.some((sense) => inB.senses.includes(sense))) return 'synonym'
    if (inA.senses.some((sense) => similar.get(sense)?.some((one) => inB.senses.includes(one)))) return 'synonym'
    if (isPaired(derived, inA.bases, inB.bases)) return 'derived'
    for (const [part] of GENERATIONS) {
      // Sitting and moving are verbs here, whatever nouns they have become.
      if (part === 'n' && a.endsWith('ing') && b.endsWith('ing')) continue
      if (inB.senses.some((sense) => sense.startsWith(part) && inA.above.get(part)?.has(sense))) return 'broader'
      if (inA.senses.some((sense) => sense.startsWith(part) && inB.above.get(part)?.has(sense))) return 'narrower'
    }
    return 'none'
  }

  return {
    baseForms: (word) => entryOf(word).bases,
    isKnown: (word) => entryOf(word).senses.length > 0,
    isA: (word, part) => entryOf(word).senses.some((sense) => sense.startsWith(PARTS[part])),
    isSame,
    relation,
  }
}

/** Endings of regular forms and what they stand for, after the rules of WordNet's Morphy. */
const ENDINGS: readonly (readonly [ending: string, ...bases: readonly string[]])[] = [
  ['ies', 'y'],
  ['es', 'e', ''],
  ['s', ''],
  ['ied', 'y'],
  ['ed', 'e', ''],
  ['ing', 'e', ''],
  ['er', 'e', ''],
  ['est', 'e', ''],
]

const candidatesOf = (word: string): readonly string[] => [
  word,
  ...ENDINGS.flatMap(([ending, ...bases]) => {
    if (!word.endsWith(ending) || word.length < ending.length + 2) return []
    const stem = word.slice(0, -ending.length)
    // running, bigger: the last letter was doubled.
    const single = /([b-df-hj-np-tv-z])\1$/.test(stem) ? [stem.slice(0, -1)] : []
    return [...bases.map((base) => stem + base), ...single]
  }),
]
