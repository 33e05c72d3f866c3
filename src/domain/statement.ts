import type { JsonValue } from '../schema/scalars.js'

const SENTENCE_END = /[.!?。！？]["”’)\]]*$/u
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/gu

/**
 * Whether a value says something by itself. A bare value (`Mia`, `dark mode`, 42) means nothing without its key, so two keys that
 * hold the same bare value are two facts.
 */
export const isStatement = (value: JsonValue): boolean => {
  if (typeof value !== 'string') return false
  const text = value.trim()
  const words = text.split(/\s+/u).length
  return words >= 4 || (words >= 2 && SENTENCE_END.test(text)) || (text.match(UNSPACED)?.length ?? 0) >= 6
}
