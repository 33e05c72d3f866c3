import { hash } from 'node:crypto'
import { hashedText } from '../../src/domain/sync/row-digest.js'
import { bytesOrNull, int, type SqlRow, text, textOrNull } from './steps.js'

/** What a row's hash is made of, as columns. */
export const HEADER_COLUMNS = 'dev, dseq, ver, kind, nc, kc, kepoch, parents, human, target, bh, extras'

/** Hash of a stored row: made anew, since it is asked for seldom and would be one more column for each row. */
export const storedHash = (columns: SqlRow): Buffer => {
  const parents = text(columns.parents)
  const header = {
    dev: text(columns.dev),
    dseq: int(columns.dseq),
    ver: text(columns.ver),
    kind: text(columns.kind),
    nc: text(columns.nc),
    kc: textOrNull(columns.kc),
    kepoch: int(columns.kepoch),
    parents: parents === '' ? [] : parents.split(','),
    human: columns.human === 1n ? (1 as const) : (0 as const),
    target: textOrNull(columns.target),
    bh: bytesOrNull(columns.bh)?.toString('hex') ?? null,
  }
  return hash('sha256', hashedText(header, textOrNull(columns.extras) ?? ''), 'buffer')
}

const quoted = (value: unknown): string => (value === null || value === undefined ? 'null' : `"${String(value)}"`)

const quotedParents = (parents: string): string => (parents === '' ? '[]' : `["${parents.replaceAll(',', '","')}"]`)

/** A slot as it is served: of the generation that is current. */
export interface ServedSlot {
  readonly gen: number
  readonly wrapped: Buffer
}

/**
 * A stored row as JSON of the wire. Put together by hand: no field but the unknown ones holds anything that JSON escapes, and those are
 * stored as JSON. `sealed` leaves out what its reader has no right to; the hash holds without it.
 */
export const wireJson = (columns: SqlRow, slot: ServedSlot | undefined, sealed: boolean): string => {
  const body = sealed ? null : bytesOrNull(columns.body)
  const extras = textOrNull(columns.extras)
  const kept = sealed || slot === undefined ? 'null' : `"${slot.wrapped.toString('base64url')}"`
  return `{"seq":${columns.seq},"row":{"dev":"${columns.dev}","dseq":${columns.dseq},"ver":"${columns.ver}","kind":"${
    columns.kind
  }","nc":"${columns.nc}","kc":${quoted(columns.kc)},"kepoch":${columns.kepoch},"parents":${quotedParents(
    text(columns.parents),
  )},"human":${columns.human},"target":${quoted(columns.target)},"gen":${slot?.gen ?? int(columns.gen)},"slot":${kept},"bh":${quoted(
    bytesOrNull(columns.bh)?.toString('hex'),
  )},"body":${body === null ? 'null' : `"${body.toString('base64url')}"`}${
    extras === null || extras === '{}' ? '' : `,${extras.slice(1, -1)}`
  }}}`
}
