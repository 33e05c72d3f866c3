const QUOTED = /["“„«「『]([^"”“„«»「」『』\n]{1,2000})["”“»」』]/gu
const MARK = '\uE000'

/** A text whose quotations are set aside, since they say what somebody else says. */
export interface WithoutQuotes {
  readonly text: string
  /** A sentence with its short quotations, which are names; null when it holds a quotation that says something. */
  readonly restore: (sentence: string) => string | null
}

export const quotesIn = (text: string): WithoutQuotes => {
  const kept: string[] = []
  const set = text.replaceAll(MARK, ' ').replace(QUOTED, (whole) => {
    kept.push(whole)
    return `${MARK}${kept.length - 1}${MARK}`
  })
  return {
    text: set,
    restore: (sentence) => {
      let says = false
      const restored = sentence.replace(/\uE000(\d+)\uE000/gu, (_, at: string) => {
        const quote = kept[Number(at)] ?? ''
        says ||= !isTitle(quote.slice(1, -1))
        return quote
      })
      return says ? null : restored
    },
  }
}

/** `Dune`, `The Name of the Wind`: a name rather than something said. */
const isTitle = (quoted: string): boolean => {
  const words = quoted.trim().split(/\s+/u)
  if (/[.!?]$/u.test(quoted.trim()) || words.length > 8) return false
  const small = /^(?:a|an|the|of|and|in|on|to|for|at|by|with|from)$/u
  return words.length <= 2 || words.every((word) => small.test(word) || /^[\p{Lu}\p{N}]/u.test(word))
}
