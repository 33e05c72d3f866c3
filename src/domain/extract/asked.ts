import type { ForgetRequest } from './found.js'

const POLITE =
  "(?:(?:please|pls|hey|ok(?:ay)?|and|so|also|can you|could you|would you|will you|i (?:want|need|would like|['’]d like) you to|bitte|kannst du|könntest du)[, ]+)*"

const REMEMBER = new RegExp(
  `^${POLITE}(?:(?:remember|note|keep in mind|bear in mind|don['’]t forget|do not forget|never forget|make a note|take note|save|store|memori[sz]e|write down|make sure (?:you|to) (?:remember|know))(?: (?:this|for (?:later|next time|the future)))?(?::|,? that\\b|[:,])?\\s+(?!to\\b|when\\b|how\\b|what\\b|the time\\b|me\\b|us\\b|last\\b)|(?:merk(?:e)? dir|denk(?:e)? dar?an|vergiss nicht|notier(?:e)?(?: dir)?|behalte)(?: bitte)?[:,]?\\s+(?:dass\\s+)?)(?<what>.{4,})$`,
  'isu',
)
const REMIND = new RegExp(
  `^${POLITE}(?:remind me|don['’]t let me forget|do not let me forget|don['’]t forget|remember) (?<what>(?:to|that|about) .{4,})$`,
  'isu',
)
const REMEMBER_ZH = /^(?:请|麻烦)?(?:你)?(?:帮我)?(?:记住|记得|记一下|记下|别忘了|不要忘记)[：:，, ]*(?<what>.{2,})$/su

/** What a speaker asks to have remembered; null when nothing is. */
export const rememberIn = (sentence: string): string | null => {
  const what = REMEMBER.exec(sentence)?.groups?.['what'] ?? REMEMBER_ZH.exec(sentence)?.groups?.['what']
  return what?.trim() ?? null
}

/** What a speaker wants to be reminded of. */
export const reminderIn = (sentence: string): string | null => REMIND.exec(sentence)?.groups?.['what']?.trim() ?? null

const FORGET = new RegExp(
  `^${POLITE}(?:forget|delete|erase|remove|wipe|stop remembering|do not remember|don['’]t remember|never mind|nevermind|disregard|vergiss|lösche)\\b(?: bitte)?[:,]?\\s*(?<what>.*)$`,
  'isu',
)
const FORGET_ZH = /^(?:请|麻烦)?(?:你)?(?:忘记|忘掉|忘了|删除|删掉)(?<what>.*)$/su
const LAST =
  /^(?:(?:about )?(?:that|this|it|what i (?:just )?said|the last (?:one|thing|part|message)|my last message|das|这个|那个|它|刚才(?:说)?的(?:话)?)(?: please| bitte| again)?)?\s*[.!。！]*$/iu
const EVERYTHING =
  /^(?:about )?(?:everything|all(?: of (?:it|this|that))?(?: (?:my|the) (?:data|memories|facts|information))?|all you know|my (?:data|memories|memory|profile|information)|me|alles|所有(?:事|的事)?|一切|全部)(?:\s+(?:you (?:know|have|learned|remember|stored)(?: (?:about|on|of) me)?|about me|i (?:have )?(?:told|said|ever told)(?: (?:you|to you))?|that i told you|von mir|über mich|about us|we talked about))?(?: please| bitte| now)?\s*[.!。！]*$/iu
/** `Delete the second paragraph`: work on a text, not on memory. */
const ABOUT_SELF = /\b(?:my|me|i|mine|mein\w*|mich|ich|we|our)\b|我/iu
const OF_SPEECH =
  /^(?:about |that |what i said about |what i told you about |anything about |everything about |the fact that |dass )/iu

/** What a speaker asks to have forgotten; null when nothing is. */
export const forgetIn = (sentence: string): ForgetRequest | null => {
  const found = FORGET.exec(sentence) ?? FORGET_ZH.exec(sentence)
  if (found === null) return null
  const what = (found.groups?.['what'] ?? '').trim()
  const verb = sentence.toLowerCase()
  const isForgetting = /forget|remember|vergiss|忘/u.test(verb)
  if (EVERYTHING.test(what)) return { said: sentence, what: 'everything', words: '' }
  if (isForgetting && LAST.test(what)) return { said: sentence, what: 'last', words: '' }
  // `Forget it`, `never mind`: nothing is meant that could be named.
  if (what === '' || /^(?:to|how|when|it\b)/iu.test(what)) return null
  if (!OF_SPEECH.test(what) && !ABOUT_SELF.test(what)) return null
  return {
    said: sentence,
    what: 'matching',
    words: what
      .replace(OF_SPEECH, '')
      .replace(/[.!。！]+$/u, '')
      .trim(),
  }
}
