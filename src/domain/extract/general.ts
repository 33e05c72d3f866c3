import type { FactKind, RefusalWhy } from './found.js'
import { thingOf } from './keys.js'
import type { Subject } from './subject.js'
import { isGerund, isPastForm, type VerbPhrase } from './verb-phrase.js'

/** What a statement of no known form is kept as, or why it is not. */
export type General = { readonly kind: FactKind; readonly path: readonly string[] } | { readonly why: RefusalWhy }

const DECIDES =
  /^(?:decid\w+|chose|chosen|choos\w+|opt(?:ed|ing)? for|settl(?:ed|ing) on|agreed|switch\w*|picked|went with|going with|made (?:a|the|my|our) (?:decision|choice)|adopt\w+ (?:the|a|an)|pick\w*)\b/iu
const COMMITS = /^(?:promis\w+|commit\w*|pledg\w+|vow\w*|swore|guarantee\w*|agreed to|signed up|took on)\b/iu
const PLANS =
  /^(?:be )?(?:plan\w*|going to|intend\w*|hop(?:e|es|ing) to|aim\w*|want(?:s|ed|ing)? (?:to|me|us)|dream\w* of|thinking (?:of|about)|consider\w*|about to|due to|supposed to|scheduled|looking to|preparing|training for|saving(?: up)? for|signed up|book(?:ed|ing)|apply(?:ing)?|applied|like to|love to)\b/iu
const OPINES =
  /^(?:think|thinks|thought|believe|believes|find|finds|feel(?:s)? (?:that|like)|reckon|consider|considers|argue|argues|be (?:skeptical|sceptical|convinced|certain|doubtful|optimistic|pessimistic|worried that|confident))\b/iu
/** How somebody is at the moment. */
const PASSING =
  /^be (?:(?:so|very|really|a bit|a little|pretty|quite|super|too|kind of|totally|extremely|just|all|not|doing|feeling)\s+)*(?:tired|excited|happy|sad|angry|hungry|thirsty|bored|busy|stressed|glad|fine|good|great|ok|okay|sorry|sure|ready|here|back|there|nervous|thrilled|grateful|thankful|proud|late|sick|cold|hot|confused|curious|surprised|amazed|pumped|stoked|overwhelmed|relieved|lucky|honou?red|impressed|inspired|blessed|well|down|up|in|done|stuck|aware|able|unable|right|wrong|afraid|worried|concerned|frustrated|interested|eager|happy to|determined|looking|feeling|kidding|touched|so)\b/iu
const FEELS = /^(?:feel|feels|feeling|felt|look forward|looks? like|sounds?|seems?)\b/iu

/** `I will` binds more than `I am going to`. */
const PROMISES = /^(?:['’]ll|will|shall)\b/iu

/** What somebody is doing then is planned. */
const COMING =
  /\b(?:tomorrow|tonight|next|later (?:today|this)|this (?:week|weekend|month|year|summer|fall|autumn|winter|spring|friday|saturday|sunday|monday|tuesday|wednesday|thursday|evening|afternoon)|(?:on|until|by) (?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:a|an|two|three|\d+) (?:days?|weeks?|months?|years?)|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|soon)\b/iu

/** Of somebody: what has happened, what is planned, decided, thought, done as a habit. */
export const generalOf = (subject: Subject, verb: VerbPhrase): General => {
  const general = read(subject, verb)
  return 'path' in general && general.path.at(-1) === '' ? { why: 'vague' } : general
}

const read = (subject: Subject, verb: VerbPhrase): General => {
  const { core, tense, isHabit, isUncertain } = verb
  const words = core.match(/[\p{L}\p{N}][\p{L}\p{N}’'.-]*/gu) ?? []
  if (words.length < 3) return { why: 'vague' }
  const isPointing =
    words.length < 8 &&
    /^(?:be )?[\p{L}-]+(?: \p{L}+ing)?(?: (?:to|with|for|at|on|about|of))? (?:it|that|this|them|these|those)\b/iu.test(core)
  const isVague =
    /^(?:be |do |did |have |had |got |made |need |needed |tried |try )?(?:it|that|this|those|these|them|so|something|anything|things|stuff|everything|one|some|lots?|a lot)\b[^,]{0,12}$/iu.test(
      core,
    )
  if (isVague || isPointing) return { why: 'vague' }
  if (PASSING.test(core) || FEELS.test(core)) return { why: 'passing' }
  if (COMMITS.test(core)) return { kind: 'commitment', path: ['commitments', thingOf(core.replace(COMMITS, ''), 6)] }
  if (DECIDES.test(core)) return { kind: 'decision', path: ['decisions', thingOf(core.replace(DECIDES, ''), 6)] }
  if (/^(?:think|believe|feel)s? (?:that )?(?:i|we)\b/iu.test(core)) return { why: 'hypothetical' }
  if (OPINES.test(core))
    return core.split(/\s+/u).length < 6 ? { why: 'vague' } : { kind: 'opinion', path: ['opinions', thingOf(core, 6)] }
  if (tense === 'future')
    return {
      kind: subject.kind === 'speaker' && PROMISES.test(subject.phrase) ? 'commitment' : 'plan',
      path: ['plans', thingOf(core, 6)],
    }
  if (subject.how === 'dropped' && isGerund(subject.phrase)) return { kind: 'commitment', path: ['plans', thingOf(core, 6)] }
  if (PLANS.test(core) && core.replace(PLANS, '').trim().split(/\s+/u).length < 2) return { why: 'vague' }
  if (PLANS.test(core)) return { kind: 'plan', path: ['plans', thingOf(core.replace(PLANS, ''), 6)] }
  if (isUncertain) return { why: 'hypothetical' }
  if (/^\p{L}+ing\b/u.test(core) && tense === 'present' && COMING.test(core))
    return { kind: 'plan', path: ['plans', thingOf(core, 6)] }
  if (isHabit) return { kind: 'routine', path: ['routines', thingOf(core, 5)] }
  if (tense === 'past') return { kind: 'event', path: ['events', thingOf(core, 6)] }
  const thing = thingOf(core, 6)
  return subject.kind === 'speaker' && !thing.includes('-') ? { why: 'vague' } : { kind: 'trait', path: ['facts', thing] }
}

/** A thing that a sentence speaks of, and what it says; null where no plain statement is found. */
export interface Thing {
  readonly name: string
  readonly phrase: string
}

const THING =
  /^(?<name>(?:the|this|these|our|all|every|each|[\p{Lu}\p{N}])[^,;:]{2,90}?)\s+(?<phrase>(?:(?:naturally|now|only|still|usually|always|never|currently|also)\s+)?(?:is|are|was|were|has|have|had|will|sits?|says?|uses?|runs?|starts?|started|begins?|began|ends?|ended|opens?|opened|closes?|closed|costs?|takes?|takes place|drifts?|emerged|lies?|stands?|needs?|requires?|supports?|belongs?|contains?|consists?|comes?|lasts?|weighs?|measures?|holds?|goes?|lives?|works?|overwinters?|\p{L}{3,}(?:ed|izes?|ises?|ates?|ifies))\b.*)$/isu
const FIGURE =
  /\p{N}|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|third|second|first)\b/iu

export const thingIn = (clause: string): Thing | null => {
  const found = THING.exec(clause)?.groups
  if (found === undefined) return null
  const name = (found['name'] ?? '').trim()
  if (/^(?:this|these|that|those|all|each|every|there|it|one|some|any|here)(?:\s+(?:is|was|are)|$)/iu.test(name)) return null
  return /\b(?:but|or|if|because|when)\b/iu.test(name) ? null : { name, phrase: found['phrase'] ?? '' }
}

/** Whether a statement about a thing says something definite: a figure, a date or a name, or was announced as a fact. */
export const isDefinite = ({ name, phrase }: Thing, isAnnounced: boolean): boolean => {
  if (isAnnounced) return true
  const isGoing = /^(?:is|are) (?:\p{L}+ly )?(?:going to|\p{L}+ing)\b/iu.test(phrase)
  if (
    isGoing ||
    /\b(?:better|best|worse|worst|solid|great|nice|good|bad|interesting|important|amazing|pleasant|beautiful)\b/iu.test(
      phrase,
    )
  )
    return false
  const isNamed =
    /\s\p{Lu}/u.test(` ${name.replace(/^(?:The|This|These|Our|All|Every|Each)\s/u, '')}`) && !/^\p{Lu}\p{Ll}+$/u.test(name)
  const says = FIGURE.test(phrase) || (isNamed && /\b\p{Lu}/u.test(phrase.slice(1)))
  return says && phrase.split(/\s+/u).length >= 2
}

/** A sentence without a subject, as people write in notes: `Decided to …`, `Will share …`. */
export const isDropped = (clause: string): boolean => {
  if (/^(?:will|can['’]t|cannot|won['’]t|want to|plan to|need to|have to|used to|moved|born)\b/iu.test(clause)) return true
  if (isGerund(clause)) return !NO_ACTION.test(clause) && !ACTS.test(clause)
  return isPastForm(clause) && !NO_PAST.test(clause)
}

const NO_ACTION =
  /^(?:exciting|amazing|interesting|wishing|hoping|sending|looking|speaking|considering|according|talking|assuming|including|nothing|being|doing|seeing|feeling|having|going|sounding|loving|parenting|appreciating|thinking)\b/iu
/** The action is the subject: `Seeing them was …`, `Painting helps …`. */
const ACTS =
  /^\p{L}+ing(?:['’]s\b|\s.{0,90}?\b(?:is|was|are|were|has|have|had|helps?|lets?|makes?|brings?|gives?|gave|takes?|feels?|felt|keeps?|might|may|can|could|would|sure|connects?|means?|meant)\b)/iu
const NO_PAST =
  /^(?:excited|based|given|put|set|read|let|cut|hit|hurt|found|built|led|held|left|heard|kept|sent|spent|run|come|become|been (?:a|an|so|very|quite|super|busy|good|great)|got|had|loved|agreed|said (?:yes|no|so))\b/iu
