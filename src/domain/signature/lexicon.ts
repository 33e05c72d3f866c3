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

/** Whether a word is a form of a verb other than the base. */
export const isInflected = (text: string, lexicon: Lexicon): boolean =>
  lexicon.isA(text, 'verb') && lexicon.baseForms(text).some((base) => base !== text)

/** What the file of words holds. */
interface Words {
  /** Senses of a base form, most frequent first; the first letter tells the part of speech. */
  readonly senses: Map<string, readonly string[]>
  readonly broader: Map<string, readonly string[]>
  /** Senses of qualities that are shades of one: tiny of small. */
  readonly similar: Map<string, readonly string[]>
  readonly opposites: Set<string>
  readonly derived: Set<string>
  /** Words that stand for each other in use though they share no frequent sense: father and dad. */
  readonly near: Set<string>
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
 * of words derived from each other, of words near in use and of irregular forms. Answers null for any other text.
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
    near: new Set(),
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
    else if (section === '%near') words.near.add(line)
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

/** Pairs of words kept looked up. */
const MOST_PAIRS = 50_000

const createLexicon = ({ senses, broader, similar, opposites, derived, near, irregular }: Words): Lexicon => {
  const entries = new Map<string, Entry>()

  const entryOf = (word: string): Entry => {
    const known = entries.get(word)
    if (known !== undefined) return known
    const found = candidatesOf(word).flatMap(({ base, parts }) =>
      senses.get(base)?.some(([part = '']) => parts.includes(part)) ? [base] : [],
    )
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

  const related = new Map<string, WordRelation>()

  const relation = (a: string, b: string): WordRelation => {
    const pair = `${a} ${b}`
    const known = related.get(pair)
    if (known !== undefined) return known
    const found = lookUp(a, b)
    if (related.size >= MOST_PAIRS) related.clear()
    related.set(pair, found)
    return found
  }

  const lookUp = (a: string, b: string): WordRelation => {
    const [inA, inB] = [entryOf(a), entryOf(b)]
    if (a === b || inA.bases.some((one) => inB.bases.includes(one))) return 'same'
    if (inA.senses.length === 0 || inB.senses.length === 0) return 'none'
    if (isPaired(opposites, inA.bases, inB.bases)) return 'opposite'
    if (inA.senses.some((sense) => inB.senses.includes(sense))) return 'synonym'
    if (inA.senses.some((sense) => similar.get(sense)?.some((one) => inB.senses.includes(one)))) return 'synonym'
    if (isPaired(near, inA.bases, inB.bases)) return 'synonym'
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

/**
 * Endings of regular forms, the parts of speech that take them, and what they stand for, after the rules of WordNet's Morphy: no mother
 * is more of a moth.
 */
const ENDINGS: readonly (readonly [ending: string, parts: string, ...bases: readonly string[]])[] = [
  ['ies', 'nv', 'y'],
  ['es', 'nv', 'e', ''],
  ['s', 'nv', ''],
  ['ied', 'v', 'y'],
  ['ed', 'v', 'e', ''],
  ['ing', 'v', 'e', ''],
  ['er', 'ar', 'e', ''],
  ['est', 'ar', 'e', ''],
]

const ANY_PART = 'nvar'

interface Candidate {
  readonly base: string
  /** Parts of speech of which the base has to be one. */
  readonly parts: string
}

const candidatesOf = (word: string): readonly Candidate[] => [
  { base: word, parts: ANY_PART },
  ...ENDINGS.flatMap(([ending, parts, ...bases]) => {
    if (!word.endsWith(ending) || word.length < ending.length + 2) return []
    const stem = word.slice(0, -ending.length)
    // running, bigger: the last letter was doubled.
    const single = /([b-df-hj-np-tv-z])\1$/.test(stem) ? [stem.slice(0, -1)] : []
    return [...bases.map((base) => stem + base), ...single].map((base) => ({ base, parts }))
  }),
]
