/** How statements are held against labels: by the words that say something, cut to their stems. */
export interface Held {
  readonly stems: ReadonlySet<string>
}

const EMPTY = new Set(
  'a an the and or but of to in on at for with from by as is are was were be been being it its this that these those i we my our you your they them their he she his her him will would can could has have had do does did not no so than then there here just now about into over up out if when while because which who what also only rather more most very any all some one going before after during until toward towards whether between through via per each both such other own them me us too'.split(
    ' ',
  ),
)

const stemOf = (word: string): string => word.replace(/(?:ing|ed|ions?|ments?|ly|es|s|e)$/u, '').slice(0, 6)

export const held = (text: string): Held => ({
  stems: new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      .filter((word) => !EMPTY.has(word))
      .map((word) => (/\p{N}/u.test(word) ? word : stemOf(word))),
  ),
})

/** Names, figures and words in Latin script: what stays the same from one language to another. */
export const constant = (text: string): Held => ({
  stems: new Set(
    (text.match(/\p{Lu}[\p{Script=Latin}\p{N}-]+|\p{N}+/gu) ?? []).map((word) => word.toLowerCase().slice(0, 6)),
  ),
})

/** Whether a found statement says what a label says: half the words of the shorter are in the longer, two at least. */
export const saysTheSame = (found: Held, label: Held, least = 2): boolean => {
  const [small, large] = found.stems.size <= label.stems.size ? [found.stems, label.stems] : [label.stems, found.stems]
  const shared = [...small].filter((stem) => large.has(stem)).length
  return shared >= Math.min(least, small.size) && shared * 2 >= small.size && small.size > 0
}

/** Months, week days and figures of days that a text names. */
export const datesIn = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /\b(?:(january|february|march|april|may|june|july|august|september|october|november|december) (\d{1,2})|(monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?!s| mornings| afternoons| evenings| nights))\b/giu,
    ),
  ].map(([whole]) => whole.toLowerCase())
