/** What a person wants with a line. */
export type Intent =
  | { readonly kind: 'statement'; readonly text: string }
  | { readonly kind: 'question'; readonly text: string }
  | { readonly kind: 'overview' }
  | { readonly kind: 'forget'; readonly what: string }
  | { readonly kind: 'undo' }
  | { readonly kind: 'talk'; readonly text: string }

const SMALL_TALK: readonly (readonly [RegExp, string])[] = [
  [/^(hi|hello|hey|hiya|good (morning|afternoon|evening))( there)?$/, 'Hello. Tell me something, and I will keep it.'],
  [/^(thanks|thank you|thx|cheers)( (a lot|so much|very much))?$/, 'You are welcome.'],
  [/^(bye|goodbye|good night|see you)( later)?$/, 'Goodbye. Everything stays on this page.'],
  [/^(ok|okay|cool|great|nice|yes|no|yeah|sure|fine|got it)$/, 'Good.'],
  [/^how are you( doing)?( today)?$/, 'Well, thank you. I only remember; tell me something about you.'],
  [
    /^(help|who are you|what are you|what can you do)$/,
    'I keep what you tell me, in this browser only. Tell me a fact, ask about it, correct it, or say "forget" and what.',
  ],
]

const OVERVIEW =
  /^(what|how much|tell me what|list what|show me what|tell me everything)\b.*\byou (already )?(know|remember)( about me)?$/
const FORGET = /^(please )?(forget|delete)( about| that)? (?<what>.+)$/is
const UNDO = /^(please )?(undo|take (that|it) back|never ?mind)( that| it)?$/
const REMEMBER = /^(please )?(remember|note|keep in mind)( that|:)?\s+(?=\S)/i

const PRONOUN = '(i|you|he|she|it|we|they|there|my|your|his|her|our|their)\\b'
const ASKING_WORD = /^(who|whom|whose|what|where|when|which|how|why)(['’]s|['’]re)?\b/
/** "When I was young…", "What I like…": the word order of a statement. */
const CLAUSE = /^(what|where|when|how|why|who) (i|you|he|she|it|we|they|my|our) /
const INVERTED = new RegExp(`^(do|does|did|is|are|am|was|were|can|could|will|would|should|have|has|had|may) ${PRONOUN}`)
const INVERTED_NAME = /^(do|does|did|is|are|was|were|has) (the|a|an|any|[\p{L}'’-]+ [\p{L}'’-]+)/u
const REQUEST = /^(tell me|remind me|do you (know|remember)|can you tell me)\b/

/** Tells questions from statements and the rest, by their first words and their last character. */
export const readIntent = (line: string): Intent => {
  const text = line.trim()
  const bare = text
    .toLowerCase()
    .replace(/[\s.!?…]+$/u, '')
    .replace(/\s+/gu, ' ')
  const talk = SMALL_TALK.find(([pattern]) => pattern.test(bare))
  if (talk !== undefined) return { kind: 'talk', text: talk[1] }
  if (UNDO.test(bare)) return { kind: 'undo' }
  if (OVERVIEW.test(bare)) return { kind: 'overview' }
  const what = FORGET.exec(text)?.groups?.what
  if (what !== undefined) return { kind: 'forget', what }
  if (isQuestion(text, bare)) return { kind: 'question', text }
  return { kind: 'statement', text: text.replace(REMEMBER, '') }
}

const isQuestion = (text: string, bare: string): boolean => {
  if (/[?？]["”’)\]]*$/u.test(text)) return true
  if (REQUEST.test(bare)) return true
  if (/[.!]$/u.test(text)) return false
  if (ASKING_WORD.test(bare)) return !CLAUSE.test(bare)
  return INVERTED.test(bare) || INVERTED_NAME.test(bare)
}
