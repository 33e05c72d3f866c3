/** A stretch of a document from one heading to the next, whatever its level. Before the first heading the level is 0. */
export interface Part {
  readonly level: number
  readonly heading: string
  readonly text: string
}

/** A section as it is kept: addressed as `document#slug`. */
export interface Section {
  readonly slug: string
  readonly heading: string
  readonly level: number
  /** The headings above it, the uppermost first. */
  readonly above: readonly string[]
  /** With its heading, as the document has it. */
  readonly text: string
}

/** Longest section in characters: a few pages. A longer one is cut between paragraphs. */
export const MAX_SECTION_LENGTH = 12_000

const SLUG_LENGTH = 80

/** The sections of a document, in order, each with a name of its own. What holds no text is none. */
export const sectionsOf = (parts: readonly Part[]): readonly Section[] => {
  const taken = new Set<string>()
  const above: { level: number; heading: string }[] = []
  return parts.flatMap(({ level, heading, text }) => {
    while (level > 0 && (above.at(-1)?.level ?? 0) >= level) above.pop()
    const path = above.map((one) => one.heading)
    if (level > 0) above.push({ level, heading })
    return stretchesOf(text).map((stretch) => ({
      slug: freeSlug(heading, taken),
      heading,
      level,
      above: path,
      text: stretch,
    }))
  })
}

const freeSlug = (heading: string, taken: Set<string>): string => {
  const words =
    heading
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const plain =
    words
      .join('-')
      .slice(0, SLUG_LENGTH)
      .replace(/[\uD800-\uDBFF]$/, '')
      .normalize('NFC') || 'top'
  let slug = plain
  for (let n = 2; taken.has(slug); n++) slug = `${plain}-${n}`
  taken.add(slug)
  return slug
}

/** A text in stretches that are no longer than a section may be. */
const stretchesOf = (text: string): readonly string[] => {
  const stretches: string[] = []
  let rest = text.trim()
  while (rest.length > MAX_SECTION_LENGTH) {
    const window = rest.slice(0, MAX_SECTION_LENGTH)
    const at = [window.lastIndexOf('\n\n'), window.lastIndexOf('\n'), window.lastIndexOf(' ')].find((end) => end > 0)
    const end = at ?? (/[\uD800-\uDBFF]$/.test(window) ? window.length - 1 : window.length)
    stretches.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return rest === '' ? stretches : [...stretches, rest]
}
