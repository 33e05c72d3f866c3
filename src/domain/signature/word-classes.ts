const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** Of each word the ones it is paired with. */
const bothWays = (pairs: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  for (const pair of pairs.split('|')) {
    const [a = '', b = ''] = pair.split(' ')
    found.set(a, (found.get(a) ?? new Set()).add(b))
    found.set(b, (found.get(b) ?? new Set()).add(a))
  }
  return found
}

/** Say nothing of what a statement is about; `one` stands for `a` unless another number stands against it. */
export const ARTICLES = set('a an the this that these those some any')

export const AUXILIARIES = set(
  'is are was were be been being am has have had having do does did will would shall should can could may might must',
)

/** Forms of be, after which a participle is passive. */
export const BE = set('is are was were be been being am get gets got')

/** Deny the clause they stand in. */
export const NEGATIONS = set('not no never none nobody nothing neither nor cannot hardly nowhere')

export const CONJUNCTIONS = set(
  'and or but nor while when where because since although though if that which who whom whose as than',
)

/** Conjunctions that make a clause the reason, the condition or the time of another. */
export const DEPENDING = set('while when where because since although though if than')

/** Verbs after which comes what somebody says. */
export const SAYING = set('say says said saying told tells claims claimed reports reported added adds according')

/** Forms of use, before what something is done with. */
export const USING = set('use uses used using')

/** Prepositions that may stand for each other: which one is used depends on the word beside it. */
export const LIGHT_PREPOSITIONS = set(
  'of in on at to for with by from as into onto through along upon about within via per without',
)

/** Prepositions that tell where or when: another one tells another place or time. */
export const TELLING_PREPOSITIONS = set(
  `near under over behind before after inside outside between against above below beneath during until till since beside besides
  beyond off across around toward towards next past up down except among opposite away out front`,
)

const OPPOSED = bothWays('before after|inside outside|in out|above below|over under|up down|on off|with without|into out')

/** Prepositions of which one denies the other. */
export const areOpposed = (a: string, b: string): boolean => OPPOSED.get(a)?.has(b) === true

/** Words that may come and go without changing what is said. */
export const FILLERS = set(
  `very really quite rather so just also then there here too currently now already actually please that's it's its itself himself
  herself themselves each other another such own well still even only both whole ago mr mrs ms dr sir`,
)

/** Nouns and verbs that carry little beside the word they go with: a piece of meat, wearing a hat, making a call. */
export const CARRIERS = set(
  `piece pieces place group kind kinds sort type lot lots bit way thing things color colour colored coloured dyed painted made make makes making
  use uses used using wear wears wearing wore put puts putting do doing perform performs performed performing get gets getting take takes
  taking have having give gives giving go goes going full side part number version set pair`,
)

/** First person, and what belongs to it. */
export const FIRST_PERSON = set('i me my mine myself we us our ours ourselves user')

/** Say that it is not so now, or not certain: a wish, a plan, a possibility, a past. */
export const MODALS: Readonly<Record<string, Modality>> = {
  might: 'possible',
  may: 'possible',
  maybe: 'possible',
  perhaps: 'possible',
  possibly: 'possible',
  probably: 'possible',
  could: 'possible',
  can: 'able',
  should: 'wished',
  must: 'wished',
  wants: 'wished',
  want: 'wished',
  wish: 'wished',
  wishes: 'wished',
  hopes: 'wished',
  hope: 'wished',
  plans: 'planned',
  plan: 'planned',
  planning: 'planned',
  intends: 'planned',
  intend: 'planned',
  will: 'planned',
  shall: 'planned',
  gonna: 'planned',
  formerly: 'past',
  previously: 'past',
}

export type Modality = 'stated' | 'able' | 'possible' | 'wished' | 'planned' | 'past'

/** How many of them. */
export const QUANTIFIERS: Readonly<Record<string, string>> = {
  all: 'all',
  every: 'all',
  everyone: 'all',
  everybody: 'all',
  everything: 'all',
  always: 'all',
  most: 'most',
  mostly: 'most',
  usually: 'most',
  often: 'often',
  sometimes: 'sometimes',
  rarely: 'rarely',
  seldom: 'rarely',
  few: 'few',
  many: 'many',
  only: 'only',
}

const OPPOSED_QUANTITIES = ['often rarely', 'most few', 'many few', 'all few', 'all rarely', 'most rarely']

/** How much one quantity denies another. */
export const areOpposedQuantities = (a: string, b: string): boolean =>
  OPPOSED_QUANTITIES.some((pair) => pair === `${a} ${b}` || pair === `${b} ${a}`)

/** Begin a noun phrase that means one certain thing. */
export const DEFINITES = set('the this that these those my our his her their its your')

/** Verbs of liking and of disliking: saying one of a thing denies the other. */
export const LIKING = set(
  'like likes liked love loves loved enjoy enjoys enjoyed adore adores prefer prefers preferred favor favors',
)
export const DISLIKING = set(
  'dislike dislikes disliked hate hates hated detest detests loathe loathes avoid avoids despise despises',
)

/** Verbs that say an activity has ended, before the activity: stopped smoking. */
export const ENDING = set('stopped stops stop quit quits ended gave')
