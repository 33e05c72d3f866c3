import type { Alignment } from './align.js'
import type { Signature } from './signature.js'

/** Share of the words that have to be shared before what differs says anything. */
export const SAME_TOPIC = 0.6

/** Share of the words that are shared beside one that differs. */
export const restShared = (a: Signature, b: Signature, { pairs }: Alignment, i: number, j: number): number => {
  const without = (signature: Signature, place: number): number =>
    weightOf(
      signature,
      [...signature.words.keys()].filter((other) => other !== place),
    )
  const whole = Math.max(without(a, i), without(b, j))
  const shared = weightOf(
    a,
    pairs.map((pair) => pair.a),
  )
  return whole < 1 ? 0 : shared / whole
}

/** Share of the words of the longer side that both have; light ones count little, values and names double. */
export const sharedWeight = (a: Signature, b: Signature, { pairs }: Alignment): number => {
  const shared = pairs.filter(({ relation }) => relation !== 'opposite')
  const opposite = pairs.filter(({ relation }) => relation === 'opposite')
  const left = weightOf(a, [...a.words.keys()])
  const right = weightOf(b, [...b.words.keys()])
  const both = Math.min(
    weightOf(
      a,
      shared.map((pair) => pair.a),
    ),
    weightOf(
      b,
      shared.map((pair) => pair.b),
    ),
  )
  // Opposites stand in one place, so that they speak neither for nor against one topic.
  const neutral = weightOf(
    a,
    opposite.map((pair) => pair.a),
  )
  const whole = Math.max(left, right) - neutral
  return whole <= 0 ? 1 : both / whole
}

export const weightOf = ({ words }: Signature, places: readonly number[]): number =>
  places.reduce((sum, place) => {
    const word = words[place]
    return sum + (word === undefined ? 0 : word.isLight ? 0.2 : 1)
  }, 0)

export const wordAt = ({ words }: Signature, place: number): string => words[place]?.text ?? ''
