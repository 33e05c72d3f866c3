import type { FactKind } from './found.js'
import { thingOf } from './keys.js'
import type { VerbPhrase } from './verb-phrase.js'
import { DIETS, ILLNESSES, PETS, PROFESSION, RELATIONS } from './words.js'

/** What a verb phrase tells of its subject, where it has a form that is known. */
export interface Attribute {
  readonly kind: FactKind
  /** Segments of a key. */
  readonly path: readonly string[]
  readonly isSingle: boolean
  /** The value, as the segment of a key. */
  readonly thing: string
}

interface Form {
  readonly kind: FactKind
  readonly attribute: string
  /** On the core of the verb phrase; `o` is what tells one value from another where a subject has many. */
  readonly says: RegExp
  readonly isSingle?: true
  /** Counts as what is planned when it is still to come. */
  readonly mayBePlanned?: true
}

const NUMBER =
  '(?:\\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ][a-z]+)?|ten|eleven|twelve|[a-z]+teen|one|two|three|four|five|six|seven|eight|nine)'
const SOME = `(?:(?:a|an|one|the|another|my|our|his|her|no|any|some|several|${NUMBER})\\s+)?(?:(?!(?:for|of|to|in|with|from|about|at|on|by)\\s)[\\p{L}'’-]+\\s+){0,3}?`
const NAME = "(?:\\p{Lu}[\\p{L}'’.-]*)"

/** In order: the first that fits counts. */
const FORMS: readonly Form[] = [
  form('name', 'name', `(?:be )?(?:called|named|known as|nicknamed)\\s+(?<o>${NAME}.*)`, true),
  form('name', 'name', `(?:go|goes) by\\s+(?<o>${NAME}.*)`, true),
  form(
    'age',
    'age',
    `(?:be|turn|turns|turned|turning)\\s+(?<o>${NUMBER})(?:\\s+years?(?: old)?| y\\/?o)?(?:\\s*(?:[.,!]|$|now|today|this|next|last|in|on|and|already))`,
    true,
  ),
  form(
    'birthday',
    'birthday',
    '(?:be )?born\\s+(?:on|in)\\s+(?<o>.*\\d.*|(?:january|february|march|april|may|june|july|august|september|october|november|december).*)',
    true,
  ),
  form(
    'origin',
    'origin',
    `(?:(?:be|come|comes|came|hail|hails)\\s+(?:originally\\s+)?from|grew up (?:in|on|near)|grow up in|(?:be )?(?:born|raised)(?: and raised)? in)\\s+(?<o>(?:the |a |near )?${NAME}.*)`,
    true,
  ),
  {
    ...form(
      'home',
      'home',
      '(?:(?:live|lives|lived|living|reside|resides|resided|residing|staying)(?:\\s+(?:here|together|alone|downtown|abroad))?\\s+(?:in|at|near|outside|by|on|close to)|(?:be )?(?:based|located|settled|settling)(?: down)?\\s+(?:in|at|near|outside)|(?:be )?(?:move|moves|moved|moving|relocate|relocates|relocated|relocating)(?:\\s+(?:back|out|over|down|up|here|away|house|home))?\\s+(?:to|into|in|out to|from [\\p{L} ]+ to))\\s+(?!with\\b|together\\b)(?<o>.+)',
      true,
    ),
    mayBePlanned: true,
  },
  form('work', 'job', 'work(?:s|ed|ing)? as\\s+(?<o>.+)', true),
  {
    ...form(
      'work',
      'employer',
      `(?:work(?:s|ed|ing)?(?:\\s+(?:full[- ]time|part[- ]time|remotely|nights|freelance))?\\s+(?:at|for)|(?:be )?employed (?:at|by)|join(?:s|ed|ing)?(?=\\s+${NAME})|start(?:s|ed|ing)?(?: a| my)?(?: new)?(?: job| work| working| position)\\s+(?:at|for|with)|got (?:a|the|my) (?:[\\p{L}-]+ ){0,3}?(?:job|position|role|internship) (?:at|with))\\s+(?!home\\b|night|now\\b|least|the moment)(?<o>.+)`,
      true,
    ),
    mayBePlanned: true,
  },
  form(
    'work',
    'work',
    '(?:(?:quit|left|leave|leaving|lost|losing)\\s+(?:my|the|his|her|their) (?:[\\p{L}-]+ ){0,2}?job|be (?:retired|unemployed|self-employed|freelancing|between jobs|laid off|out of work|promoted)|(?:got|be) (?:promoted|laid off|fired|hired)|work(?:s|ing)? (?:from home|remotely|part[- ]time|full[- ]time|nights|night shifts|in\\b)|retired|(?:run|runs|own|owns|started|founded|opened|launched|launching|opening|starting) (?:a|an|my|his|her|their|our)(?: own)? (?:[\\p{L}-]+ ){0,3}?(?:business|company|shop|store|studio|agency|firm|startup|bakery|restaurant|caf[eé]|practice))(?<o>.*)',
  ),
  form(
    'school',
    'school',
    `(?:(?:studying|studied|studies|study)\\b|(?:be )?(?:majoring|enrolled|graduating)|major(?:s|ed)? in|graduated|attend(?:s|ed|ing)? (?=.*(?:school|college|university|academy))|(?:go|goes|went) to (?=.*(?:school|college|university)))\\s*(?<o>.+)`,
  ),
  form(
    'allergy',
    'allergies',
    '(?:be |have (?:a |an )?(?:[\\p{L}-]+ ){0,2}?|has (?:a |an )?(?:[\\p{L}-]+ ){0,2}?)(?:[\\p{L}]+ly )?(?:allergic|allergy|allergies|intolerant|intolerance|sensitive|anaphylactic)\\s+(?:to\\s+)(?<o>.+)',
  ),
  form(
    'allergy',
    'allergies',
    '(?:be|have|has|had)\\s+(?:a |an )?(?:severe |bad |mild )?(?<o>[\\p{L}-]+(?: [\\p{L}-]+)?)[ -](?:intolerant|allergy|allergies|intolerance)\\b',
  ),
  form(
    'diet',
    'diet',
    `(?:be|become|became|go|goes|went|gone|turned|stay|stayed|eat|eats|follow|follows|do|does|on|try|keep|keeps)\\s+${SOME}(?<o>${DIETS})\\b.*`,
    true,
  ),
  form(
    'diet',
    'food',
    '(?:eat|eats|eating|ate|drink|drinks|drinking|avoid|avoids|avoiding|gave up|given up|cut out|quit|stopped eating|stopped drinking|smoke|smokes|smoking)\\s+(?!up\\b|out\\b|at\\b)(?<o>.+)',
  ),
  form(
    'health',
    'health',
    `(?:have|has|had|suffer(?:s|ed|ing)? from|(?:be )?diagnosed with|be|got|take|takes|taking)\\s+(?<o>${SOME}(?:${ILLNESSES})\\b.*)`,
  ),
  form(
    'family',
    'relationship',
    '(?:be |got |get |getting |be getting )?(?:happily |recently |newly )?(?:married|engaged|divorced|single|widowed|separated|dating|expecting|pregnant)\\b(?<o>.*)',
    true,
  ),
  form('family', 'family', `(?:have|has|had|got|be)\\s+${SOME}(?<o>${RELATIONS})\\b.*`),
  form(
    'pet',
    'pets',
    `(?:have|has|had|got|get|own|owns|adopt|adopted|adopting|bought|rescued|foster|fostered)\\s+${SOME}(?<o>${PETS})\\b.*`,
  ),
  form(
    'taste',
    'tastes',
    '(?:like|likes|liked|love|loves|loved|enjoy|enjoys|enjoyed|adore|adores|prefer|prefers|preferred|favou?rs?|hate|hates|hated|dislike|dislikes|disliked|detest|detests|loathe|loathes|despise|despises|can not (?:stand|bear)|stand|bear|crave|craves)\\s+(?!it\\b|that\\b|this\\b|you\\b|your\\b|how\\b|when\\b|what\\b|hearing\\b|the idea|the sound|the way|them\\b|for\\b)(?<o>.+)',
  ),
  form(
    'taste',
    'tastes',
    'be\\s+(?:(?:a|such a|no)\\s+)?(?:(?:big|huge|great|massive|total|real|avid|not|much of a|an?)\\s+)*(?:fan of|into|fond of|keen on|crazy about|obsessed with|passionate about|in love with|addicted to|a sucker for|partial to|picky about|sick of|scared of|afraid of|terrified of|interested in|hooked on)\\s+(?!it\\b|that\\b|this\\b|you\\b)(?<o>.+)',
  ),
  form('taste', 'tastes', 'rather\\s+(?:have |use |get |i |they |he |she )?(?<o>.+)'),
  form(
    'language',
    'languages',
    '(?:speak|speaks|spoke|fluent in|be fluent in|be (?:learning|studying)|learning|learn(?:s|ed)?)\\s+(?:a (?:bit|little)(?: of)?\\s+)?(?:some\\s+|fluent\\s+|basic\\s+)?(?<o>(?:\\p{Lu}\\p{Ll}+(?:ish|ese|ian|ic|ch|an|ek|in|i|u|er|on)\\b)(?:.*))',
  ),
  form(
    'skill',
    'skills',
    '(?:play|plays|played|playing|coach|coaches|teach|teaches)\\s+(?!a (?:role|part)|it\\b|with\\b|around\\b)(?<o>.+)',
  ),
  form('skill', 'tools', '(?:use|uses|using|code in|codes in|program in)\\s+(?!it\\b|that\\b|this\\b|them\\b)(?<o>.+)'),
  form('work', 'job', `be\\s+(?:a|an)\\s+(?<o>(?:[\\p{L}-]+\\s+){0,4}?(?:${PROFESSION}))\\b.*`, true),
  form(
    'possession',
    'belongings',
    '(?:own|owns|drive|drives|have got|collect|collects)\\s+(?!me\\b|us\\b|to\\b|it\\b|up\\b)(?<o>.+)',
  ),
  form(
    'possession',
    'belongings',
    '(?:have|has|bought|buy)\\s+(?<o>(?:a|an|two|three|four|five|several|\\d+|my own|our own)\\s+(?!question|idea|problem|issue|meeting|lot|bit|few|feeling|plan|good|great|hard|nice|bad|tough|chance|look|thought|point|request|project|deadline|budget|goal|task|moment|minute|second|hour|day|week|time|long|busy|call|date|appointment|interview|exam|test|trip|blast|couple|huge|big (?:day|week)|hunch|cold|headache|fever|concern)[\\p{L}-]+.*)',
  ),
]

function form(kind: FactKind, attribute: string, says: string, isSingle?: true): Form {
  return {
    kind,
    attribute,
    says: new RegExp(`^(?:${says})`, says.includes(NAME) ? 'u' : 'iu'),
    ...(isSingle === undefined ? {} : { isSingle }),
  }
}

/** Reads what is told; null where the form is not known. Case counts where a name is looked for. */
export const attributeOf = ({ core, tense }: VerbPhrase): Attribute | null => {
  for (const { kind, attribute, says, isSingle, mayBePlanned } of FORMS) {
    const thing = says.exec(core)?.groups?.['o']
    if (thing === undefined || (NAMED.has(attribute) && !/^(?:the |a |near )?\p{Lu}/u.test(thing.trim()))) continue
    const isPlanned =
      mayBePlanned === true &&
      (tense === 'future' || (tense === 'present' && /^(?:be )?(?:mov|relocat|start|join)ing\b/iu.test(core)))
    if (isPlanned) return { kind: 'plan', path: ['plans', thingOf(core)], isSingle: false, thing: '' }
    if (isSingle !== true && thingOf(thing) === '' && kind !== 'work' && kind !== 'school') continue
    return isSingle === true
      ? { kind, path: [attribute], isSingle: true, thing: thingOf(thing) }
      : { kind, path: [attribute, thingOf(thing)], isSingle: false, thing: '' }
  }
  return null
}

/** The pattern ignores case for the sake of its verbs. */
const NAMED = new Set(['name', 'origin', 'languages'])

/** Attributes that are owned rather than done: `my birthday is …`. */
export const ownedAttribute = (name: string, value: string): Attribute => {
  const attribute = thingOf(name)
  const kind: FactKind = /^(?:full-|first-|last-|nick|middle-|sur)?-?name$/u.test(attribute)
    ? 'name'
    : (OWNED.find(([words]) => words.test(name))?.[1] ?? 'attribute')
  const isPlural = /s$/u.test(name) && !/ss$/u.test(name)
  return isPlural
    ? { kind, path: [attribute, thingOf(value)], isSingle: false, thing: '' }
    : { kind, path: [kind === 'name' && attribute === 'full-name' ? 'name' : attribute], isSingle: true, thing: '' }
}

const OWNED: readonly (readonly [RegExp, FactKind])[] = [
  [/\b(?:birthday|date of birth|birthdate)\b/iu, 'birthday'],
  [/\b(?:e-?mail|phone|mobile|number|address|telephone|handle|username|website|contact)\b/iu, 'contact'],
  [/\b(?:job|boss|employer|company|office|team|role|salary|manager|title)\b/iu, 'work'],
  [/\b(?:favou?rite|hobby|hobbies|passion|preference)\b/iu, 'taste'],
  [/\b(?:age)\b/iu, 'age'],
  [/\b(?:home|hometown|apartment|flat|house)\b/iu, 'home'],
  [/\b(?:car|bike|phone|laptop|computer|guitar)\b/iu, 'possession'],
  [/\b(?:plan|goal|dream)\b/iu, 'plan'],
]
