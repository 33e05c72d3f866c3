/** A sentence with its place in the text. */
export interface Sentence {
  readonly text: string
  readonly start: number
  readonly end: number
}

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' })

/** The sentences of a text (Unicode Standard Annex 29); a line break ends one too, since lists have no full stops. */
export const sentencesOf = (text: string): readonly Sentence[] => {
  const found: Sentence[] = []
  for (const { segment, index } of segmenter.segment(text))
    for (const line of segment.matchAll(/[^\n]+/g)) {
      const said = line[0].trim()
      const start = index + line.index + line[0].indexOf(said)
      if (said !== '') found.push({ text: said, start, end: start + said.length })
    }
  return found
}

/** Those that a stretch of the text touches. */
export const sentencesAround = (text: string, excerpt: string): readonly Sentence[] => {
  const all = sentencesOf(text)
  const from = text.indexOf(excerpt)
  if (from < 0) return all
  const around = all.filter(({ start, end }) => start < from + excerpt.length && end > from)
  return around.length > 0 ? around : all
}
