import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { ROW_KINDS, type WireRow } from '../../src/schema/sync-wire.js'

const base64url = (constraints: { minLength: number; maxLength: number }) =>
  fc.uint8Array(constraints).map((bytes) => Buffer.from(bytes).toString('base64url'))

const device = fc.constantFrom('00000000000000aa', '00000000000000bb', 'ffffffffffffffff')
const counter = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(9_999_999_999))
const rowId = fc.tuple(device, counter).map(([dev, dseq]) => `${dev}.${dseq}`)
const commitment = fc.constantFrom('A'.repeat(43), 'b_'.repeat(20), '-'.repeat(16))
const unknownField = fc.jsonValue({ maxDepth: 2 }).filter((value) => JSON.stringify(value).length < 500)
const extras = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('later', 'lanes', 'Ω', '\n'), unknownField) },
)

/** A row as a device may send it, with unknown kinds and fields. */
export const wireRow: fc.Arbitrary<WireRow> = fc
  .record({
    dev: device,
    dseq: counter,
    ver: fc.bigInt(1n, 2n ** 63n - 1n).map(String),
    kind: fc.constantFrom(...ROW_KINDS, 'later-kind'),
    nc: commitment,
    kc: fc.option(commitment),
    kepoch: fc.integer({ min: 0, max: 5 }),
    parents: fc.uniqueArray(rowId, { maxLength: 8 }),
    human: fc.constantFrom(0 as const, 1 as const),
    target: rowId,
    gen: fc.integer({ min: 1, max: 3 }),
    slot: fc.option(base64url({ minLength: 40, maxLength: 40 })),
    body: fc.option(base64url({ minLength: 1, maxLength: 200 })),
    extras,
  })
  .map(({ extras, ...row }) => ({
    ...row,
    target: row.kind === 'redact' ? row.target : null,
    gen: row.slot === null ? 0 : row.gen,
    bh: row.body === null ? null : createHash('sha256').update(Buffer.from(row.body, 'base64url')).digest('hex'),
    ...JSON.parse(JSON.stringify(extras)),
  }))

export const wireRows = fc.array(wireRow, { maxLength: 20 })
