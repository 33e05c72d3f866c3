import type { TurnReading } from '../../../src/domain/extract/extract.js'
import { shorten } from '../../../src/domain/extract/spoken.js'
import type { TalkReader } from './talk-reader.js'
import { isPerson, type Turn } from './turns.js'

/** A turn with what it holds. */
export interface ReadTurn extends TurnReading {
  readonly turn: Turn
}

/** Reads a turn by the rules. What no person says asks nothing to be forgotten, and is not learned from unless it is wanted. */
export const readByRules = (reader: TalkReader, turn: Turn, external: boolean): ReadTurn => {
  if (isPerson(turn)) return { turn, ...reader.read(turn, turn) }
  const nothing = { turn, facts: [], forget: [], refused: [], moreRefused: 0 }
  if (!external)
    return { ...nothing, refused: turn.text.trim() === '' ? [] : [{ text: shorten(turn.text), why: 'not_a_person' }] }
  const read = reader.read({ ...turn, speaker: turn.speaker ?? turn.role }, turn)
  return {
    ...read,
    turn,
    forget: [],
    refused: [...read.refused, ...read.forget.map(({ said }) => ({ text: shorten(said), why: 'not_a_person' as const }))],
  }
}
