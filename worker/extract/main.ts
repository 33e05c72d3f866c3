import { noPeople, readTurn } from '../../src/domain/extract/extract.js'
import type { People } from '../../src/domain/extract/subject.js'
import type { TalkReading } from '../operations/learning/talk-reader.js'
import { dateIn } from './dates.js'
import { wordsOf } from './words.js'

interface Known {
  readonly named: (readonly [string, readonly { segment: string; relation: string }[]])[]
  readonly sure: readonly string[]
  readonly byRelation: readonly [string, { name: string; segment: string }][]
}

const peopleFrom = (known: string): People => {
  if (known === '') return noPeople()
  const { named, sure, byRelation } = JSON.parse(known) as Known
  return { named: new Map(named), sure: new Set(sure), byRelation: new Map(byRelation), last: null }
}

/** What the worker imports with the first talk that is to be learned from. */
export const { createTalkReader, known }: TalkReading = {
  createTalkReader: (before) => {
    const people = peopleFrom(before)
    return {
      people,
      date: dateIn,
      read: (turn, moment) => readTurn(turn, people, { words: wordsOf, date: (text, tense) => dateIn(text, moment, tense) }),
    }
  },
  known: ({ named, sure, byRelation }) =>
    JSON.stringify({ named: [...named], sure: [...sure].slice(-2_000), byRelation: [...byRelation] } satisfies Known),
}
