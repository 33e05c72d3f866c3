import { MemoryError } from '../../../src/protocol/errors.js'
import { damaged } from './damaged.js'

/** Longest line: the largest value twice escaped, with all its labels. */
const LONGEST_LINE = 4 * 1024 * 1024
const LINE_END = 10

/** A line as text and as the bytes it was read from, its end included. */
export interface Line {
  readonly text: string
  readonly bytes: Uint8Array
  /** From 1. */
  readonly number: number
}

/** The lines of a stream, as many at a time as one piece of it brings. The last one ends as all others do. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<readonly Line[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = new Uint8Array(0)
  let number = 0
  for await (const piece of piecesOf(stream)) {
    const bytes = joined(rest, piece)
    const lines: Line[] = []
    let from = 0
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, from)) {
      number++
      lines.push({ text: decode(decoder, bytes.subarray(from, end), number), bytes: bytes.subarray(from, end + 1), number })
      from = end + 1
    }
    rest = bytes.slice(from)
    if (rest.length > LONGEST_LINE) throw damaged('is longer than any line of an archive', number + 1)
    if (lines.length > 0) yield lines
  }
  if (rest.length > 0) throw damaged('was cut short', number + 1)
}

const joined = (rest: Uint8Array, piece: Uint8Array): Uint8Array => {
  if (rest.length === 0) return piece
  const bytes = new Uint8Array(rest.length + piece.length)
  bytes.set(rest)
  bytes.set(piece, rest.length)
  return bytes
}

const decode = (decoder: TextDecoder, bytes: Uint8Array, number: number): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw damaged('is not UTF-8', number)
  }
}

/** By a reader: not every browser can walk over a stream. A stream that breaks is an archive that cannot be read. */
export async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (error) {
    // Unpacking fails with a bare TypeError, a file that was changed meanwhile with a DOMException.
    throw error instanceof MemoryError ? error : damaged('cannot be read: it was cut short or altered')
  } finally {
    // Not cancelled: it is a part of a file, which goes with whoever reads it, and cancelling in the middle of unpacking is an error of its own in Node.
    reader.releaseLock()
  }
}
