import type { SourceClass, Status } from '../../schema/records.js'

/** A memory as a prompt shows it. */
export interface Shown {
  readonly key: string
  readonly text: string
  readonly status: Status
  readonly sourceClass: SourceClass
  /** The day on which it became true, or was said. */
  readonly day: string
}

/** Whatever ends a line for somebody: a line of a memory must not look like a line of the prompt. */
const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u

/** Marks that change the direction or the look of what stands around them. */
const INVISIBLE = /[\u0000-\u0008\u000e-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/**
 * Memories as quoted data: between two fences that no memory can contain, since they are made by chance after it was written, and every
 * line of a memory behind a bar. What stands inside is told to be data; it is never an instruction.
 *
 * @param fence letters and digits made by chance, at least 16
 */
export const fenced = (memories: readonly Shown[], fence: string): string =>
  between(
    memories.map((memory, i) => `[${i + 1}] ${quotedMemory(memory)}`),
    fence,
  )

/** Parts of a block between its fences. */
export const between = (parts: readonly string[], fence: string): string =>
  [`<memories ${fence}>`, ...parts, `</memories ${fence}>`].join('\n')

/** One memory behind bars, under a line that says what it is. */
export const quotedMemory = ({ key, text, status, sourceClass, day }: Shown): string =>
  [`${key} · ${day} · ${sourceClass}${status === 'active' ? '' : ` · ${status}`}`, ...quotedLines(text)].join('\n')

/** A text behind bars, line by line. */
export const quotedLines = (text: string): readonly string[] =>
  text.split(LINE_ENDS).map((line) => `| ${line.replace(INVISIBLE, '')}`)
