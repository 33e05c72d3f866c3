import type { FactKind, Reader, Reading } from './found.js'
import { keyOf } from './keys.js'

/** What a language that is read by its plainest forms alone needs to say of a text. */
interface Plain {
  readonly text: string
  /** The text without what only leads to it. */
  readonly plain: string
  readonly speaker: string | null
  /** Between a speaker and what was said. */
  readonly colon: string
  readonly corrects: boolean
  readonly reader: Reader
}

/** One fact that is the whole text, under a key of its subject; `name` where it is about somebody who is named. */
export const plainFact =
  ({ text, plain, speaker, colon, corrects, reader }: Plain) =>
  (kind: FactKind, subject: string, name: string | null, path: readonly string[], isSingle: boolean): Reading => ({
    found: [
      {
        statement: speaker === null || name !== null ? plain : `${speaker}${colon}${plain}`,
        said: text,
        kind,
        subject,
        name,
        key: keyOf(subject, ...path),
        isSingle,
        ended: null,
        date: reader.date(plain, 'present'),
        corrects,
      },
    ],
    why: null,
  })
