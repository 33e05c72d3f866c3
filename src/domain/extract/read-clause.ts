import { keySegment } from '../mint-key.js'
import { type Attribute, attributeOf, ownedAttribute } from './attributes.js'
import type { Clause } from './clauses.js'
import type { FactKind, FoundFact, Reader, Reading, Tense } from './found.js'
import { isConversing, isRequest, isSmallTalk } from './gate.js'
import { generalOf, isDefinite, isDropped, thingIn } from './general.js'
import { keyOf, thingOf } from './keys.js'
import { type People, type Subject, speakerSegment, subjectOf } from './subject.js'
import { toldOf } from './told-of.js'
import { isPastForm, type VerbPhrase, verbPhraseOf } from './verb-phrase.js'

interface AskedClause extends Clause {
  /** Somebody asked to have it remembered: it is kept whatever it says. */
  readonly isAsked: boolean
}

const OPINION =
  /^(?:(?:in )?my (?:take|view|opinion|impression|read|sense|feeling|assessment)\b|imo\b|imho\b|if you ask me\b)/iu
const DECISION =
  /^(?:decision (?:made|taken|reached)|(?:we|they) (?:talked|discussed)[^,.]{0,40}\b(?:and )?(?:agreed|decided)|agreed(?=:| to\b| on\b| that\b))/iu
/** Says of the statement before it how it is meant. */
const COMMENT = /^(?:my (?:opinion|two cents|bad)|that['’]s (?:just )?my|this is (?:just|mostly) (?:my|a)|just my)\b/iu
const IAM = /^be\s+(?<name>\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’-]+){0,2})(?:\s*[,.!]|\s+and\b|$)/u
const CALLED = /^(?:(?:[Yy]ou can|[Pp]lease|[Jj]ust|[Ee]veryone|[Pp]eople|[Ff]riends) )*[Cc]alls? me \p{Lu}\p{L}*/u
const REPORTED =
  /^(?:says?|said|told|tells|mentioned|thinks?|believes?|claims?|claimed|swears|insists|wrote|writes|texted|asked|asks|warned|promised|heard)\b/iu
const REPORTED_SELF =
  /^(?:says?|said|told (?:me|us)|tells (?:me|us)|mentioned(?: to me)?)(?: that)?\s+(?<what>(?:he|she|they)(?:['’](?:s|d|ll|re|ve))?\s.*)$/isu

/** Reads one statement: whom it is about, and what it says of that one. */
export const readClause = (clause: AskedClause, speaker: string | null, people: People, reader: Reader): Reading => {
  const { text } = clause
  const make = makerOf(clause, speaker, reader)
  const self: Subject = {
    kind: 'speaker',
    segment: speakerSegment(speaker),
    name: null,
    owned: null,
    phrase: text,
    pointer: null,
    isSure: true,
    how: 'dropped',
  }
  // `Don't forget my address` tells nothing.
  const kept = (): Reading =>
    text.split(/\s+/u).length < 4 && !/\p{N}/u.test(text)
      ? refused('vague')
      : { found: [make(self, 'note', ['notes', thingOf(text, 6)], false, 'present')], why: null }
  if (COMMENT.test(text) && !/:\s/u.test(text)) return refused('vague')
  if (OPINION.test(text) && text.split(/\s+/u).length > 6)
    return {
      found: [make(self, 'opinion', ['opinions', thingOf(text.replace(OPINION, ''), 6)], false, 'present')],
      why: null,
    }
  if (DECISION.test(text))
    return {
      found: [make(self, 'decision', ['decisions', thingOf(text.replace(DECISION, ''), 6)], false, 'present')],
      why: null,
    }
  if (CALLED.test(text)) return { found: [make(self, 'name', ['name'], true, 'present')], why: null }
  const subject = subjectOf(text, speaker, people, reader)
  if (subject === null) {
    if (clause.isAsked) return kept()
    if (isSmallTalk(text)) return refused('small_talk')
    if (isDropped(text)) return ofSubject({ ...self, phrase: text }, clause, make)
    if (isRequest(text)) return refused('request')
    return ofThing(text, clause, make)
  }
  if (subject.kind === 'speaker' && subject.owned === null && isRequest(text) && !clause.isAsked) return refused('request')
  const read = ofSubject(subject, clause, make)
  return read.found.length === 0 && clause.isAsked ? kept() : read
}

type Make = (
  subject: Subject,
  kind: FactKind,
  path: readonly string[],
  isSingle: boolean,
  tense: Tense,
  ended?: string,
) => FoundFact

const refused = (why: NonNullable<Reading['why']>): Reading => ({ found: [], why })

const ofSubject = (subject: Subject, clause: AskedClause, make: Make): Reading => {
  const one = (kind: FactKind, path: readonly string[], isSingle: boolean, tense: Tense): Reading => ({
    found: [make(subject, kind, path, isSingle, tense)],
    why: null,
  })
  const verb = verbPhraseOf(subject.phrase)
  if (subject.owned !== null) return ofOwned(subject, subject.owned, verb, one)
  if (subject.kind === 'speaker' && isConversing(verb.core)) return refused('small_talk')
  const isReported = subject.kind === 'person' && REPORTED.test(verb.core) && !/^promised\b/iu.test(verb.core)
  if (isReported) return ofReported(subject, make)
  if (verb.isUncertain && !/^(?:rather|prefer|love|like|be happy|hate)\b/iu.test(verb.core)) return refused('hypothetical')
  const name = subject.kind === 'speaker' && !verb.negated ? IAM.exec(verb.core)?.groups?.['name'] : undefined
  if (
    name !== undefined &&
    !/^(?:OK|TV|I|Christmas|Muslim|Christian|Catholic|Jewish|Buddhist|Hindu)$/u.test(name) &&
    !/(?:ish|ian|ese|ican)$/u.test(name)
  )
    return one('name', ['name'], true, 'present')
  const known = attributeOf(verb)
  if (known !== null && isTelling(known, verb)) {
    const ended = known.isSingle && (verb.isOver || verb.negated) ? known.thing : ''
    return { found: [make(subject, known.kind, known.path, known.isSingle, verb.tense, ended)], why: null }
  }
  if (subject.how === 'pointed') return refused('unknown_subject')
  const general = generalOf(subject, verb)
  // A common noun at the head of a sentence decides and plans nothing.
  const isPersonal =
    'kind' in general &&
    (general.kind === 'decision' ||
      general.kind === 'commitment' ||
      general.kind === 'opinion' ||
      /^(?:want|plan|hope|intend)/iu.test(verb.core))
  if (!subject.isSure && !isPersonal) return ofThing(clause.text, clause, make)
  if ('why' in general) return refused(clause.isAnnounced && general.why === 'vague' ? 'vague' : general.why)
  return one(general.kind, general.path, false, verb.tense === 'past' && general.kind === 'event' ? 'past' : verb.tense)
}

/** `I have my sister here` tells of no attribute, and neither does what was once liked. */
const isTelling = ({ kind }: Attribute, { core, isUncertain, tense }: VerbPhrase): boolean =>
  !(kind === 'taste' && isUncertain && !/^(?:rather|prefer|hate)/iu.test(core)) &&
  !(kind === 'taste' && tense === 'past' && /^(?:liked|loved|enjoyed) (?:the|that|this|your|my time|it)\b/iu.test(core))

const ofOwned = (
  subject: Subject,
  owned: string,
  verb: VerbPhrase,
  one: (kind: FactKind, path: readonly string[], isSingle: boolean, tense: Tense) => Reading,
): Reading => {
  if (!/^be\s+\S/u.test(verb.core)) {
    const isLong = subject.phrase.split(/\s+/u).length >= 2 && subject.how !== 'pointed'
    return isLong ? one('attribute', [thingOf(owned, 3), thingOf(verb.core, 4)], false, verb.tense) : refused('vague')
  }
  const value = verb.core.replace(/^be\s+/u, '')
  if (/^(?:so|very|really|great|good|fine|amazing|awesome|the best|ok|okay|going)\b/iu.test(value)) return refused('passing')
  if (verb.isUncertain) return refused('hypothetical')
  const { kind, path, isSingle } = ownedAttribute(owned, value)
  return one(kind, path, isSingle, verb.tense)
}

/** What somebody says of himself is as good as said of him; what he says of others is hearsay. */
const ofReported = (subject: Subject, make: Make): Reading => {
  const what = REPORTED_SELF.exec(subject.phrase)?.groups?.['what']
  if (what === undefined) return refused('reported')
  const inner = verbPhraseOf(
    what
      .replace(/^(?:he|she|they)/iu, '')
      .trim()
      .replace(/^['’]d\s+rather/iu, 'would rather'),
  )
  const known = attributeOf(inner)
  const general = known === null ? generalOf({ ...subject, how: 'named' }, inner) : null
  if (known !== null) return { found: [make(subject, known.kind, known.path, known.isSingle, inner.tense)], why: null }
  if (general === null || 'why' in general) return refused('reported')
  return { found: [make(subject, general.kind, general.path, false, inner.tense)], why: null }
}

const ofThing = (text: string, clause: AskedClause, make: Make): Reading => {
  const thing = thingIn(text)
  if (thing === null) return refused('unknown_subject')
  if (!isDefinite(thing, clause.isAnnounced)) return refused('vague')
  const subject: Subject = {
    kind: 'thing',
    segment: thingOf(thing.name, 5),
    name: thing.name,
    owned: null,
    phrase: thing.phrase,
    pointer: null,
    isSure: true,
    how: 'named',
  }
  return { found: [make(subject, 'fact', [thingOf(thing.phrase, 4)], false, 'present')], why: null }
}

const makerOf = ({ text, corrects }: AskedClause, speaker: string | null, reader: Reader): Make => {
  return (subject, kind, path, isSingle, tense, ended = '') => {
    const date = reader.date(text, kind === 'plan' || kind === 'commitment' ? 'future' : tense)
    // What happens on a day is another thing when it happens on another.
    const day = (kind === 'event' || kind === 'plan') && date?.date != null ? [keySegment(date.date.slice(0, 10))] : []
    return {
      statement: standing(text, subject, speaker),
      said: text,
      kind,
      subject: subject.segment,
      name: subject.name,
      key: keyOf(subject.segment, ...path, ...day),
      isSingle,
      ended: ended === '' ? null : { thing: ended, key: keyOf(subject.segment, 'former', ...path, ended) },
      date,
      corrects,
    }
  }
}

/** The statement in words that stand by themselves: whom it is about is named in it. */
const standing = (text: string, subject: Subject, speaker: string | null): string => {
  const ended = /[.!。！…]$/u.test(text) ? text : `${text.replace(/[,;:]+$/u, '')}.`
  const named = subject.pointer === null || subject.name === null ? ended : withName(ended, subject.pointer, subject.name)
  if (speaker === null) return named
  if (subject.how === 'dropped') return `${speaker}: ${named}`
  return toldOf(named, speaker, isPastForm)
}

const withName = (text: string, pointer: string, name: string): string => {
  const isOwner = /^(?:his|her|their)$/iu.test(pointer)
  const named = text.replace(new RegExp(`^${pointer}\\b`, 'iu'), isOwner ? `${name}'s` : name)
  return named.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
}
