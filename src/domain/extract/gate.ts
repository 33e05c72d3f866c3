import type { RefusalWhy } from './found.js'

const QUESTION =
  /[?？]["'”’)\s]*$|^(?:(?:and|but|so|well|hey|ok|okay),? )?(?:who|whom|whose|what|where|when|why|how|which)(?:['’]s|['’]re)? (?:is|are|was|were|do|does|did|can|could|would|should|will|have|has|to|about|many|much|long|often|come)\b|^(?:do|does|did|is|are|was|were|can|could|would|should|will|have|has|am|shall|may) (?:i|you|we|they|he|she|it|my|the|this|that|there|your|anyone|someone|any)\b/iu

const HYPOTHETICAL =
  /^(?:what )?if\b|^(?:unless|suppose|supposing|imagine|assuming|say|let['’]s say|let us say|pretend|hypothetically|in theory)\b|^(?:i|we) wish\b|\b(?:hypothetically|if i were|if i was|if i had|if we had|what if|if only|would have (?:been|had|gone|done|loved|liked)|could have been|as if|for example|for instance|e\.g\.)\b|, if (?:i|we|it|that)\b.*\bwould\b|\bwould\b.* if (?:i|we|he|she|they|it)\b/iu

const JOKE =
  /\b(?:just kidding|only kidding|i['’]m kidding|kidding|jk|j\/k|joking|just messing|april fools?|as a joke|sarcasm|not serious)\b|(?:^|\s)\/(?:s|j)(?:\s|$)|[😜🤪😝😛🙃]/iu

const FICTION =
  /\b(?:in (?:my|our|the|this|a) (?:novel|story|book|game|script|screenplay|dream|campaign|play)|my (?:character|protagonist|hero|villain|novel|elf|wizard)|once upon a time|role-?play(?:ing)?|(?:act|answer|respond|speak) as (?:if|a|an|though)|play the role|pretend (?:to be|that|you|i)|you are (?:a|an|now)|as a (?:pirate|wizard|character))\b/iu

/** A turn that sets a stage: nothing in it is said in earnest. */
const STAGE = /^(?:let['’]s|let us|please|can we|we)? ?(?:role-?play|pretend|play a game|imagine)\b/iu

const REQUEST =
  /^(?:please|pls|kindly|can you|could you|would you|will you|i (?:need|want|would like|['’]d like) (?:you|your|help|some help|advice|assistance)\b|i(?:['’]m| am) (?:looking for|seeking|asking|wondering|trying to (?:find|figure|understand|debug|fix|get|write|solve))\b|i (?:was )?wonder(?:ing)?\b|let me know\b|let['’]s\b|tell me\b|give me\b|show me\b|help me\b|(?:write|explain|describe|create|generate|make|list|translate|summari[sz]e|compare|find|suggest|recommend|convert|calculate|draw|check|review|fix|debug|improve|rewrite|continue|add|change|use|try|consider|keep|don['’]t|do not|never|always|ignore|disregard|forget|delete|remove|feel free|go ahead|take|think|look|see|note|believe|push|hang|stay|enjoy|have (?:a|fun))\b)/iu

const SMALL_TALK =
  /^(?:hi|hey|hello|thanks|thank you|thx|cheers|bye|goodbye|good (?:morning|evening|night|afternoon|luck)|welcome|congrats|congratulations|sure|okay|ok|yes|no|yeah|great|cool|nice|wow|awesome|sounds|glad|happy to|no problem|you['’]re|you are|you have|you can|you should|your|same here|me too|of course|absolutely|definitely|exactly|agreed|that['’]s|it['’]s|there['’]s|here['’]s)\b/iu

/** Verbs by which people steer a talk rather than tell of themselves. */
const CONVERSING =
  /^(?:(?:do|did|will|would|can|could|am|be|have|had) )?(?:not )?(?:(?:just|really|also|totally|completely|fully|definitely) )*(?:think so|guess|suppose|mean|see\b(?! .{15})|understand|agree|appreciate|hope|bet|hear you|get it|know|believe (?:you|so|in you)|wonder|apologi[sz]e|thank|doubt|assume|imagine|wish|notice|look forward|looking forward|glad|happy (?:for|to (?:hear|help))|sorry|sure|afraid (?:so|not|that)|say|tell|ask(?:ing)?|feel (?:you|like you)|get what|remember\b(?! .{12})|forget|recommend|suggest|can not wait|not wait|wait)\b/iu

/** Why a sentence is no statement of fact, seen from its form alone; null when it may be one. */
export const formProblem = (sentence: string): RefusalWhy | null => {
  if (QUESTION.test(sentence)) return 'question'
  if (JOKE.test(sentence)) return 'joke'
  if (FICTION.test(sentence)) return 'fiction'
  return HYPOTHETICAL.test(sentence) ? 'hypothetical' : null
}

/** Whether a sentence takes back in jest what stands before it. */
export const isJoke = (sentence: string): boolean => JOKE.test(sentence) && sentence.length < 60

export const setsStage = (turn: string): boolean =>
  STAGE.test(turn) || /^(?:[^.!?\n]*[.!?:]\s)?(?:you are|you['’]re) (?:now )?an? /iu.test(turn)

export const isRequest = (clause: string): boolean => REQUEST.test(clause)

export const isSmallTalk = (clause: string): boolean => SMALL_TALK.test(clause)

/** @param phrase what a speaker says of himself, from the verb on */
export const isConversing = (phrase: string): boolean => CONVERSING.test(phrase)
