import { canonicalThing } from './predicate.js'

/** A subject–predicate–object statement with its times, in epoch milliseconds. */
export interface TimedTriple {
  readonly subject: string
  /** In its canonical form. */
  readonly predicate: string
  readonly object: string
  readonly validFrom: number
  /** When it stopped to hold; null while it holds. */
  readonly validUntil: number | null
  readonly recordedAt: number
  /** Whether its subject has one object at a time. */
  readonly single: boolean
}

/**
 * Triples with the ends that newer ones put to them: of a single-valued predicate one holds until another object holds, from later on.
 * What holds from the same instant ends nothing: both stand, and somebody has to decide. Nothing that is stored changes, so that the order
 * in which triples came to be known makes no difference.
 */
export const withEnds = <T extends TimedTriple>(triples: readonly T[]): readonly T[] => {
  const byQuestion = new Map<string, T[]>()
  for (const triple of triples) {
    const question = JSON.stringify([canonicalThing(triple.subject), triple.predicate])
    const known = byQuestion.get(question)
    if (known === undefined) byQuestion.set(question, [triple])
    else known.push(triple)
  }
  return triples.map((triple) => {
    const others = byQuestion.get(JSON.stringify([canonicalThing(triple.subject), triple.predicate])) ?? []
    const next = others
      .filter((other) => other.single && other.validFrom > triple.validFrom && !isSame(other.object, triple.object))
      .reduce((first, { validFrom }) => Math.min(first, validFrom), Number.POSITIVE_INFINITY)
    if (!triple.single || next >= (triple.validUntil ?? Number.POSITIVE_INFINITY)) return triple
    return { ...triple, validUntil: next }
  })
}

/** Whether a triple holds at an instant: from its first moment on, up to and without its last. */
export const holdsAt = ({ validFrom, validUntil }: TimedTriple, at: number): boolean =>
  validFrom <= at && (validUntil === null || at < validUntil)

const isSame = (a: string, b: string): boolean => canonicalThing(a) === canonicalThing(b)
