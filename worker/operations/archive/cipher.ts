import { unhex } from '../../../src/domain/row.js'
import { hex } from '../../../src/domain/sha256.js'
import { invalidArgument, MemoryError } from '../../../src/protocol/errors.js'
import { CIPHER_VERSION, CipherHeader } from '../../../src/schema/archive.js'
import { parse } from '../../parse.js'
import { damaged, requireVersion } from './damaged.js'

/** What an encrypted archive begins with. */
export const CIPHER_START = '{"type":"palimpsest-encrypted"'

const ITERATIONS = 600_000
/** Bytes of one piece before it is encrypted. */
const CHUNK = 65_536
const TAG = 16
/** Longest first line. */
const LONGEST_HEADER = 1_024

/** Only a page that is https or localhost may encrypt. */
const subtle = (): SubtleCrypto => {
  if (crypto.subtle === undefined)
    throw new MemoryError('FORBIDDEN', 'Browsers encrypt only on pages that are https or localhost.', {
      reason: 'insecure_page',
    })
  return crypto.subtle
}

const keyOf = async (passphrase: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<CryptoKey> => {
  // One passphrase however it was typed.
  const secret = new TextEncoder().encode(passphrase.normalize('NFKC'))
  const material = await subtle().importKey('raw', secret, 'PBKDF2', false, ['deriveKey'])
  const derivation = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations }
  return subtle().deriveKey(derivation, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

/**
 * How the n-th piece is sealed. The key is used for one archive only, so that a counter is a nonce that never comes again; first line,
 * number and whether it is the last are sealed in, so that no piece can be moved, dropped or cut off.
 */
const sealOf = (header: Uint8Array, index: number, isLast: boolean) => {
  const iv = new Uint8Array(12)
  new DataView(iv.buffer).setUint32(8, index)
  const additionalData = new Uint8Array(header.length + 5)
  additionalData.set(header)
  new DataView(additionalData.buffer).setUint32(header.length, index)
  additionalData[header.length + 4] = isLast ? 1 : 0
  return { name: 'AES-GCM', iv, additionalData }
}

/** Pieces of bytes, joined until there are enough. */
const createJoiner = () => {
  let held = new Uint8Array(0)
  return {
    add: (bytes: Uint8Array): void => {
      const joined = new Uint8Array(held.length + bytes.length)
      joined.set(held)
      joined.set(bytes, held.length)
      held = joined
    },
    size: () => held.length,
    take: (count: number): Uint8Array<ArrayBuffer> => {
      const taken = held.slice(0, count)
      held = held.slice(count)
      return taken
    },
    indexOf: (byte: number) => held.indexOf(byte),
  }
}

/** Encrypts what flows through. */
export const encrypting = async (
  passphrase: string,
  salt: Uint8Array<ArrayBuffer>,
  compression: 'gzip' | 'none',
): Promise<TransformStream<Uint8Array, Uint8Array>> => {
  const key = await keyOf(passphrase, salt, ITERATIONS)
  const named = {
    type: 'palimpsest-encrypted',
    version: CIPHER_VERSION,
    cipher: 'AES-256-GCM',
    kdf: 'PBKDF2-SHA-256',
    iterations: ITERATIONS,
    salt: hex(salt),
    chunk: CHUNK,
    compression,
  } satisfies CipherHeader
  const header = new TextEncoder().encode(`${JSON.stringify(named)}\n`)
  const joiner = createJoiner()
  let index = 0
  const seal = async (bytes: Uint8Array<ArrayBuffer>, isLast: boolean): Promise<Uint8Array> =>
    new Uint8Array(await subtle().encrypt(sealOf(header, index++, isLast), key, bytes))
  return new TransformStream({
    start: async (out) => {
      out.enqueue(header)
      // Says whether a passphrase is the right one before anything is read with it.
      out.enqueue(await seal(new Uint8Array(0), false))
    },
    transform: async (bytes, out) => {
      joiner.add(bytes)
      // More than one, since the last is sealed as such.
      while (joiner.size() > CHUNK) out.enqueue(await seal(joiner.take(CHUNK), false))
    },
    flush: async (out) => out.enqueue(await seal(joiner.take(CHUNK), true)),
  })
}

/** First line, key and rest of an encrypted archive. */
interface Opened {
  readonly key: CryptoKey
  readonly header: Uint8Array
  readonly named: CipherHeader
}

/** Opens what was encrypted; the passphrase is known to be right, or refused, before anything else is read. */
export const openCipher = async (
  archive: Blob,
  passphrase: string,
): Promise<{ readonly compression: 'gzip' | 'none'; readonly decrypted: () => ReadableStream<Uint8Array> }> => {
  const start = new Uint8Array(await archive.slice(0, LONGEST_HEADER).arrayBuffer())
  const end = start.indexOf(10) + 1
  const header = start.slice(0, end)
  const raw = jsonOf(header)
  requireVersion(raw, CIPHER_VERSION)
  const named = parse(CipherHeader, raw, 'archive')
  const key = await keyOf(passphrase, unhex(named.salt) as Uint8Array<ArrayBuffer>, named.iterations)
  const check = new Uint8Array(await archive.slice(end, end + TAG).arrayBuffer())
  if (check.length < TAG) throw damaged('ends too early')
  await subtle()
    .decrypt(sealOf(header, 0, false), key, check)
    .catch(() => {
      throw invalidArgument('passphrase', 'does not open this archive')
    })
  const rest = archive.slice(end + TAG)
  return {
    compression: named.compression,
    decrypted: () => rest.stream().pipeThrough(decrypting({ key, header, named })),
  }
}

const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw damaged('does not begin as one')
  }
}

const decrypting = ({ key, header, named }: Opened): TransformStream<Uint8Array, Uint8Array> => {
  const size = named.chunk + TAG
  const joiner = createJoiner()
  let index = 1
  const open = async (sealed: Uint8Array<ArrayBuffer>, isLast: boolean): Promise<Uint8Array> => {
    const bytes = await subtle()
      .decrypt(sealOf(header, index++, isLast), key, sealed)
      .catch(() => {
        throw damaged('was cut short or altered')
      })
    return new Uint8Array(bytes)
  }
  return new TransformStream({
    transform: async (bytes, out) => {
      joiner.add(bytes)
      while (joiner.size() > size) out.enqueue(await open(joiner.take(size), false))
    },
    flush: async (out) => out.enqueue(await open(joiner.take(size), true)),
  })
}
