/** A seeded generator of numbers in [0, 1) and the picks built on it. */
export interface Random {
  readonly next: () => number
  readonly below: (bound: number) => number
  readonly pick: <T>(list: readonly T[]) => T
  readonly chance: (probability: number) => boolean
  readonly shuffle: <T>(list: T[]) => T[]
}

/** Mulberry32, seeded by a text: the same seed gives the same numbers on every machine. */
export const createRandom = (seed: string): Random => {
  let state = 2166136261
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 16777619)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    next,
    below,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    chance: (probability) => next() < probability,
    shuffle: (list) => {
      for (let i = list.length - 1; i > 0; i--) {
        const j = below(i + 1)
        const kept = list[i] as (typeof list)[number]
        list[i] = list[j] as (typeof list)[number]
        list[j] = kept
      }
      return list
    },
  }
}
