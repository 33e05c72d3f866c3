import type { Refusal } from './found.js'

/** What a person says in a turn, without what is only shown in it: code, quoted mail, pages, and memories that were served. */
export interface Spoken {
  readonly text: string
  readonly refused: readonly Refusal[]
}

const FENCED_CODE = /(```|~~~)[\s\S]*?(?:\1|$)/g
/** What a prompt shows of a memory, and what imitates it. */
const SERVED = /<memor(?:y|ies)\b[^>]*>[\s\S]*?(?:<\/memor(?:y|ies)\b[^>]*>|$)/giu
const SERVED_LINE = /^\s*(?:\[\d+\] \S+ · .*|\|.*)$/gmu
const QUOTED_LINE = /^\s*(?:>|&gt;).*$/gm
/** From here on another text is shown: a mail that is answered or passed on. */
const MAIL_BEGINS =
  /^(?:-{2,} ?(?:original|forwarded|ursprüngliche|weitergeleitete)\b.*|(?:on|am) .{4,100}(?:wrote|schrieb)\b.*:|(?:from|von|发件人) ?[:：] .*\n(?:.*\n)?(?:to|sent|date|subject|an|gesendet|datum|betreff|收件人|主题) ?[:：].*)$/imu
const SHOWN_BEGINS =
  /^.*\b(?:e-?mails?|mails?|messages?|letters?|articles?|pages?|website|texts?|posts?|tweets?|reviews?|transcripts?|logs?|documents?|paragraphs?|essays?|nachricht|brief|artikel|seite)\b[^\n.!?]{0,60}:[ \t]*$/imu
const CODE_LINE =
  /^\s*(?:(?:import|export|const|let|var|def|class|return|function|public|private|async|await|elif|SELECT|INSERT|UPDATE|#include|\$ |npm |pip |git |sudo )[^\n]*[;={}()[\]<>][^\n]*|[^\n]*[{};]\s*|\s*<\/?[a-z][^\n]*>\s*|\{.*\}|[\w.]+\([^\n]*\)\s*)$/gm
/** Marks that no reader sees. */
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** Takes out of a turn what its speaker only shows. */
export const spokenIn = (turn: string): Spoken => {
  const refused: Refusal[] = []
  const drop =
    (why: Refusal['why'], keep = '\n') =>
    (text: string): string => {
      if (text.trim() !== '') refused.push({ text: shorten(text), why })
      return keep
    }
  const plain = turn
    .replace(/\r\n?/g, '\n')
    .replace(INVISIBLE, ' ')
    .replace(FENCED_CODE, drop('code'))
    .replace(SERVED, drop('echo'))
    .replace(SERVED_LINE, drop('echo'))
    .replace(QUOTED_LINE, drop('quote'))
  const own = [MAIL_BEGINS, SHOWN_BEGINS].reduce((text, begins) => {
    const found = begins.exec(text)
    if (found === null) return text
    const from = begins === SHOWN_BEGINS ? found.index + found[0].length : found.index
    drop('quote')(text.slice(from))
    return text.slice(0, from)
  }, plain)
  return { text: own.replace(CODE_LINE, drop('code')), refused }
}

/** As much of a text as an answer repeats. */
export const shorten = (text: string): string => {
  const line = text.trim().replace(/\s+/gu, ' ')
  return line.length > 200 ? `${[...line.slice(0, 199)].filter((c) => !/\p{Surrogate}/u.test(c)).join('')}…` : line
}
