import { keySegment } from '../mint-key.js'
import type { Reader } from './found.js'
import { NO_NAMES, PETS, RELATIONS } from './words.js'

/** Whom or what a clause is about, and what it says of it. */
export interface Subject {
  readonly kind: 'speaker' | 'person' | 'thing'
  /** As a segment of keys. */
  readonly segment: string
  /** As the clause calls it, in full; null for a speaker. */
  readonly name: string | null
  /** What of the subject is spoken of: `birthday` in `my sister's birthday is …`; null where it is itself. */
  readonly owned: string | null
  /** From the verb on. */
  readonly phrase: string
  /** The words that named it, to be replaced where they only point: `she`. */
  readonly pointer: string | null
  /** Whether it surely is a name: a common noun at the head of a sentence looks like one. */
  readonly isSure: boolean
  /** `we`, or a sentence without any subject. */
  readonly how: 'named' | 'pointed' | 'dropped' | 'together'
}

/** Who is known in a talk. */
export interface People {
  /** By name in lower case: the segments of their keys, with what each is to the speaker. */
  readonly named: Map<string, readonly { readonly segment: string; relation: string }[]>
  /** Whom `she` may mean: the one named last, and whether several were. */
  last: { readonly name: string; readonly segment: string } | null
  /** Names that stood inside of a sentence, or were somebody's beyond doubt. */
  readonly sure: Set<string>
  /** Names by what they are to the speaker: `sister` is Anna. */
  readonly byRelation: Map<string, { readonly name: string; readonly segment: string }>
}

/** The speaker as keys name him: `user` where he has no name. */
export const speakerSegment = (speaker: string | null): string => (speaker === null ? 'user' : keySegment(speaker))

const NAME =
  "(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\\. )?(?!I(?:\\s|['’]|$))\\p{Lu}[\\p{L}\\p{M}'’-]*(?<!['’]s)(?:\\s+(?:(?:van|von|de|der|del|da|bin|al)\\s+)?(?!I(?:\\s|['’]))\\p{Lu}[\\p{L}\\p{M}'’-]*(?<!['’]s)){0,3}"
const OWNED =
  "(?<owned>[\\p{L}][\\p{L}’'-]*(?: [\\p{L}][\\p{L}’'-]*){0,4}?)(?=\\s+(?:is|are|was|were|will|isn['’]t|aren['’]t|wasn['’]t|has|have|had|starts?|ends?|begins?|opens?|closes?|takes?|runs?|costs?)\\b|['’](?:s|re)\\s)"
const FIRST = /^(?<who>i|we|my (?<with>[\p{L}' -]{2,30}?) and i)\b(?<phrase>['’](?:m|ve|ll|d|re)\b.*|\s.*)$/isu
/** With a small or a capital letter at the head of each word. */
const anyCase = (words: string): string =>
  words.replace(/(?<=^|\|)\p{Ll}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`)

const MINE = new RegExp(
  `^(?:[Mm]y|[Oo]ur)\\s+(?<adjectives>(?:(?:older|younger|elder|little|big|best|good|dear|old|new|close|oldest|youngest|late|other|twin|former|ex|next-door|eldest|[\\d\\p{L}-]+-year-old)\\s+)*)(?<relation>(?:${anyCase(RELATIONS)}|${anyCase(PETS)}))(?![\\p{L}-])(?:,?\\s+(?<name>${NAME})(?:,)?)?(?<more>.*)$`,
  'su',
)
const POINTED = /^(?<who>he|she|they|his|her|their)\b(?<phrase>['’](?:s|ve|ll|d|re)\b.*|\s.*)$/isu
const NAMED = new RegExp(`^(?<name>${NAME}(?: and ${NAME})?)(?<more>(?:['’]s|['’]|,)?\\s.*|['’](?:s|ll|d|ve)\\s.*)$`, 'su')
const POSSESSED = new RegExp(`^(?:['’]s?)\\s+${OWNED}(?<phrase>.*)$`, 'isu')
const MINE_OWNED = new RegExp(`^(?:my|our)\\s+${OWNED}(?<phrase>.*)$`, 'isu')
const THEIRS = new RegExp(`^${OWNED}(?<phrase>.*)$`, 'isu')

/** When and where, before the subject. */
const FRONTED =
  /^(?:last|this|next|every|each|on|in|at|during|for|over|yesterday|today|tonight|tomorrow|recently|lately|two|three|four|five|\d+|a few|a couple|once|one day|back in|as of|starting)\b[^.!?,]{0,40}?,?\s(?=(?:I|we|my|our)\b)/iu
const FRONTED_CLAUSE =
  /^(?:when|while|after|before|since|as|because|although|though)\b[^.!?]{0,80}?,\s(?=(?:I|we|my|our)\b)/iu

/** Finds the subject of a clause; null where there is none that could be named. */
export const subjectOf = (given: string, speaker: string | null, people: People, reader: Reader): Subject | null => {
  const own = { kind: 'speaker', segment: speakerSegment(speaker), name: null, pointer: null, isSure: true } as const
  const clause = given.replace(FRONTED, '').replace(FRONTED_CLAUSE, '')
  const first = FIRST.exec(clause)?.groups
  if (first !== undefined)
    return {
      ...own,
      owned: null,
      phrase: (first['phrase'] ?? '').trim(),
      how: /^i$/iu.test(first['who'] ?? '') ? 'named' : 'together',
    }
  const relation = MINE.exec(clause)?.groups
  if (relation !== undefined) return ofRelation(relation, speaker, people)
  const mine = MINE_OWNED.exec(clause)?.groups
  if (mine !== undefined) return { ...own, owned: mine['owned'] ?? '', phrase: (mine['phrase'] ?? '').trim(), how: 'named' }
  if (/^(?:my|our)\s/iu.test(clause)) return { ...own, owned: null, phrase: clause, how: 'together' }
  const pointed = POINTED.exec(clause)?.groups
  if (pointed !== undefined) return ofPointer(pointed, people)
  const user = /^(?:the )?user\s+(?<phrase>.*)$/isu.exec(clause)?.groups?.['phrase']
  if (user !== undefined)
    return {
      kind: 'person',
      segment: 'user',
      name: 'user',
      owned: null,
      phrase: user,
      pointer: null,
      isSure: true,
      how: 'named',
    }
  const named = NAMED.exec(clause)?.groups
  if (named !== undefined && isName(clause, named['name'] ?? '', people, reader)) {
    const isSure = isSurelyName(named['name'] ?? '', people, reader)
    return ofName(named, speaker, people, isSure)
  }
  return null
}

/** The segment of somebody's keys: one of the same name whom the speaker calls something else, or the speaker's namesake, has one of his own. */
const noted = (people: People, name: string, relation: string, speaker: string | null): string => {
  const called = name.toLowerCase()
  const known = people.named.get(called) ?? []
  const same = known.find((one) => relation === '' || one.relation === '' || one.relation === relation)
  if (same !== undefined) {
    if (same.relation === '') same.relation = relation
    return same.segment
  }
  const plain = keySegment(name)
  const isTaken = known.length > 0 || plain === speakerSegment(speaker)
  const segment = !isTaken ? plain : relation === '' ? `${plain}~2` : keySegment(`${name} ${relation}`)
  people.named.set(called, [...known, { segment, relation }])
  return segment
}

const ofRelation = (
  { relation = '', name, more = '', adjectives = '' }: Record<string, string | undefined>,
  speaker: string | null,
  people: People,
): Subject | null => {
  const word = relation.toLowerCase()
  const which = /^(?:my|our)$/iu.test(adjectives.trim()) ? '' : adjectives.trim().toLowerCase()
  const known = people.byRelation.get(word)
  const given =
    name ??
    /^(?:\s+|(?=['’]))(?:(?:is|['’]s) called|is named|['’]s name is|name is|is)\s+(?<name>\p{Lu}[\p{L}'’-]+)\s*[.!]?$/u.exec(
      more,
    )?.groups?.['name']
  const owner = speakerSegment(speaker)
  const segment =
    given !== undefined ? noted(people, given, word, speaker) : (known?.segment ?? keySegment(`${owner} ${which} ${word}`))
  const called = given ?? known?.name ?? null
  const person = { name: called ?? `my ${which === '' ? '' : `${which} `}${word}`, segment }
  if (given !== undefined) {
    people.byRelation.set(word, person)
    people.sure.add(given.toLowerCase())
  }
  people.last = person
  const owned = ownedBy(person, more, true)
  if (owned !== null) return owned
  const phrase = more.trim()
  return phrase === '' ? null : { kind: 'person', ...person, owned: null, phrase, pointer: null, isSure: true, how: 'named' }
}

/** `Anna's bike is red`: what is said of something that a person has. */
const ownedBy = (
  person: { readonly name: string; readonly segment: string },
  more: string,
  isSure: boolean,
): Subject | null => {
  const possessed = COPULA_NEXT.test(more) ? undefined : POSSESSED.exec(more)?.groups
  if (possessed === undefined) return null
  const { owned = '', phrase = '' } = possessed
  return { kind: 'person', ...person, owned, phrase: phrase.trim(), pointer: null, isSure, how: 'named' }
}

/** `Anna's allergic`, `Anna's a nurse`: no possession. */
const COPULA_NEXT =
  /^['’]s\s+(?:a|an|the|not|never|been|got|always|very|really|so|in|at|from|allergic|vegan|vegetarian|married|engaged|divorced|pregnant|retired|\p{L}+ing)\b/iu

const ofPointer = ({ who = '', phrase = '' }: Record<string, string | undefined>, people: People): Subject | null => {
  if (people.last === null) return null
  const person = { kind: 'person', ...people.last, pointer: who, isSure: true } as const
  if (!/^(?:his|her|their)$/iu.test(who)) return { ...person, owned: null, phrase: phrase.trim(), how: 'pointed' }
  const owned = THEIRS.exec(phrase.trim())?.groups
  return owned === undefined
    ? null
    : { ...person, owned: owned['owned'] ?? '', phrase: (owned['phrase'] ?? '').trim(), how: 'pointed' }
}

const ofName = (
  { name = '', more = '' }: Record<string, string | undefined>,
  speaker: string | null,
  people: People,
  isSure: boolean,
): Subject | null => {
  const plain = name.trim()
  const isSpeaker = speaker !== null && keySegment(plain) === speakerSegment(speaker)
  const segment = isSpeaker ? speakerSegment(speaker) : noted(people, plain, '', speaker)
  const person = { name: plain, segment }
  if (isSure) people.last = person
  const owned = ownedBy(person, more, isSure)
  if (owned !== null) return owned
  if (/^['’]s\s/u.test(more) && !COPULA_NEXT.test(more)) return null
  return {
    kind: 'person',
    ...person,
    owned: null,
    phrase: more.replace(/^,/u, '').trim(),
    pointer: null,
    isSure,
    how: 'named',
  }
}

const isSurelyName = (name: string, people: People, reader: Reader): boolean =>
  /\s/u.test(name) || people.sure.has(name.toLowerCase()) || reader.words(name)[0]?.tags.has('Person') === true

/** Whether what begins a sentence with a capital letter is a name: one that is known, one of several such words, or one that a verb goes with. */
const isName = (clause: string, name: string, people: People, reader: Reader): boolean => {
  const [first = '', second] = name.split(/\s+/u)
  if (NO_NAMES.has(first.replace(/['’].*$/u, '').toLowerCase())) return false
  if (people.named.has(name.toLowerCase())) return true
  const words = reader.words(clause.slice(0, name.length + 60))
  const at = words.findIndex(({ text }) => text !== '')
  const own = words[at]?.tags
  if (
    own === undefined ||
    ['Gerund', 'Plural', 'Adverb', 'Pronoun', 'Date', 'QuestionWord', 'Expression', 'PastTense'].some((tag) => own.has(tag))
  )
    return second !== undefined && own?.has('ProperNoun') === true
  if (second !== undefined || own.has('Person')) return true
  const next = words.slice(at + 1).find(({ text }) => text !== '')
  const isOwner =
    /['’]s$/u.test(words[at]?.text ?? '') || clause.startsWith("'s", name.length) || clause.startsWith('’s', name.length)
  return (
    isOwner ||
    (next !== undefined &&
      (['Verb', 'Adverb', 'Auxiliary', 'Negative', 'Modal', 'Copula'] as const).some((tag) => next.tags.has(tag)) &&
      !next.tags.has('Gerund'))
  )
}
