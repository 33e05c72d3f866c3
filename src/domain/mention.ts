import type { VersionBody } from '../schema/records.js'
import { textOf } from './canonical.js'
import { normalize } from './normalize.js'

/** How a memory names somebody or something: it is about that one, only names it, or has it as the object of a relation. */
export const ROLES = { subject: 0, named: 1, object: 2 } as const

/** The form under which names are looked up. */
export const mentionName = (name: string): string => normalize(name, 'NFKC').toLowerCase().trim()

/**
 * Names of a memory with their roles, those it is about first. An entity that its text begins with is what it is about, and so is one that the text
 * does not name: who says it, or what it was filed under.
 */
export const mentionsOf = ({
  value,
  entities,
  relations,
}: Pick<VersionBody, 'value' | 'entities' | 'relations'>): readonly (readonly [name: string, role: number])[] => {
  if (entities.length + relations.length === 0) return []
  const text = mentionName(textOf(value))
  const made = [
    ...relations.flatMap(({ subject, object }) => [[mentionName(subject), 0] as const, [mentionName(object), 2] as const]),
    ...entities.map((entity) => {
      const name = mentionName(entity)
      return [name, text.indexOf(name) > 0 ? 1 : 0] as const
    }),
  ]
  return made.sort((a, b) => a[1] - b[1])
}
