/** What a score is multiplied by at most where all words stand as they were asked: a stem makes one of "organ" and "organization". */
const MOST = 1.05

const WORD = /[\p{L}\p{N}]+/gu

const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** How much more a text is worth for the words that it has in the very form in which they were asked, accents and case apart. */
export const exactness = (words: readonly string[], text: string): number => {
  if (words.length === 0) return 1
  const held = new Set(fold(text).match(WORD))
  const exact = words.filter((word) => (fold(word).match(WORD) ?? []).every((part) => held.has(part)))
  return 1 + (MOST - 1) * (exact.length / words.length)
}
