import type { Lexicon, WordRelation } from './lexicon.js'
import type { ContentWord } from './signature.js'
import { areOpposed, FILLERS } from './word-classes.js'

/** Two words that stand in one place: which, and how the second stands to the first. */
export interface Pair {
  readonly a: number
  readonly b: number
  readonly relation: WordRelation
}

/** Which words of two statements say the same, and which are left over. */
export interface Alignment {
  readonly pairs: readonly Pair[]
  /** Places of words that the other side lacks. */
  readonly onlyA: readonly number[]
  readonly onlyB: readonly number[]
}

/** What words that are not the same may be to each other, nearest first; `same` are values that are written in two ways. */
const STEPS: readonly (readonly WordRelation[])[] = [
  ['same'],
  ['synonym'],
  ['derived'],
  ['opposite'],
  ['broader', 'narrower'],
]

/** Share of the shorter side's words that have to be equal before anything else is looked up. */
const SHARED_AT_LEAST = 0.3

/** Longest statement that is aligned word by word. */
export const MOST_WORDS = 60

/** Matches each word with the nearest one of the other side: first equal words, then synonyms, then others that are related. */
export const align = (as: readonly ContentWord[], bs: readonly ContentWord[], lexicon: Lexicon): Alignment => {
  const a = as.slice(0, MOST_WORDS)
  const b = bs.slice(0, MOST_WORDS)
  const takenA = new Set<number>()
  const takenB = new Set<number>()
  const pairs: Pair[] = []
  const take = (i: number, j: number, relation: WordRelation): void => {
    takenA.add(i)
    takenB.add(j)
    pairs.push({ a: i, b: j, relation })
  }
  const match = (step: readonly WordRelation[], relations: readonly (readonly WordRelation[])[]): void =>
    a.forEach((_, i) => {
      if (takenA.has(i)) return
      let nearest = -1
      let least = Number.POSITIVE_INFINITY
      relations[i]?.forEach((relation, j) => {
        if (takenB.has(j) || !step.includes(relation)) return
        const far = farness(a, b, i, j)
        if (far < least) [nearest, least] = [j, far]
      })
      if (nearest >= 0) take(i, nearest, relations[i]?.[nearest] ?? 'same')
    })
  match(
    ['same'],
    a.map((word) => b.map((other) => sameOrNone(word, other, lexicon))),
  )
  joinCompounds(a, b, takenA, takenB, (i, j) => take(i, j, 'same'))
  // Where hardly a word is shared, no synonym makes it the same statement.
  if (takenA.size >= SHARED_AT_LEAST * Math.min(a.length, b.length)) {
    const relations = a.map((word, i) =>
      takenA.has(i) ? [] : b.map((other, j) => (takenB.has(j) ? 'none' : relationOf(word, other, lexicon))),
    )
    for (const step of STEPS) match(step, relations)
  }
  return {
    pairs: pairs.sort((one, two) => one.a - two.a),
    onlyA: [...a.keys()].filter((i) => !takenA.has(i)),
    onlyB: [...b.keys()].filter((j) => !takenB.has(j)),
  }
}

/** Among equal words the one that hangs on the same preposition, then the one before the same word, then the one nearest by place. */
const farness = (a: readonly ContentWord[], b: readonly ContentWord[], i: number, j: number): number =>
  Math.abs(i - j) + (a[i]?.after === b[j]?.after ? 0 : 2 * MOST_WORDS) + (a[i + 1]?.text === b[j + 1]?.text ? 0 : MOST_WORDS)

/** The cheap look that most pairs of words end with. */
const sameOrNone = (a: ContentWord, b: ContentWord, lexicon: Lexicon): WordRelation => {
  if (a.value !== null || b.value !== null || (a.isName && b.isName)) return relationOf(a, b, lexicon)
  if (a.text === b.text) return 'same'
  // Forms of one word begin alike.
  if (a.text[0] !== b.text[0]) return 'none'
  return lexicon.isSame(a.text, b.text) || unhyphened(a.text) === unhyphened(b.text) ? 'same' : 'none'
}

const unhyphened = (text: string): string => text.replaceAll('-', '')

const relationOf = (a: ContentWord, b: ContentWord, lexicon: Lexicon): WordRelation => {
  if (a.value !== null || b.value !== null) return a.value === b.value ? 'same' : 'none'
  // A name means itself alone: Rose is no flower. But Syria's is Syrian.
  if (a.isName && b.isName) return a.text === b.text ? 'same' : isDerivedName(a.text, b.text, lexicon) ? 'derived' : 'none'
  if (areOpposed(a.text, b.text)) return 'opposite'
  // The very thing may be the same thing, but what is very different is not the same.
  if (FILLERS.has(a.text) !== FILLERS.has(b.text)) return 'none'
  const relation = lexicon.relation(a.text, b.text)
  // The notebook need not be the book, where a notebook is a book.
  return relation === 'broader' && (a.isDefinite || b.isDefinite) ? 'none' : relation
}

const isDerivedName = (a: string, b: string, lexicon: Lexicon): boolean =>
  a.slice(0, STEM) === b.slice(0, STEM) && ['same', 'synonym', 'derived'].includes(lexicon.relation(a, b))

/** Letters that a name and what is made of it have in common at the least. */
const STEM = 3

/** `sun glasses` and `sunglasses`, `on stage` and `onstage`: written apart, or joined. */
const joinCompounds = (
  a: readonly ContentWord[],
  b: readonly ContentWord[],
  takenA: ReadonlySet<number>,
  takenB: ReadonlySet<number>,
  take: (i: number, j: number) => void,
): void => {
  joinOneWay(a, b, takenA, takenB, take)
  joinOneWay(b, a, takenB, takenA, (part, whole) => take(whole, part))
  joinInitials(a, b, takenA, takenB, take)
  joinInitials(b, a, takenB, takenA, (part, whole) => take(whole, part))
}

/** `Supreme Court` and `SC`: a name of a few letters for the words that begin with them. */
const joinInitials = (
  words: readonly ContentWord[],
  short: readonly ContentWord[],
  takenWords: ReadonlySet<number>,
  takenShort: ReadonlySet<number>,
  join: (part: number, whole: number) => void,
): void => {
  short.forEach(({ text, isName }, j) => {
    const letters = text.replaceAll('.', '')
    if (takenShort.has(j) || !isName || letters.length < 2 || letters.length > 5) return
    const at = words.findIndex((_, from) =>
      [...letters].every((letter, i) => words[from + i]?.text.startsWith(letter) && !takenWords.has(from + i)),
    )
    if (at >= 0) for (let i = 0; i < letters.length; i++) join(at + i, j)
  })
}

const joinOneWay = (
  apart: readonly ContentWord[],
  joined: readonly ContentWord[],
  takenApart: ReadonlySet<number>,
  takenJoined: ReadonlySet<number>,
  join: (part: number, whole: number) => void,
): void => {
  joined.forEach(({ text }, j) => {
    if (takenJoined.has(j)) return
    const plain = unhyphened(text)
    const i = apart.findIndex((word, at) => {
      const next = apart[at + 1]
      const both = next !== undefined && unhyphened(word.text + next.text) === plain
      // One of the two may have been matched already: back yard, backyard in the yard.
      return both && !(takenApart.has(at) && takenApart.has(at + 1))
    })
    const single = apart.findIndex(
      (word, at) => !takenApart.has(at) && word.after !== null && word.after + word.text === plain,
    )
    const at = i >= 0 ? i : single
    if (at < 0) return
    join(at, j)
    if (i >= 0) join(i + 1, j)
  })
}
