import { sentencesOf } from '../asking/sentences.js'
import { forgetIn, rememberIn, reminderIn } from './asked.js'
import { isChinese, readChinese } from './chinese.js'
import { announcesMore, clausesOf } from './clauses.js'
import type { ForgetRequest, FoundFact, Reader, Reading, Refusal, RefusalWhy } from './found.js'
import { formProblem, isJoke, setsStage } from './gate.js'
import { isGerman, readGerman } from './german.js'
import { quotesIn } from './quotes.js'
import { readClause } from './read-clause.js'
import { shorten, spokenIn } from './spoken.js'
import type { People } from './subject.js'

/** Facts of one turn at most. */
export const MOST_FACTS = 20
/** A sentence beyond is no statement. */
const LONGEST_SENTENCE = 600
/** Refused sentences of one turn that are told one by one. */
const MOST_REFUSALS = 40

/** One turn of a person. */
export interface SpokenTurn {
  /** How the speaker is called where there are several; null for the one whose memory it is. */
  readonly speaker: string | null
  readonly text: string
}

/** What a turn holds, in the order in which it was said. */
export interface TurnReading {
  readonly facts: readonly FoundFact[]
  readonly forget: readonly ForgetRequest[]
  readonly refused: readonly Refusal[]
  /** Refused beyond those. */
  readonly moreRefused: number
}

export const noPeople = (): People => ({ named: new Map(), sure: new Set(), last: null, byRelation: new Map() })

/** Reads what a person says of himself and of others, by rules. Knows who was named before; notes who is named here. */
export const readTurn = (turn: SpokenTurn, people: People, reader: Reader): TurnReading => {
  const spoken = spokenIn(turn.text)
  const facts: FoundFact[] = []
  const forget: ForgetRequest[] = []
  const refused: Refusal[] = [...spoken.refused]
  const refuse = (text: string, why: RefusalWhy): void => void refused.push({ text: shorten(text), why })
  const { text, restore } = quotesIn(spoken.text)
  if (setsStage(text.trim())) {
    refuse(text, 'fiction')
    return { facts, forget, refused, moreRefused: 0 }
  }
  // Who "she" is does not outlive the turn.
  people.last = null
  for (const [name] of text.matchAll(/(?<=[\p{Ll},] )\p{Lu}\p{Ll}+/gu)) people.sure.add(name.toLowerCase())
  let isAnnounced = false
  for (const sentence of sentencesIn(text)) {
    const before = facts.length
    const said = restore(sentence.replace(/^[-*•·#>\d.)\s]+(?=\p{L})/u, ''))
    if (said === null) {
      refuse(sentence, 'quote')
      continue
    }
    if (said.length > LONGEST_SENTENCE) {
      refuse(said, 'too_long')
      continue
    }
    const asked = forgetIn(said)
    if (asked !== null) {
      forget.push(asked)
      continue
    }
    if (isJoke(said)) {
      // What was said right before was the joke.
      const joke = facts.pop()
      if (joke !== undefined) refuse(joke.said, 'joke')
      refuse(said, 'joke')
      continue
    }
    readSentence(said, isAnnounced, turn.speaker, people, reader, facts, refuse)
    isAnnounced = announcesMore(said)
    if (facts.length > MOST_FACTS)
      for (const fact of facts.splice(Math.max(before, MOST_FACTS))) refuse(fact.said, 'over_cap')
  }
  const told = refused.slice(0, MOST_REFUSALS)
  return { facts: withoutRepeats(facts), forget, refused: told, moreRefused: refused.length - told.length }
}

/** A stop after these ends no sentence. */
const ABBREVIATION = /(?:^|\s)(?:Dr|Mr|Mrs|Ms|St|Mt|Prof|Jr|Sr|No|Nr|vs|approx|e\.g|i\.e|z\.B|bzw|ca|\p{Lu})\.$/u

const sentencesIn = (text: string): readonly string[] => {
  const whole: string[] = []
  let end = -1
  for (const sentence of sentencesOf(text)) {
    const before = whole.at(-1)
    const isNext = before !== undefined && /^[^\S\n]*$/u.test(text.slice(end, sentence.start))
    if (before !== undefined && isNext && ABBREVIATION.test(before)) whole[whole.length - 1] = `${before} ${sentence.text}`
    else whole.push(sentence.text)
    end = sentence.end
  }
  return whole
}

const readSentence = (
  said: string,
  isAnnounced: boolean,
  speaker: string | null,
  people: People,
  reader: Reader,
  facts: FoundFact[],
  refuse: (text: string, why: RefusalWhy) => void,
): void => {
  const remembered = rememberIn(said) ?? reminderIn(said)
  const statement = remembered ?? said
  const take = ({ found, why }: Reading): void => {
    facts.push(...found)
    if (why !== null) refuse(said, why)
  }
  if (isChinese(statement)) {
    for (const part of statement.split(/[，,](?=我)/u)) take(readChinese(part, speaker, remembered !== null, reader))
    return
  }
  if (isGerman(statement)) {
    for (const part of statement.split(/(?:,|\s+und|\s+aber)\s+(?=(?:ich|mein[e]?|wir)\s)/iu))
      take(readGerman(part, speaker, remembered !== null, reader))
    return
  }
  const problem = remembered === null ? formProblem(statement) : null
  if (problem !== null) return refuse(said, problem)
  for (const clause of clausesOf(statement))
    take(
      readClause(
        { ...clause, isAnnounced: isAnnounced || clause.isAnnounced || remembered !== null, isAsked: remembered !== null },
        speaker,
        people,
        reader,
      ),
    )
}

/** Of statements with one key, in one turn, the last is meant. */
const withoutRepeats = (facts: readonly FoundFact[]): readonly FoundFact[] => {
  const last = new Map(facts.map((fact) => [fact.key, fact]))
  return facts.filter((fact) => last.get(fact.key) === fact)
}
