/** A part of a sentence that says one thing, without the words that only lead to it. */
export interface Clause {
  readonly text: string
  readonly corrects: boolean
  /** Announced as something to know: a heading, or a request to remember. */
  readonly isAnnounced: boolean
}

/** Words before a statement that say nothing of it. Some of them only count before a mark. */
const LEAD_IN =
  /^(?:(?:oh|ah|hey|hi|hello|so|and|but|also|plus|btw|by the way|fyi|anyway|haha|lol|hmm+|um|uh|wow|as i (?:said|mentioned)|as you know|you know|i mean|i meant(?: to say)?(?: that)?|it turns out(?: that)?|turns out(?: that)?|just so you know|just to let you know|for (?:the record|reference|context|what it['’]s worth)|(?:a )?fun fact|one more thing|another thing|in addition|additionally|besides|moreover|in fact|to be honest|tbh|well|honestly|frankly|personally|admittedly|unfortunately|sadly|luckily|fortunately|thankfully|apparently|speaking of which)[,:;.!…–—-]*\s+|(?:yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|right|good|great|cool|nice|thanks(?: a lot| so much| a bunch| again)?|thank you(?: so much| very much)?|sorry|look|listen|wait|oops|first|second|third|finally|fact|note|update|correction|edit)[,:;!–—-]+\s+)+/iu

const CORRECTS =
  /^(?:[^,.!?]{0,20}[,;–—-]\s*)?(?:actually|correction|i was wrong|scratch that|i misspoke|sorry,|oops|wait,|no,|not anymore|change of plans)\b|\b(?:no longer|not any ?more|any ?more\b|any longer|instead of|used to|switched (?:from|to)|changed (?:my|from|to)|i meant|now\b.*\bnot\b)\b/iu

/** `Just confirmed: …`, `Two facts worth filing: …`: what is announced follows. */
const HEADING =
  /^(?:[\p{L}’' ]{0,24}\b(?:facts?|note|reminder|confirmed|confirmation|update|fyi|correction|info|for the (?:file|record))\b[^:.!?]{0,40}):\s+(?=\S)/iu
const CONFIRMED =
  /^(?:just |have |i )?(?:confirmed|learned|learnt|found out|heard back|verified|noted)(?: (?:with|from|via|by) [^:,]{1,60})?(?::| that| (?=I['’]|I |we ))\s*/iu
const ACTUALLY = /^(?:actually|in fact|really|now|currently|right now|at the moment|these days|nowadays),?\s+/iu

/** Said along the way, at the end. */
const TRAILING = /(?:[,\s]+(?:btw|by the way|lol|haha+|tho|fyi|you know|:\)|:-\)|xd))+(?=\s*[.!]*$)/iu

/** A sentence as the statements that stand side by side in it. */
export const clausesOf = (sentence: string): readonly Clause[] => {
  const corrects = CORRECTS.test(sentence)
  const [bare, isHeaded] = afterHeading(sentence)
  const [led, isLed] = afterHeading(withoutLeadIn(bare))
  const isAnnounced = isHeaded || isLed
  return partsOf(led)
    .map((part) => withoutLeadIn(part.trim()).replace(ACTUALLY, '').trim())
    .map((part) => part.replace(TRAILING, ''))
    .filter((part) => part !== '')
    .map((text) => ({ text: capitalised(text), corrects, isAnnounced }))
}

/** `Two facts: …` tells of the next sentence too. */
export const announcesMore = (sentence: string): boolean =>
  /^[^:.!?]{0,40}\b(?:facts|things|notes|updates|points)\b[^:.!?]{0,40}:/iu.test(sentence)

/** Whoever is spoken to: `Mel, …`, `Hey Mel! …`; not `Anna, my sister, …`. */
const SPOKEN_TO =
  /^(?:(?:[Hh]ey|[Hh]i|[Hh]ello|[Ww]ow|[Yy]eah|[Yy]ep|[Yy]es|[Nn]o|[Oo]h|[Tt]hanks|[Ss]o|[Ww]ell|[Oo]kay|[Oo]k|[Ss]ure|[Aa]greed)\s+\p{Lu}\p{Ll}+|\p{Lu}\p{Ll}+)[,!]\s+(?!(?:my|a|an|the|who|our)\b[^,]*,)/u

export const withoutLeadIn = (text: string): string => {
  let rest = text
  for (let before = ''; before !== rest; ) {
    before = rest
    rest = rest.replace(LEAD_IN, '').replace(SPOKEN_TO, '')
  }
  return rest
}

const afterHeading = (text: string): readonly [text: string, isAnnounced: boolean] => {
  const rest = text.replace(HEADING, '').replace(CONFIRMED, '')
  return [rest, rest.length < text.length]
}

/** Where a subject of its own begins: what stands before it is a statement already. */
const NEXT_SUBJECT =
  /(?:\s*[;]\s+|\s+[-–—]\s+|(?:,\s*|\s+)(?:and|but|so|plus|while|although|though)\s+(?:also |now |then |actually )?|,\s+)(?=(?:i|i['’](?:m|ve|ll|d)|my|we|we['’](?:re|ve|ll)|our) [\p{L}]|i['’](?:m|ve|ll)\b)/giu
const THEN_SUBJECT =
  /(?:,\s*|\s+)(?:and|but|while|whereas)\s+(?=(?:he|she|they|(?:his|her|their) \p{L}+(?: \p{L}+)?|[\p{Lu}][\p{Ll}]+) (?:is|are|was|were|has|have|had|works?|lives?|likes?|loves?|hates?|can|does|prefers?|will|also|now|never|always)\b)/gu
/** `Said yes — committed to …`: the same subject, left out again. */
const DROPPED_AGAIN = /\s+[–—]\s+(?=\p{Ll}{3,}(?:ed|ing)\s)/gu
/** A clause before these is no statement by itself: `I told her that, and I …` is, `when we moved, my …` is not. */
const HANGS_ON =
  /^(?:if|when|whenever|while|because|since|as|after|before|until|once|although|though|unless|that|so that|even)\b/iu

const partsOf = (text: string): readonly string[] => {
  const whole: string[] = []
  let from = 0
  const cuts = [...text.matchAll(NEXT_SUBJECT), ...text.matchAll(THEN_SUBJECT), ...text.matchAll(DROPPED_AGAIN)].sort(
    (a, b) => a.index - b.index,
  )
  for (const cut of cuts) {
    const part = text.slice(from, cut.index)
    // What hangs on its neighbour stays with it; `my kids and I` are one subject.
    const isWhole = part.split(/\s+/u).length >= 3 || (/^\s*[–—]/u.test(cut[0]) && part !== '')
    if (cut.index < from || !isWhole || HANGS_ON.test(part) || isShort(part)) continue
    whole.push(part)
    from = cut.index + cut[0].length
  }
  return [...whole, text.slice(from)]
}

/** `I know`, `I think`: what is known or thought follows. */
const isShort = (part: string): boolean => /^(?:i|we) \p{L}+$/iu.test(part)

const capitalised = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
