import { keySegment } from '../mint-key.js'
import type { FactKind, Reader, Reading } from './found.js'
import { thingOf } from './keys.js'
import { plainFact } from './plain-fact.js'
import { speakerSegment } from './subject.js'

const TELLING =
  /(?:^|\s)(?:ich|mein(?:e|en|em|er)?|mir|mich|wir|unser(?:e|en)?|nicht|und|ist|sind|heiße|heisst|habe|hat|der|die|das|eine?n?|wird|werden|für|mit|bis|dass|auf|zu|vom|zum|zur|von|bin|du|er|sie|wie|wo|was|alles|über|wenn|ein)(?=\s|[,.!?]|$)/giu
const ENGLISH = /(?:^|\s)(?:i|my|the|is|are|and|of|to|have|has|was|for|with|that|this|it|we|you|not|a)(?=\s|[,.!?'’]|$)/giu

/** Told by its small words. */
export const isGerman = (text: string): boolean => {
  const german = text.match(TELLING)?.length ?? 0
  return german >= 2 && german > (text.match(ENGLISH)?.length ?? 0)
}

const NAME = "\\p{Lu}[\\p{L}'’-]+(?:\\s+\\p{Lu}[\\p{L}'’-]+){0,2}"

interface Form {
  readonly kind: FactKind
  readonly attribute: string
  readonly says: RegExp
  readonly isSingle: boolean
}

const form = (kind: FactKind, attribute: string, says: string, isSingle = true): Form => ({
  kind,
  attribute,
  says: new RegExp(
    `^(?:(?:[Aa]lso|[Üü]brigens|[Hh]allo|[Hh]i|[Uu]nd|[Aa]ber|[Ee]igentlich|[Jj]a|[Nn]ein)[,!]?\\s+)*(?:${says.replace(/\b(ich|mein|wir|nenn)\b/g, (word) => `[${word[0]}${word[0]?.toUpperCase()}]${word.slice(1)}`)})`,
    'u',
  ),
  isSingle,
})

const FORMS: readonly Form[] = [
  form('name', 'name', `(?:ich hei(?:ß|ss)e|mein Name ist|ich bin (?:der|die)|nenn mich)\\s+(?<o>${NAME})`),
  form('age', 'age', 'ich bin\\s+(?<o>\\d{1,3})(?:\\s+Jahre)?'),
  form('birthday', 'birthday', '(?:ich habe am|mein Geburtstag ist(?: am)?|ich bin am|ich wurde am)\\s+(?<o>\\d.*)'),
  form(
    'home',
    'home',
    '(?:ich|wir) (?:wohne|wohnen|lebe|leben|bin|sind|ziehe|ziehen)(?: (?:jetzt|seit [^ ]+|gerade))?\\s+(?:in|nach|bei)\\s+(?<o>\\p{Lu}.+)',
  ),
  form('origin', 'origin', 'ich komme (?:ursprünglich )?aus\\s+(?<o>.+)'),
  form('work', 'job', 'ich (?:arbeite|bin) (?:als|von Beruf)\\s+(?<o>.+)'),
  form('work', 'employer', 'ich arbeite (?:bei|für)\\s+(?<o>.+)'),
  form('allergy', 'allergies', 'ich (?:bin|reagiere) (?:\\p{L}+ )?allergisch (?:gegen|auf)\\s+(?<o>.+)', false),
  form(
    'diet',
    'diet',
    'ich (?:bin|lebe|esse) (?<o>(?:strikt )?(?:[Vv]egan(?:er(?:in)?)?|vegetarisch|[Vv]egetarier(?:in)?|pescetarisch|halal|koscher))',
  ),
  form(
    'taste',
    'tastes',
    'ich (?:mag|liebe|hasse|bevorzuge|trinke|esse)(?: (?:gern|gerne|lieber|kein|keine|keinen|am liebsten))?\\s+(?<o>.+)',
    false,
  ),
  form(
    'pet',
    'pets',
    '(?:ich habe|wir haben)\\s+(?:\\p{L}+\\s+)?(?<o>(?:Hunde?|Katzen?|Kater|Welpen|Hamster|Kaninchen|Pferde?)\\b.*)',
    false,
  ),
  form(
    'family',
    'family',
    'ich habe\\s+(?:\\p{L}+\\s+)?(?<o>(?:Brüder|Bruder|Schwestern?|Kinder?|Söhne|Sohn|Töchter|Tochter)\\b.*)',
    false,
  ),
  form(
    'commitment',
    'commitments',
    '(?:ich|wir) (?:werde|werden|verpflichte mich|verspreche|habe versprochen)\\b\\s*(?<o>.+)',
    false,
  ),
  form(
    'decision',
    'decisions',
    '(?:ich|wir) (?:habe|haben) (?:entschieden|beschlossen|uns für|mich für)\\b\\s*(?<o>.+)',
    false,
  ),
]
const OWNED = /^(?:meine?|unsere?)\s+(?<owned>[\p{L}-]+(?:-?\p{L}+)?)\s+(?:ist|lautet|heißt)\s+(?<o>.+)$/iu
const THIRD = new RegExp(
  `^(?<who>${NAME})\\s+(?<verb>bevorzugt|mag|hasst|liebt|wohnt|lebt|arbeitet|hat|ist|will|möchte|zieht)\\s+(?<o>.+)$`,
  'u',
)
const NO_FACT =
  /[?？]\s*$|^(?:wenn|falls|ob|wer|was|wie|wo|warum|wann|kannst|könntest|bitte|würde|hätte|stell dir vor|angenommen)\b|\b(?:würde|wäre|hätte|könnte|nur spaß|scherz|kleiner scherz)\b/iu
const PRONOUN =
  /^(?:Der|Die|Das|Ein|Eine|Es|Er|Sie|Wir|Ich|Dies\p{L}*|Man|Hier|Da|Dort|Heute|Morgen|Gestern|Und|Aber|Mein\p{L}*|Unser\p{L}*)$/u

/** The plainest statements in German. */
export const readGerman = (text: string, speaker: string | null, isAsked: boolean, reader: Reader): Reading => {
  const own = speakerSegment(speaker)
  const corrects = /\b(?:nicht mehr|eigentlich|jetzt|statt)\b/iu.test(text)
  const fact = plainFact({ text, plain: text, speaker, colon: ': ', corrects, reader })
  if (!isAsked && NO_FACT.test(text)) return { found: [], why: /[?？]\s*$/u.test(text) ? 'question' : 'hypothetical' }
  for (const { kind, attribute, says, isSingle } of FORMS) {
    const thing = says.exec(text)?.groups?.['o']
    if (thing !== undefined) return fact(kind, own, null, isSingle ? [attribute] : [attribute, thingOf(thing)], isSingle)
  }
  const owned = OWNED.exec(text)?.groups?.['owned']
  if (owned !== undefined) return fact('attribute', own, null, [keySegment(owned)], true)
  const third = THIRD.exec(text)?.groups
  const who = third?.['who'] ?? ''
  if (third !== undefined && !PRONOUN.test(who.split(/\s/u)[0] ?? ''))
    return fact('fact', keySegment(who), who, ['facts', thingOf(`${third['verb']} ${third['o']}`)], false)
  return isAsked ? fact('note', own, null, ['notes', thingOf(text, 6)], false) : { found: [], why: 'unknown_language' }
}
