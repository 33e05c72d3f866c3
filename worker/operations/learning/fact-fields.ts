import type { GivenFields } from '../../../src/domain/body.js'
import type { FoundFact } from '../../../src/domain/extract/found.js'
import type { VersionBody } from '../../../src/schema/records.js'
import type { Fields } from '../memory/prepare.js'
import type { Turn } from './turns.js'

/** How sure what was read is. */
const CONFIDENCE = 0.6

/** Types of memories by the kind of what they tell; all others are usual statements. */
const TYPES: Readonly<Record<string, string>> = {
  taste: 'preference',
  decision: 'decision',
  commitment: 'commitment',
  opinion: 'opinion',
}

/** A fact as it is written, dated by what it says and when it was said. */
export const fieldsOf = (turn: Turn, { key, statement, kind, name, date, isSingle }: FoundFact): Fields => {
  const isUnresolved = date !== null && date.date === null
  // What holds from the day it names holds from then; all else from when it was said.
  const holdsFrom = isSingle && date?.date != null && turn.said !== null && date.date < turn.said ? date.date : turn.said
  return {
    key,
    value: statement,
    ...(TYPES[kind] === undefined ? {} : { type: TYPES[kind] }),
    tags: isUnresolved ? [kind, 'date-unresolved'] : [kind],
    entities: [name?.replace(/^my /u, '') ?? turn.speaker].filter((one): one is string => one !== null),
    confidence: CONFIDENCE,
    onEmbedFailure: 'queue',
    timeZone: turn.timeZone,
    ...(holdsFrom === null ? {} : { validAt: holdsFrom }),
    ...(date?.date == null ? {} : { temporalAnchor: date.date }),
  }
}

/**
 * What is said of the present takes the place of what was believed when it was said, also where it began before that was told: who lives in Porto today and
 * says tonight to have moved to Lisbon last week lives in Lisbon. It holds from when the other began, at the earliest.
 */
export const sinceWhen = (
  { at }: Turn,
  fact: FoundFact | null,
  { validAt }: Pick<GivenFields, 'validAt'>,
  live: VersionBody | undefined,
): Pick<GivenFields, 'validAt' | 'validAtPrecision'> => {
  if (fact === null || !fact.isSingle || at === null || validAt == null || live === undefined) return {}
  const began = live.validAt ?? live.temporalAnchor ?? live.updatedAt
  return validAt < began && began <= at ? { validAt: began, validAtPrecision: null } : {}
}
