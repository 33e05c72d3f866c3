import { createHash, randomBytes } from 'node:crypto'
import { rowHash } from '../../../src/domain/sync/row-digest.js'
import type { WireRow } from '../../../src/schema/sync-wire.js'

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** Commitment of a name, as a client would make it. */
export const commitment = (name: string): string => sha256(Buffer.from(name)).toString('base64url')

export const NAMESPACE = commitment('namespace')

export const newDevice = (): string => randomBytes(8).toString('hex')

const START_MS = Date.UTC(2026, 0, 1)
let ticks = 0n

type Given = Partial<Omit<WireRow, 'body' | 'bh'>> & { readonly body?: string | Buffer | null }

/** A row with the body given as text or bytes, which may be null. */
export const rowOf = ({ body = 'a body', ...given }: Given = {}): WireRow => {
  const bytes = body === null ? null : Buffer.from(body as string)
  return {
    dev: '00000000000000aa',
    dseq: 1,
    ver: String(BigInt(START_MS) * 1_000_000n + ++ticks),
    kind: 'set',
    nc: NAMESPACE,
    kc: commitment('key'),
    kepoch: 0,
    parents: [],
    human: 0,
    target: null,
    gen: 0,
    slot: null,
    bh: bytes === null ? null : sha256(bytes).toString('hex'),
    body: bytes === null ? null : bytes.toString('base64url'),
    ...given,
  }
}

/** Counter after counter of one device. */
export const rowsOf = (count: number, given: (i: number) => Given = () => ({}), dev = newDevice(), from = 1): WireRow[] =>
  Array.from({ length: count }, (_, i) => rowOf({ dev, dseq: from + i, ...given(i) }))

export const encryptedRows = (count: number, bodyBytes: number, dev = newDevice(), from = 1): WireRow[] =>
  rowsOf(
    count,
    (i) => ({
      kc: commitment(`key ${dev} ${(from + i) % 2_000}`),
      parents: from + i > 2_000 ? [`${dev}.${from + i - 2_000}`] : [],
      body: randomBytes(bodyBytes),
      gen: 1,
      slot: randomBytes(40).toString('base64url'),
    }),
    dev,
    from,
  )

export const idOf = ({ dev, dseq }: Pick<WireRow, 'dev' | 'dseq'>): string => `${dev}.${dseq}`

export const hashOf = (row: WireRow): Uint8Array => rowHash(row)
