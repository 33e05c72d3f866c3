/**
 * Longest passage in characters: a sentence or two. An embedding is a mean of what it covers, so one telling sentence among others
 * fades: under the static table a question came as near as 0.73 to it alone, 0.39 in 200 characters and 0.19 in 900.
 */
export const PASSAGE_LENGTH = 200

/** A stretch of a longer text. */
export interface Passage {
  readonly start: number
  readonly end: number
}

/**
 * Cuts a text into passages of at most {@link PASSAGE_LENGTH} characters that together cover it: at paragraph ends where there
 * is one in the last half, else at sentence ends, else at white space, else anywhere but inside a surrogate pair.
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

const CUTS = [/\n\s*\n/gu, /[.!?。！？]["”’)\]]*\s|[。！？]/gu, /\s/gu]

const cutOf = (window: string): number => {
  const half = window.length / 2
  for (const cut of CUTS) {
    let last = 0
    for (const match of window.matchAll(cut)) last = match.index + match[0].length
    if (last > half) return last
  }
  return /[\uD800-\uDBFF]$/.test(window) ? window.length - 1 : window.length
}
