import type { Scope } from '../schema/scope.js'
import type { GivenFields } from './body.js'
import { textOf } from './canonical.js'
import { normalize } from './normalize.js'

/** How large a pattern and what it scans may be, and how long a scan may take. */
export const PATTERN_LIMITS = { length: 256, programSize: 200, piece: 8_192, ruleMs: 50, writeMs: 250 } as const

/** What two neighbouring pieces of a long text share, so that a match of this length is not cut in two. */
const OVERLAP = 1_024

/** A text in the form in which substrings are compared: any case, NFKC, without characters that are not seen. */
export const foldText = (text: string): string =>
  normalize(
    normalize(text, 'NFKC')
      .toLowerCase()
      .replace(/\p{Default_Ignorable_Code_Point}/gu, ''),
    'NFKC',
  )

/** What rules look at beside the key. */
export type ScannedFields = Pick<GivenFields, 'value' | 'tags' | 'entities' | 'relations' | 'files'>

/** The texts of a write that rules look at: key, value, and the labels around it. */
export const scannedText = (fields: ScannedFields, key: string | undefined): string => {
  const { value, tags = [], entities = [], relations = [], files = [] } = fields
  const statements = relations.map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`)
  return [key ?? [], value === undefined ? [] : textOf(value), tags, entities, statements, files].flat().join('\n')
}

/** A text in stretches that are short enough to be scanned. */
export const piecesOf = (text: string): readonly string[] => {
  const pieces: string[] = []
  for (let start = 0; ; start += PATTERN_LIMITS.piece - OVERLAP) {
    pieces.push(text.slice(start, start + PATTERN_LIMITS.piece))
    if (start + PATTERN_LIMITS.piece >= text.length) return pieces
  }
}

/** The scopes whose rules hold for what is written in a scope: itself and the wider ones. */
export const governingScopes = ({ org, namespace, agent, user, session }: Scope): readonly Scope[] => {
  const persons: readonly Partial<Scope>[] = [
    {},
    ...(user === undefined ? [] : [{ user }]),
    ...(session === undefined ? [] : [{ ...(user === undefined ? {} : { user }), session }]),
  ]
  return persons.flatMap((person) => [
    { org, namespace, ...person },
    ...(agent === undefined ? [] : [{ org, namespace, agent, ...person }]),
  ])
}

/** Whether the rules of a scope hold for what is written in another. */
export const governs = (rule: Scope, written: Scope): boolean =>
  rule.org === written.org &&
  rule.namespace === written.namespace &&
  (rule.agent === undefined || rule.agent === written.agent) &&
  ((rule.user === undefined && rule.session === undefined) || rule.user === written.user) &&
  (rule.session === undefined || rule.session === written.session)
