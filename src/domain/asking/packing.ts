/** Kinds of what a context block is made of, in the order in which they are usually put. */
export const SECTIONS = ['working', 'profile', 'facts', 'turns', 'knowledge', 'decisions'] as const
export type SectionName = (typeof SECTIONS)[number]

/** Something that may go into the block, as it would stand there. */
export interface Piece {
  readonly text: string
  readonly tokens: number
}

/** Pieces of one kind, the one wanted most first. */
export interface Section<P extends Piece> {
  readonly name: SectionName
  readonly pieces: readonly P[]
  /** Tokens that this kind may take of the whole; no limit of its own when left out. */
  readonly budget?: number | undefined
  /** Goes in whatever it costs, and is counted. */
  readonly isKept: boolean
  /** Tokens of the line that heads it. */
  readonly heading: number
}

/** What of a section goes in. */
export interface Packed<P extends Piece> {
  readonly name: SectionName
  readonly pieces: readonly P[]
  readonly leftOut: number
  /** With its heading; 0 when nothing of it goes in. */
  readonly tokens: number
}

/**
 * Fills a budget section by section: a piece that does not fit is left out whole, and those after it still get their turn. What is kept
 * whatever it costs is taken off the budget first, wherever it stands.
 *
 * @param budget tokens for all sections together
 */
export const packSections = <P extends Piece>(sections: readonly Section<P>[], budget: number): readonly Packed<P>[] => {
  const costOf = ({ heading, pieces }: Section<P>) =>
    pieces.length === 0 ? 0 : pieces.reduce((sum, { tokens }) => sum + tokens, heading)
  let left = budget - sections.filter(({ isKept }) => isKept).reduce((sum, section) => sum + costOf(section), 0)
  return sections.map((section) => {
    const { name, pieces, heading, isKept } = section
    if (isKept) return { name, pieces, leftOut: 0, tokens: costOf(section) }
    let room = Math.min(left, section.budget ?? left)
    const taken: P[] = []
    for (const piece of pieces) {
      const cost = piece.tokens + (taken.length === 0 ? heading : 0)
      if (cost > room) continue
      taken.push(piece)
      room -= cost
      left -= cost
    }
    return { name, pieces: taken, leftOut: pieces.length - taken.length, tokens: costOf({ ...section, pieces: taken }) }
  })
}

/** What a text costs when nobody says better: a token for four characters, which holds for English and is too little for scripts like Chinese. */
export const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN)

/** OpenAI's rule of thumb for English: https://help.openai.com/en/articles/4936856 */
export const CHARACTERS_PER_TOKEN = 4
