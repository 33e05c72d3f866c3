import { answerAt, beginnings, type Moment } from '../../../src/domain/as-of.js'
import { EVERY_VERSION, lastVersionAt } from '../../../src/domain/clock.js'
import { invalidArgument } from '../../../src/protocol/errors.js'
import type { AsOfInput } from '../../../src/schema/as-of.js'
import type { Status } from '../../../src/schema/records.js'
import { memoryById, type Said, versionsUpTo } from '../../store/moments.js'
import type { Store } from '../../store/store.js'
import type { CallContext } from '../context.js'

/** A moment with the number that versions known by then do not exceed. */
export interface Look extends Moment {
  readonly upTo: bigint
}

/** The moment that an input asks for. What is left out is now. */
export const lookOf = ({ asOf, asOfBasis }: AsOfInput, { acceptedAt }: CallContext): Look => {
  if (asOf === undefined) throw invalidArgument('asOfBasis', 'goes with asOf, which is missing')
  if (typeof asOf === 'object') {
    if (asOfBasis !== undefined) throw invalidArgument('asOfBasis', 'goes with one instant, not with two')
    const known = asOf.known === undefined ? null : Date.parse(asOf.known)
    const valid = asOf.valid === undefined ? null : Date.parse(asOf.valid)
    return { valid, ...knownAt(known, acceptedAt) }
  }
  const instant = Date.parse(asOf)
  return asOfBasis === 'knowledge_time'
    ? { valid: null, ...knownAt(instant, acceptedAt) }
    : { valid: instant, ...knownAt(null, acceptedAt) }
}

/** Versions may be numbered ahead of a clock that was set back, so that now has no last one. */
const knownAt = (known: number | null, nowMs: number): Omit<Look, 'valid'> =>
  known === null ? { known: nowMs, upTo: EVERY_VERSION } : { known, upTo: lastVersionAt(known) }

/** A memory as it answers at a moment. */
export interface Answering {
  readonly head: Said
  readonly from: number
}

/** What some memories answer at a moment; those that answer nothing are left out. */
export const answersOf = (
  { db, book }: Store,
  memories: readonly number[],
  look: Look,
  statuses: readonly Status[],
): readonly Answering[] => {
  const known = versionsUpTo(db, memories, look.upTo)
  return memories.flatMap((memory) => {
    const versions = known.get(memory) ?? []
    const [first] = versions
    if (first === undefined) return []
    const beginningsOf = (id: string): readonly number[] => {
      const successor = memoryById(db, book.relatives(first.identity), id)
      return successor === null ? [] : beginnings(versionsUpTo(db, [successor], look.upTo).get(successor) ?? [])
    }
    const answer = answerAt(versions, look, statuses, beginningsOf)
    return answer === null ? [] : [{ head: answer.version, from: answer.from }]
  })
}
