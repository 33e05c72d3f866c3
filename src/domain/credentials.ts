/** Keys and tokens whose makers gave them a shape of their own. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/u,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/u,
  /\b(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}/u,
  /\bwhsec_[0-9A-Za-z]{24,}/u,
  /\bsk-(?=[\w-]{0,80}\d)[\w-]{20,}/u,
  /\b(?:gh[oprsu]_[0-9A-Za-z]{36}|github_pat_\w{22,}|glpat-[\w-]{20})/u,
  /\bxox[abeoprs]-[0-9A-Za-z-]{10,}/u,
  /\bhooks\.slack\.com\/services\/T\w{6,}\/B\w{6,}\/\w{16,}/u,
  /\bAIza[\w-]{35}/u,
  /\bya29\.[\w-]{20,}/u,
  /\b(?:npm_[0-9A-Za-z]{36}|pypi-[\w-]{50,}|hf_[0-9A-Za-z]{30,}|dop_v1_[0-9a-f]{64})/u,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/u,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/u,
  /\bbearer\s+(?=\S{0,80}\d)[\w.~+/-]{20,}/iu,
  // A user and a password before a host.
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,64}:[^\s/:@]{1,128}@[\w.-]/iu,
]

const PASSWORD =
  'password|passphrase|passcode|passwd|pwd|login code|recovery (?:code|key)|backup code|seed phrase|passwort|kennwort|' +
  'contrase(?:ñ|n)a|mot de passe|senha|wachtwoord|пароль|密码|密碼|パスワード|비밀번호'
const KEY =
  '(?:api|secret|access|private|license|licence|encryption|signing|account)[ _-]?key|(?:client|app|webhook|shared)[ _-]?secret|' +
  '(?:secret[ _-]access[ _-]key)|(?:(?:api|access|auth|authentication|bearer|refresh|session|secret|personal access)[ _-])?token'
const IS = '(?<is>\\s*(?::=|[:=：]|->)\\s*|\\s+(?:is|was|ist|lautet|es|est|é|это)\\s+(?:now\\s+|still\\s+)?|\\s*是\\s*)'
/** What may stand between the word and what it is: "the password for the guest network is …". */
const OF = '(?:\\s+(?:for|of|to|on|at|für|de|del|du|pour|para|do|da)\\s+[^.:=\\n]{1,60}?)?'
const WHAT = `(?<quote>["'“‘\`«]?)(?<what>[^\\s"'”’\`»]{1,200})(?<after>[^\\n]{0,40})`

const stated = (words: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})${OF}${IS}${WHAT}`, 'giu')

const STATED_PASSWORD = stated(PASSWORD)
const STATED_KEY = stated(KEY)
/** "the password hunter2", "hunter2 as my password". */
const NAMED_PASSWORD = /(?<!\p{L})(?:password|passphrase|passcode)\s+["'“‘`]?(?<what>[^\s"'”’`]{6,64})/giu
const USED_AS_PASSWORD =
  /(?<!\S)["'“‘`]?(?<what>[^\s"'”’`]{4,64})["'”’`]?\s+as\s+(?:my|the|his|her|their|our|a)\s+(?:[\w-]{1,20}\s+){0,2}(?:password|passphrase|passcode)\b/giu

/** Whether a text holds what opens something: a key or token of a known shape, or a password or key that is stated as such. */
export const holdsCredential = (text: string): boolean =>
  SHAPES.some((shape) => shape.test(text)) ||
  groupsOf(STATED_PASSWORD, text).some(isPassword) ||
  groupsOf(STATED_KEY, text).some(({ what = '' }) => isRandom(bare(what))) ||
  groupsOf(NAMED_PASSWORD, text).some(({ what = '' }) => isMixed(bare(what))) ||
  groupsOf(USED_AS_PASSWORD, text).some(({ what = '' }) => isMixed(bare(what)))

type Groups = Readonly<Record<string, string | undefined>>

const groupsOf = (pattern: RegExp, text: string): readonly Groups[] =>
  [...text.matchAll(pattern)].map(({ groups = {} }) => groups)

const bare = (what: string): string => what.replace(/[.,;:!?)\]。，]+$/u, '')

/** What is said about passwords rather than as one. */
const ABOUT = new Set(
  (
    'weak strong safe secure unsafe unknown known secret private public required optional missing wrong invalid valid correct ' +
    'incorrect empty blank old new short long here there ok okay fine good bad unique different same case-sensitive none null nil ' +
    'undefined true false yes no not never always also only just too very so at in on the a an my your his her their our his hers ' +
    'mine yours string text field sensitive important necessary mandatory needed set kept available unavailable due what where ' +
    'when that this it for from by with up out being going something nothing hidden lost easy hard simple complex default todo tbd ' +
    'n/a redacted'
  ).split(' '),
)

const PLACEHOLDER = /^(?:[<{[$%].*|[*•x.…_-]+)$/iu

const isPassword = ({ is = '', quote, what = '', after = '' }: Groups): boolean => {
  const word = bare(what)
  if (word.length < 3 || PLACEHOLDER.test(word)) return false
  const ordinary = word.toLowerCase()
  const isAbout = ABOUT.has(ordinary) || (/^\p{Ll}+$/u.test(word) && /(?:ed|ing|able|ible)$/u.test(word))
  if (isAbout && quote === '') return false
  if (quote !== '' || /[:=：>]/u.test(is)) return true
  // After "is", a plain word only counts when the sentence ends with it.
  return isMixed(word) || /^\d{6,}$/u.test(word) || what !== word || after.trim() === ''
}

/** Letters and digits or signs together, as in no word; names of hashes and encodings have both as well. */
const isMixed = (word: string): boolean =>
  word.length >= 4 &&
  !/^(?:sha|md|aes|utf|base|oauth|rfc|iso|v|win|http|argon|pbkdf|wpa)[-_/]?\d/iu.test(word) &&
  !/^\d+[-\p{L}]*$/u.test(word) &&
  /\p{L}/u.test(word) &&
  /[\d!#$%&*+=?@^~]/u.test(word)

const isRandom = (word: string): boolean =>
  word.length >= 8 &&
  !PLACEHOLDER.test(word) &&
  /\d/u.test(word) &&
  /\p{L}/u.test(word) &&
  !/^(?:https?:|\/|v\d)/u.test(word)
