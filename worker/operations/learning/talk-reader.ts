import type { SpokenTurn, TurnReading } from '../../../src/domain/extract/extract.js'
import type { DatePhrase, Tense } from '../../../src/domain/extract/found.js'
import type { People } from '../../../src/domain/extract/subject.js'

/** When something was said, and where. */
export interface Moment {
  /** Epoch milliseconds; null when it is not known. */
  readonly at: number | null
  /** Minutes that the local time was ahead of UTC. */
  readonly offsetMinutes: number
}

/** Reads turns of one talk, in order: who was named in one is known in the next. */
export interface TalkReader {
  readonly read: (turn: SpokenTurn, moment: Moment) => TurnReading
  readonly date: (text: string, moment: Moment, tense: Tense) => DatePhrase | null
  readonly people: People
}

/** What reads talks: a module of its own, since most openings learn from none. */
export interface TalkReading {
  /** @param known who was named before, as {@link TalkReading.known} told it; empty for a new talk */
  readonly createTalkReader: (known: string) => TalkReader
  /** Who was named so far, as text. */
  readonly known: (people: People) => string
}
