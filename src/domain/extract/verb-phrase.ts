import type { Tense } from './found.js'

/** What a subject is said to do, with auxiliaries and adverbs taken off. */
export interface VerbPhrase {
  /** From the main verb on; a copula is `be`. */
  readonly core: string
  readonly negated: boolean
  readonly tense: Tense
  /** `might`, `would`, `could`: not said to be so. */
  readonly isUncertain: boolean
  /** `used to`. */
  readonly isOver: boolean
  readonly isHabit: boolean
}

const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\bcan(?:['’]t|not)\b/giu, 'can not'],
  [/\bwon['’]t\b/giu, 'will not'],
  [/\bain['’]t\b/giu, 'am not'],
  [/(\p{L}{2,})n['’]t\b/giu, '$1 not'],
  [/^['’]m\b/u, 'am'],
  [/^['’]re\b/u, 'are'],
  [/^['’]ve\b/u, 'have'],
  [/^['’]ll\b/u, 'will'],
  [/^['’]d (rather|prefer|like|love)\b/u, 'would $1'],
  [/^['’]d\b/u, 'had'],
  [/^['’]s\b/u, 'is'],
  [/\bgonna\b/giu, 'going to'],
  [/\bwanna\b/giu, 'want to'],
  [/\bgotta\b/giu, 'have to'],
]

export const ADVERBS =
  'just|now|also|still|really|currently|recently|actually|absolutely|totally|completely|only|already|both|all|each|originally|finally|officially|temporarily|strongly|generally|mostly|basically|truly|personally|definitely|even|probably|simply|kind of|sort of|quite|very much|almost|soon|so|deeply|secretly|always|usually|often|sometimes|normally|regularly|typically|rarely|never|no longer|not'

const LEADING = new RegExp(
  `^(?:(?<adverb>${ADVERBS}|ever)|(?<aux>am|is|are|was|were|be|been|being|do|does|did|will|shall|going to|have|has|had|'ve|would|could|might|may|can|should|must))\\b,?\\s*`,
  'iu',
)
const COPULA = /^(?:am|is|are|was|were|be|been|being)$/iu
const PERFECT = /^(?:have|has|had)$/iu
const UNCERTAIN = /^(?:would|could|might|may|should)$/iu
const HABIT =
  /\b(?:always|usually|often|normally|regularly|typically|every|each|daily|weekly|twice a|once a|times a|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|in the (?:mornings|evenings)|(?:on|at) weekends)\b/iu
/** Irregular forms that say how something was, or stand after `have`. */
const PAST_FORMS =
  'went|gone|got|gotten|had|did|done|made|took|taken|came|saw|seen|met|bought|brought|found|gave|given|told|said|left|began|begun|started|won|lost|ran|wrote|written|read|chose|chosen|became|grew|grown|led|built|held|heard|kept|knew|known|spent|sold|sent|taught|thought|felt|flew|flown|drove|driven|rode|ridden|sang|sung|swam|spoke|spoken|broke|broken|caught|ate|eaten|drank|drunk|fell|fallen|forgot|forgotten|hurt|cut|put|set|quit|split|paid|put|rose|shot|slept|stood|stole|understood|woke|wore|worn|hit|let|lit|fought|dealt|drew|drawn|hung|moved|lived|been|born'
const PAST = new RegExp(`^(?:${PAST_FORMS}|[\\p{L}]{2,}(?:ed|pt))\\b`, 'iu')
/** States that were, unless they `have` been. */
const PAST_STATES = /^(?:lived|resided|worked|studied|attended|owned|drove|belonged)\b/iu
const NOT_PAST = /^(?:need|feed|speed|proceed|succeed|exceed|breed|seed|read|put|set|let|cut|hit|embed)\b/iu

export const isPastForm = (text: string): boolean => PAST.test(text) && !NOT_PAST.test(text)
export const isGerund = (text: string): boolean =>
  /^[\p{L}-]{2,}ing\b/u.test(text) &&
  !/^(?:thing|king|ring|bring|sing|spring|string|during|morning|evening|nothing|anything|something|everything|building|wedding|meeting|ceiling|wing)\b/iu.test(
    text,
  )

/** Reads a verb phrase: `'ve never really liked coriander` is `liked coriander`, negated. */
export const verbPhraseOf = (text: string): VerbPhrase => {
  let rest = CONTRACTIONS.reduce(
    (phrase, [from, to]) => phrase.replace(from, to),
    text.trim().replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase()),
  )
  let negated = false
  let isUncertain = false
  let isOver = false
  let copula = ''
  let perfect = ''
  let tense: Tense | null = null
  const isHabit = HABIT.test(rest)
  for (let found = LEADING.exec(rest); found !== null; found = LEADING.exec(rest)) {
    const { adverb, aux } = found.groups ?? {}
    // The month, not the verb.
    if (aux === 'May') break
    const after = rest.slice(found[0].length)
    if (adverb !== undefined) negated ||= /^(?:not|never|no longer|rarely)$/iu.test(adverb)
    else if (aux !== undefined) {
      if (PERFECT.test(aux) && !isPerfectBefore(after)) break
      if (/^(?:do|does|did|have|has|had)$/iu.test(aux) && after === '') break
      if (/^do(?:es)?$/iu.test(aux) && !new RegExp(`^(?:not|${ADVERBS})\\b`, 'iu').test(after) && !/^[a-z]+ /u.test(after))
        break
      if (/^(?:do|does|did)$/iu.test(aux) && /^(?:a|an|the|my|some|it|this|that|yoga|not a)\b/iu.test(after)) break
      if (COPULA.test(aux)) copula = aux
      if (PERFECT.test(aux)) perfect = aux
      if (/^(?:did|was|were|had)$/iu.test(aux)) tense = 'past'
      if (/^(?:will|shall|going to)$/iu.test(aux)) tense = 'future'
      isUncertain ||= UNCERTAIN.test(aux)
    }
    rest = after
  }
  if (/^used to\s/iu.test(rest)) {
    isOver = true
    rest = rest.replace(/^used to\s+/iu, '')
  }
  const isVerbal =
    copula === '' ||
    isGerund(rest) ||
    (isPastForm(rest) &&
      !/^(?:married|engaged|divorced|retired|interested|scared|tired|excited|worried|obsessed|allergic|based|located)\b/iu.test(
        rest,
      ))
  isOver ||=
    perfect === '' && tense !== 'future' && (PAST_STATES.test(rest) || (/^(?:was|were)$/iu.test(copula) && !isVerbal))
  const core =
    isVerbal && copula !== '' && isPastForm(rest) && !/^(?:born|called|named|known|employed|moved|gone)\b/iu.test(rest)
      ? `be ${rest}`
      : isVerbal
        ? rest
        : `be ${rest}`
  const isPast = tense === 'past' || perfect !== '' || (copula === '' && isPastForm(rest))
  return { core, negated, tense: tense ?? (isOver || isPast ? 'past' : 'present'), isUncertain, isOver, isHabit }
}

const isPerfectBefore = (after: string): boolean => {
  const rest = after.replace(new RegExp(`^(?:(?:${ADVERBS}|ever)\\s+)+`, 'iu'), '')
  return (
    /^been\b/iu.test(rest) ||
    /^got\b/iu.test(rest) ||
    (isPastForm(rest) && !/^(?:[\p{L}]+ed (?:dog|cat|car|house|apartment|family))\b/iu.test(rest))
  )
}
