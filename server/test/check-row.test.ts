import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ROW_FIELDS, WireRow } from '../../src/schema/sync-wire.js'
import { wireRow } from '../../test/support/wire-rows.js'
import { checkRow } from '../rows/check-row.js'
import { hashOf, rowOf } from './support/rows.js'

const isTaken = (given: unknown): boolean => !('refused' in checkRow(given))

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    ...['', 'AAAAA', '00000000000000aa.0', '9223372036854775808', 'set\n', 'A'.repeat(65), 'A+/='],
    ...[-1, 0, 1, 1.5, 2_147_483_648, 10_000_000_000, Number.NaN, true, null, undefined, [], {}, 10n],
    ...[['00000000000000aa.1', 'x'], Array(9).fill('00000000000000aa.1'), 'redact', 'erase'],
  ),
  fc.string({ maxLength: 40 }),
  fc.jsonValue({ maxDepth: 1 }),
)
const field = fc.constantFrom(...Object.keys(ROW_FIELDS), 'later')

describe('the check of a row', () => {
  test('takes what the schema of the wire takes and nothing else', () => {
    let taken = 0
    let refused = 0
    fc.assert(
      fc.property(wireRow, fc.array(fc.tuple(field, odd), { maxLength: 2 }), (row, changes) => {
        // A body that is not that of its hash is refused here only: the schema cannot hash.
        const changed = { ...row, ...Object.fromEntries(changes.filter(([name]) => name !== 'bh' && name !== 'body')) }
        expect(isTaken(changed)).toBe(WireRow.safeParse(changed).success)
        isTaken(changed) ? taken++ : refused++
      }),
      { numRuns: 3_000 },
    )
    expect(Math.min(taken, refused)).toBeGreaterThan(300)
  })

  test('takes fields away as the schema does', () => {
    fc.assert(
      fc.property(wireRow, field, (row, name) => {
        const { [name]: _, ...rest } = row
        expect(isTaken(rest)).toBe(WireRow.safeParse(rest).success)
      }),
    )
  })

  test('agrees with the schema on bodies and their hashes', () => {
    fc.assert(
      fc.property(wireRow, odd, odd, (row, body, bh) => {
        for (const changed of [
          { ...row, body },
          { ...row, bh },
          { ...row, body, bh },
        ])
          if (isTaken(changed)) expect(WireRow.safeParse(changed).success).toBe(true)
        expect(isTaken({ ...row, body: null })).toBe(true)
      }),
    )
  })

  test('makes the hash that clients make', () => {
    fc.assert(
      fc.property(wireRow, (row) => {
        const checked = checkRow(row)
        expect('refused' in checked ? null : Uint8Array.from(checked.hash)).toEqual(Uint8Array.from(hashOf(row)))
      }),
    )
  })

  test('tells a body that is too large from one that is none, and one that was altered', () => {
    const statusOf = (given: unknown) => {
      const checked = checkRow(given)
      return 'refused' in checked ? checked.refused : 'ok'
    }
    expect(statusOf(rowOf({ body: 'x'.repeat(262_145) }))).toEqual({ status: 'too_large', reason: 'body' })
    expect(statusOf(rowOf({ body: 'x'.repeat(262_144) }))).toBe('ok')
    expect(statusOf({ ...rowOf(), body: 'AAAA' })).toEqual({ status: 'invalid', reason: 'bh' })
    expect(statusOf({ ...rowOf(), body: 'a b' })).toEqual({ status: 'invalid', reason: 'body' })
    expect(statusOf(rowOf({ kind: 'erase', body: 'x'.repeat(9_000) }))).toEqual({ status: 'too_large', reason: 'body' })
  })

  test.each([
    ['nested beyond measure', JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)],
    ['of reserved names', JSON.parse('{"a":{"__proto__":1}}')],
    ['longer than may be kept', 'x'.repeat(5_000)],
    ['that are no text', '\udfff'],
  ])('refuses unknown fields %s', (_, later) => {
    expect(checkRow({ ...rowOf(), later })).toEqual({ refused: { status: 'invalid', reason: 'unknown fields' } })
    const reserved = JSON.parse(JSON.stringify(rowOf()).replace('{', '{"__proto__":{"dev":1},'))
    expect(checkRow(reserved)).toEqual({ refused: { status: 'invalid', reason: 'unknown fields' } })
    expect(({} as Record<string, unknown>).dev).toBeUndefined()
  })
})
