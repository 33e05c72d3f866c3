/**
 * Unicode normalisation that stays linear: reordering a run of combining marks is quadratic in the engines (200 KB of them took
 * five seconds), and no language stacks more than a few. Longer runs are left as they are.
 */
export const normalize = (text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string =>
  LONG_RUN.test(text)
    ? text
        .split(LONG_RUNS)
        .map((part, i) => (i % 2 === 0 ? part.normalize(form) : part))
        .join('')
    : text.normalize(form)

// Thirty is the limit of the stream-safe text format of Unicode Annex 15.
const LONG_RUN = /\p{M}{31}/u
const LONG_RUNS = /(\p{M}{31,})/u
