import { noPeople, readTurn, type SpokenTurn, type TurnReading } from '../../src/domain/extract/extract.js'
import { dateIn, type Moment } from './dates.js'
import { wordsOf } from './words.js'

/** Reads turns of one talk, in order: who was named in one is known in the next. */
export interface TalkReader {
  readonly read: (turn: SpokenTurn, moment: Moment) => TurnReading
}

/** What the worker imports with the first talk that is to be learned from. */
export const createTalkReader = (): TalkReader => {
  const people = noPeople()
  return {
    read: (turn, moment) =>
      readTurn(turn, people, { words: wordsOf, date: (text, tense) => dateIn(text, moment, tense) }),
  }
}
