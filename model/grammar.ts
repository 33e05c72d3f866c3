import type { Random } from './random.js'

/** Named lists of phrases. A phrase may hold slots: `{name}`, `{name:ing}` (first word inflected), `[this|that|]`. */
export type Lists = Readonly<Record<string, readonly string[]>>

/** Splits a comma-separated list. */
export const list = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim().replace(/\s+/g, ' '))
    .filter((entry) => entry !== '')

/** Splits a list of lines. */
export const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const MAX_DEPTH = 12

/** Fills the slots of a phrase. */
export const expand = (phrase: string, lists: Lists, random: Random, depth = 0): string => {
  if (depth > MAX_DEPTH) throw new Error(`The phrase ${phrase} has no end`)
  const chosen = phrase.replace(/\[([^\]]*)\]/g, (_, options: string) => random.pick(options.split('|')))
  return chosen.replace(/\{([\w-]+)(?::(\w+))?\}/g, (_, name: string, form: string | undefined) => {
    const entries = lists[name]
    if (entries === undefined) throw new Error(`There is no list ${name}`)
    const text = expand(random.pick(entries), lists, random, depth + 1)
    return form === undefined ? text : inflect(text, form)
  })
}

/** A phrase with its slots filled, spaced and capitalised like a sentence; a full stop half of the time. */
export const sentence = (phrase: string, lists: Lists, random: Random): string => {
  const text = withArticles(
    expand(phrase, lists, random)
      .replace(/\s+/g, ' ')
      .replace(/ ([,.?!;:])/g, '$1')
      .trim(),
  )
  const ended = /[.?!]$/.test(text) || random.chance(0.4) ? text : `${text}.`
  return random.chance(0.8) ? ended.charAt(0).toUpperCase() + ended.slice(1) : ended
}

/** "a" before a vowel becomes "an". */
const withArticles = (text: string): string =>
  text.replace(/\b([Aa]) (?=[aeio]|u(?!ni|se|su|ti|k))/g, '$1n ').replace(/\b([Aa]) (?=hour|honest|heir)/g, '$1n ')

const IRREGULAR: Readonly<Record<string, readonly [past: string, participle: string]>> = Object.fromEntries(
  list(`be was been, have had had, do did done, go went gone, eat ate eaten, drink drank drunk, run ran run, ride rode ridden,
    swim swam swum, sing sang sung, write wrote written, read read read, sit sat sat, stand stood stood, take took taken,
    make made made, throw threw thrown, catch caught caught, buy bought bought, sell sold sold, build built built,
    drive drove driven, fly flew flown, fall fell fallen, give gave given, get got gotten, hold held held, cut cut cut,
    feed fed fed, fight fought fought, hit hit hit, keep kept kept, lie lay lain, put put put, see saw seen, sleep slept slept,
    speak spoke spoken, teach taught taught, tell told told, wear wore worn, sweep swept swept, hang hung hung,
    draw drew drawn, dig dug dug, find found found, leave left left, lose lost lost, meet met met, pay paid paid, say said said,
    send sent sent, shoot shot shot, spend spent spent, steal stole stolen, win won won, think thought thought, rise rose risen,
    grow grew grown, know knew known, break broke broken, bring brought brought, begin began begun, choose chose chosen,
    come came come, feel felt felt, forget forgot forgotten, hear heard heard, hurt hurt hurt, lead led led, let let let,
    quit quit quit, ring rang rung, set set set, shake shook shaken, shut shut shut, split split split, spread spread spread,
    understand understood understood, wake woke woken, weave wove woven, beat beat beaten, bite bit bitten, blow blew blown,
    become became become, bend bent bent, deal dealt dealt, freeze froze frozen, hide hid hidden, lend lent lent,
    seek sought sought, shine shone shone, sink sank sunk, slide slid slid, spin spun spun, stick stuck stuck,
    strike struck struck, swing swung swung, tear tore torn, withdraw withdrew withdrawn, overtake overtook overtaken`).map(
    (entry) => {
      const [base = '', past = '', participle = ''] = entry.split(' ')
      return [base, [past, participle]]
    },
  ),
)
const DOUBLED = /^(?:[^aeiou]*|.*[^aeiou])[aeiou][bdgmnprt]$/
const LONG_WORDS_DOUBLED = /^(?:begin|forget|admit|commit|permit|prefer|refer|occur|regret|submit|upset|program|kidnap)$/

/** Inflects the first word of a phrase: `ing`, `s`, `ed`, `en` (participle); or its last word: `plural`. */
export const inflect = (phrase: string, form: string): string => {
  if (form === 'plural') return pluralOf(phrase)
  const [, verb = '', rest = ''] = /^(\S+)(.*)$/.exec(phrase) ?? []
  return inflectVerb(verb, form) + rest
}

const pluralOf = (noun: string): string => {
  if (/(?:sheep|deer|fish|shrimp|series)$/.test(noun)) return noun
  if (/man$/.test(noun)) return noun.replace(/man$/, 'men')
  if (/child$/.test(noun)) return `${noun}ren`
  if (/(?:mouse|louse)$/.test(noun)) return noun.replace(/ouse$/, 'ice')
  if (/(?:goose|foot|tooth)$/.test(noun)) return noun.replace(/oo/, 'ee')
  return /(?:cal|hal|wol|li|lea)fe?$/.test(noun) ? noun.replace(/fe?$/, 'ves') : inflectVerb(noun, 's')
}

const inflectVerb = (verb: string, form: string): string => {
  if (form === 's') {
    if (verb === 'be') return 'is'
    if (verb === 'have') return 'has'
    if (/(?:s|x|z|ch|sh|[^aeiou]o)$/.test(verb)) return `${verb}es`
    return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`
  }
  const stem = doubles(verb) ? verb + verb.at(-1) : verb
  if (form === 'ing') {
    if (/ie$/.test(verb)) return `${verb.slice(0, -2)}ying`
    return /[^eyo]e$/.test(verb) ? `${verb.slice(0, -1)}ing` : `${stem}ing`
  }
  const irregular = IRREGULAR[verb]
  if (irregular !== undefined) return form === 'ed' ? irregular[0] : irregular[1]
  if (verb.endsWith('e')) return `${verb}d`
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${stem}ed`
}

const doubles = (verb: string): boolean =>
  LONG_WORDS_DOUBLED.test(verb) || (DOUBLED.test(verb) && verb.match(/[aeiou]+/g)?.length === 1)
