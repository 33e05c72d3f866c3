import { sentencesOf } from './asking/sentences.js'
import { canonicalForm, formHash } from './canonical.js'

/** How long a sentence that was handed out is known as such. */
export const ECHO_MS = 30 * 24 * 60 * 60 * 1000

/** Sentences kept for one person; of more, the newest. */
export const MOST_SERVED = 5_000

/** Sentences of one text that are looked at. */
const MOST_SENTENCES = 500

/** A sentence in fewer words is said by chance: `Yes, thanks.` */
const LEAST_WORDS = 4
/** The same for scripts that set no spaces. */
const LEAST_CHARACTERS = 10
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Marks of citations, which come and go with the answer that a sentence is told in. */
const CITATION = /\s*\[\d{1,3}\]/g

/**
 * Numbers under which the sentences of a text are known again, whatever their case and punctuation; none for what is too short to tell.
 * Keyed, so that whoever has the numbers alone cannot try texts.
 */
export const watermarksOf = (text: string, key: string): readonly number[] => [
  ...new Set(
    sentencesOf(text.replace(CITATION, ''))
      .slice(0, MOST_SENTENCES)
      .map((sentence) => canonicalForm(sentence.text))
      .filter(isTelling)
      .map((form) => formHash(`${key}\n${form}`)),
  ),
]

const isTelling = (form: string): boolean =>
  form.split(' ').length >= LEAST_WORDS || (UNSPACED.test(form) && [...form].length >= LEAST_CHARACTERS)
