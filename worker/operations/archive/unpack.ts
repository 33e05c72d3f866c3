import { invalidArgument } from '../../../src/protocol/errors.js'
import { CIPHER_START, openCipher } from './cipher.js'
import { piecesOf } from './lines.js'

/** What is inside of a file, as often as it is asked for. */
export interface Unpacked {
  readonly open: () => ReadableStream<Uint8Array>
  /** Read so far of the file itself, for a progress bar. */
  readonly read: () => number
  readonly size: number
}

/** Finds out how a file is packed by how it begins. */
export const unpack = async (given: Blob | string, passphrase: string | undefined): Promise<Unpacked> => {
  const file = typeof given === 'string' ? new Blob([given]) : given
  const start = new Uint8Array(await file.slice(0, CIPHER_START.length).arrayBuffer())
  const isEncrypted = new TextDecoder().decode(start) === CIPHER_START
  if (isEncrypted && passphrase === undefined) throw invalidArgument('passphrase', 'is needed: the archive is encrypted')
  // Who gives one relies on it: a file that anybody could have written must not pass for theirs.
  if (!isEncrypted && passphrase !== undefined)
    throw invalidArgument('passphrase', 'was given, but the archive is not encrypted')
  let read = 0
  const counted = (stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
    stream.pipeThrough(
      new TransformStream({
        transform: (bytes, out) => {
          read += bytes.length
          out.enqueue(bytes)
        },
      }),
    )
  const inner = async (): Promise<{ readonly isGzip: boolean; readonly stream: () => ReadableStream<Uint8Array> }> => {
    if (!isEncrypted) return { isGzip: start[0] === 0x1f && start[1] === 0x8b, stream: () => file.stream() }
    const { compression, decrypted } = await openCipher(file, passphrase ?? '')
    return { isGzip: compression === 'gzip', stream: decrypted }
  }
  const { isGzip, stream } = await inner()
  if (isGzip && typeof DecompressionStream !== 'function')
    throw invalidArgument('archive', 'is compressed, and this browser cannot unpack it: unpack it first')
  return {
    open: () => {
      read = 0
      const whole = counted(stream())
      return isGzip
        ? whole.pipeThrough(new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>)
        : whole
    },
    read: () => Math.min(read, file.size),
    size: file.size,
  }
}

/** Whether what is inside begins with a text. What cannot be unpacked at all begins with nothing, and fails where it is read. */
export const beginsWith = async ({ open }: Unpacked, start: string): Promise<boolean> => {
  let begun = ''
  for await (const bytes of piecesOf(open())) {
    begun += new TextDecoder().decode(bytes.subarray(0, start.length))
    if (begun.length >= start.length) break
  }
  return begun.startsWith(start)
}
