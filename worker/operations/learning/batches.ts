import type { Turn } from './turns.js'

/** Turns that are read and written in one go, and characters. */
export const BATCH = { turns: 25, characters: 60_000 }
/** Turns in order, few enough at a time that other calls get their turn. */
export function* batchesOf(turns: readonly Turn[]): Generator<readonly Turn[]> {
  let batch: Turn[] = []
  let characters = 0
  for (const turn of turns) {
    if (batch.length >= BATCH.turns || (batch.length > 0 && characters + turn.text.length > BATCH.characters)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(turn)
    characters += turn.text.length
  }
  if (batch.length > 0) yield batch
}

export const advisoriesOf = (turns: readonly Turn[]): readonly string[] => {
  const undated = turns.filter(({ at }) => at === null).length
  return undated === 0
    ? []
    : [
        `${undated} messages have no date: what they say of "yesterday" or "next week" stays unresolved. Give at or observedAt.`,
      ]
}
