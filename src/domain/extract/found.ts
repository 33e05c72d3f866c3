import type { FactKind, RefusalWhy } from '../../schema/learning.js'

export type { FactKind, RefusalWhy } from '../../schema/learning.js'

/** A date that a statement names, by its own words. */
export interface DatePhrase {
  /** The words that give it. */
  readonly phrase: string
  /** `2026-03`, `2026-03-01` or `2026-03-01T09:00`; null where it counts from a day that is not known. */
  readonly date: string | null
}

/** A statement that is worth keeping. */
export interface FoundFact {
  /** In words that stand by themselves. */
  readonly statement: string
  /** The words it was said in. */
  readonly said: string
  readonly kind: FactKind
  /** Whom it is about: a segment of a key. */
  readonly subject: string
  /** How that one is called in the statement, or null for a speaker without a name. */
  readonly name: string | null
  readonly key: string
  /** Of a value that is said not to hold, or no more: what it is, and the key where `key` holds another one, which stays. */
  readonly ended: { readonly thing: string; readonly key: string } | null
  /** Whether the subject has one of it at a time, so that the next statement of it replaces this one. */
  readonly isSingle: boolean
  readonly date: DatePhrase | null
  /** Said to correct what was said before. */
  readonly corrects: boolean
}

export interface Refusal {
  readonly text: string
  readonly why: RefusalWhy
}

/** What is to be forgotten. */
export interface ForgetRequest {
  /** The words it was asked in. */
  readonly said: string
  /** `last`: what was learned last; `everything`: all that was learned from this person. */
  readonly what: 'last' | 'everything' | 'matching'
  /** With `matching`: the words that name it. */
  readonly words: string
}

/** What the words of a language are, by a library. */
export interface Reader {
  readonly words: (text: string) => readonly Word[]
  /** The first date that a text names, seen from when it was said. */
  readonly date: (text: string, tense: Tense) => DatePhrase | null
}

export type Tense = 'past' | 'present' | 'future'

export interface Word {
  readonly text: string
  /** In the terms of the library: `Verb`, `PastTense`, `ProperNoun`, … */
  readonly tags: ReadonlySet<string>
}

/** What one clause gave. */
export interface Reading {
  readonly found: readonly FoundFact[]
  readonly why: RefusalWhy | null
}
