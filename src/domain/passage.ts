import type { JsonValue } from '../schema/scalars.js'
import { isInRoom } from './neighbours/room.js'
import { isStatement } from './statement.js'

/**
 * Longest passage in characters: a sentence or two. An embedding is a mean of what it covers, so one telling sentence among others
 * fades: under the static table a question came as near as 0.73 to it alone, 0.47 in 160 characters and 0.19 in 900.
 */
export const PASSAGE_LENGTH = 140

/** A stretch of a longer text. */
export interface Passage {
  readonly start: number
  readonly end: number
}

/**
 * Cuts a text into passages of at most {@link PASSAGE_LENGTH} characters that together cover it: at paragraph ends where there
 * is one, else at sentence ends, else at white space, else anywhere but inside a surrogate pair.
 */
export const passagesOf = (text: string): readonly Passage[] => {
  const passages: Passage[] = []
  let start = 0
  while (text.length - start > PASSAGE_LENGTH) {
    const end = start + cutOf(text.slice(start, start + PASSAGE_LENGTH))
    passages.push({ start, end })
    start = end
  }
  passages.push({ start, end: text.length })
  return passages
}

/** Where to cut, best first, each from which share of the window on: a short sentence is a passage, half a sentence is a crumb. */
const CUTS = [
  { at: /\n\s*\n/gu, from: 1 / 8 },
  { at: /[.!?。！？]["”’)\]]*\s|[。！？]/gu, from: 1 / 8 },
  { at: /\s/gu, from: 1 / 2 },
]

const cutOf = (window: string): number => {
  for (const { at, from } of CUTS) {
    let last = 0
    for (const match of window.matchAll(at)) last = match.index + match[0].length
    if (last > window.length * from) return last
  }
  return /[\uD800-\uDBFF]$/.test(window) ? window.length - 1 : window.length
}

/**
 * What a value that says nothing by itself is embedded behind: the words of its key. "Porto" is near to no question, and "user home city: Porto" is.
 * Empty for statements, and for rows of neighbouring stores, whose keys are names.
 */
export const leadOf = (key: string, value: JsonValue): string =>
  isStatement(value) || isInRoom(key)
    ? ''
    : `${key
        .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()}: `
