import type { VersionBody } from '../schema/records.js'
import { sentencesOf } from './asking/sentences.js'
import { canonicalForm } from './canonical.js'
import { canonicalEntity } from './entity.js'
import type { StatementRelation } from './signature/relation.js'

/** One statement among those that are to be merged. */
export interface Fragment {
  readonly id: string
  readonly text: string
}

/** Determiners and the like may stand before the words of a name. */
const MOST_BEFORE = 1

/** Whether a memory is about somebody or something: it names them, or begins with them. `wanted` is a canonical name. */
export const isAbout = (
  { entities, relations, value }: Pick<VersionBody, 'entities' | 'relations' | 'value'>,
  wanted: string,
): boolean => {
  if ([...entities, ...relations.map(({ subject }) => subject)].some((name) => canonicalEntity(name) === wanted)) return true
  if (typeof value !== 'string' || wanted === '') return false
  const words = value.trim().split(/\s+/u, wanted.split(' ').length + MOST_BEFORE)
  return words.some((_, i) => canonicalEntity(words.slice(0, i + 1).join(' ')) === wanted)
}

/** Relations of which only one side can be so. */
const EXCLUDING: ReadonlySet<string> = new Set(['refines', 'opposes', 'differs'])

/** What is known of how statements stand to each other. */
export type Relate = (earlier: string, later: string) => Pick<StatementRelation, 'kind'>

/** Fragments with their sentences. */
export const sentencesIn = (fragments: readonly Fragment[]): ReadonlyMap<string, readonly string[]> =>
  new Map(fragments.map(({ id, text }) => [id, sentencesOf(text).map((sentence) => sentence.text)]))

/** Whether two fragments cannot both be so: a sentence of one excludes one of the other. */
export const exclude = (earlier: readonly string[], later: readonly string[], relate: Relate): boolean =>
  earlier.some((one) => later.some((other) => EXCLUDING.has(relate(one, other).kind)))

/**
 * The union of what fragments say, in their order: a sentence to a line, each once, also when it is said in other words. Deterministic, and
 * the same whatever was merged before.
 */
export const union = (fragments: readonly (readonly string[])[], relate: Relate): string => {
  const said: string[] = []
  const forms = new Set<string>()
  for (const sentence of fragments.flat()) {
    const form = canonicalForm(sentence)
    if (forms.has(form) || said.some((earlier) => relate(earlier, sentence).kind === 'restates')) continue
    forms.add(form)
    said.push(sentence)
  }
  return said.join('\n')
}
