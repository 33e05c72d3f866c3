import { keySegment } from '../mint-key.js'

const EMPTY =
  /^(?:a|an|the|my|our|his|her|their|its|your|some|any|this|that|these|those|very|really|so|too|much|more|most|quite|all|of|to|be|being|is|are|new|old|big|huge|lot|lots|bit|little|other|own|it|them|him|me|us|and|or|for|in|on|at|with|from|by|as|about|will|have|has|had|been|not|i|we|he|she|they|just|also|anymore|longer)$/iu
/** Where the thing that is spoken of ends and what is said around it begins. */
const BEYOND =
  /[,;:.!?()–—]|\s(?:because|since|but|so|when|while|which|who|that|as|after|before|until|although|though|if|whenever|rather than|instead of|than|due to)\s/iu

/** The thing that a phrase names, as the segment of a key: its first words that say something. */
export const thingOf = (phrase: string, most = 4): string => {
  const named = phrase.split(BEYOND)[0] ?? phrase
  const words = named.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’.+#-]*/gu) ?? []
  const telling = words.filter((word) => !EMPTY.test(word)).slice(0, most)
  return telling.length === 0 ? '' : keySegment(telling.join(' '))
}

export const keyOf = (...segments: readonly string[]): string => segments.filter((segment) => segment !== '').join('/')
