/** Verbs in the form that goes with `she`. */
const thirdPerson = (verb: string): string => {
  const lower = verb.toLowerCase()
  const irregular = IRREGULAR[lower]
  if (irregular !== undefined) return irregular
  if (/(?:s|x|z|ch|sh|o)$/u.test(lower)) return `${verb}es`
  return /[^aeiou]y$/u.test(lower) ? `${verb.slice(0, -1)}ies` : `${verb}s`
}

const IRREGULAR: Readonly<Record<string, string>> = {
  am: 'is',
  are: 'is',
  have: 'has',
  do: 'does',
  "don't": "doesn't",
  'don’t': 'doesn’t',
  "haven't": "hasn't",
  'haven’t': 'hasn’t',
  "aren't": "isn't",
  was: 'was',
  were: 'was',
}
const UNCHANGED =
  /^(?:will|would|can|could|may|might|must|should|shall|won['’]t|can['’]t|cannot|wouldn['’]t|couldn['’]t|did|didn['’]t|had|hadn['’]t|wasn['’]t|ought|used|'d|\p{L}+ed|\p{L}+ly)$/u
const ADVERB =
  /^(?:just|also|really|still|already|never|always|usually|often|sometimes|recently|finally|actually|currently|only|even|both|totally|absolutely|definitely|probably|now|once|kind|mostly|ever|not|almost|soon)$/iu

/**
 * A statement in the first person as one about the person who made it: `I love my cat` said by Ada is `Ada loves Ada's cat`. What is said of
 * several people is only marked with who said it.
 *
 * @param isPast whether a word is the past form of a verb
 */
export const toldOf = (statement: string, speaker: string, isPast: (word: string) => boolean): string => {
  if (/\b(?:we|us|our|ours|ourselves)\b/iu.test(statement)) return `${speaker}: ${statement}`
  const third = statement
    .replace(/\bgonna\b/gu, 'going to')
    .replace(/\bwanna\b/gu, 'want to')
    .replace(/\bgotta\b/gu, 'have to')
    .replace(/\bI['’]m\b/gu, `${speaker} is`)
    .replace(/\bI['’]ve\b/gu, `${speaker} has`)
    .replace(/\bI['’]ll\b/gu, `${speaker} will`)
    .replace(/\bI['’]d (?=(?:rather|like|love|prefer|be|have)\b)/gu, `${speaker} would `)
    .replace(/\bI['’]d\b/gu, `${speaker} had`)
    .replace(/\bI ((?:[\p{L}]+\s+)??)([\p{L}’']+)/gu, (whole, adverb: string, verb: string) => {
      if (adverb !== '' && !ADVERB.test(adverb.trim())) {
        const first = adverb.trim()
        return `${speaker} ${conjugated(first, isPast)} ${verb}`
      }
      if (ADVERB.test(verb)) return whole.replace(/^I/u, speaker)
      return `${speaker} ${adverb}${conjugated(verb, isPast)}`
    })
    .replace(/\bI\b/gu, speaker)
    .replace(
      new RegExp(
        `(${escaped(speaker)} (?:${'just|also|really|still|already|never|always|usually|often|sometimes|recently|finally|actually|currently|only|even|totally|absolutely|definitely'})) ([\\p{L}’']+)`,
        'gu',
      ),
      (_, head: string, verb: string) => `${head} ${conjugated(verb, isPast)}`,
    )
  return third
    .replace(/\b[Mm]yself\b/gu, 'themself')
    .replace(/\b[Mm]ine\b/gu, `${speaker}'s`)
    .replace(/\b[Mm]y\b/gu, `${speaker}'s`)
    .replace(/\bme\b/gu, speaker)
}

const conjugated = (verb: string, isPast: (word: string) => boolean): string =>
  UNCHANGED.test(verb.toLowerCase()) || isPast(verb) || /s$/u.test(verb)
    ? (IRREGULAR[verb.toLowerCase()] ?? verb)
    : thirdPerson(verb)

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&')
