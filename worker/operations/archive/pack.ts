import { encrypting } from './cipher.js'

/** Pieces gathered before they are handed to the browser, which may put them on disk. */
const GATHERED = 4 * 1024 * 1024

/** Takes the bytes of an archive and gives the file. */
export interface Packer {
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>
  readonly end: () => Promise<Blob>
  /** Drops everything. */
  readonly abandon: () => void
}

/** Packs what is written: compressed where the browser can, and encrypted under a passphrase. */
export const createPacker = async (passphrase: string | undefined, salt: Uint8Array<ArrayBuffer>): Promise<Packer> => {
  const isCompressed = typeof CompressionStream === 'function'
  const steps: { readonly writable: WritableStream; readonly readable: ReadableStream<Uint8Array> }[] = []
  if (isCompressed) steps.push(new CompressionStream('gzip'))
  if (passphrase !== undefined) steps.push(await encrypting(passphrase, salt, isCompressed ? 'gzip' : 'none'))
  const entrance = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array>()
  const packed = steps.reduce<ReadableStream<Uint8Array>>((stream, step) => stream.pipeThrough(step), entrance.readable)
  const type =
    passphrase !== undefined ? 'application/octet-stream' : isCompressed ? 'application/gzip' : 'application/x-ndjson'
  const file = gather(packed, type)
  file.catch(() => undefined)
  const writer = entrance.writable.getWriter()
  writer.closed.catch(() => undefined)
  return {
    write: async (bytes) => {
      await writer.ready
      // Not waited for: what is ready for more says so.
      writer.write(bytes).catch(() => undefined)
    },
    end: async () => {
      await writer.close()
      return file
    },
    abandon: () => void writer.abort().catch(() => undefined),
  }
}

const gather = async (stream: ReadableStream<Uint8Array>, type: string): Promise<Blob> => {
  const reader = stream.getReader()
  const blobs: Blob[] = []
  let pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (value !== undefined) {
      pieces.push(value as Uint8Array<ArrayBuffer>)
      size += value.length
    }
    if (done || size > GATHERED) {
      blobs.push(new Blob(pieces))
      pieces = []
      size = 0
    }
    if (done) return new Blob(blobs, { type })
  }
}
