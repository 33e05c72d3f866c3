import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/domain/canonical.js'
import { hex } from '../../src/domain/sha256.js'
import { bodyHash, EMPTY_DIGEST, hashedText, rowHash, runningDigest } from '../../src/domain/sync/row-digest.js'
import { ROW_FIELDS, WireRow } from '../../src/schema/sync-wire.js'
import { wireRow, wireRows } from '../support/wire-rows.js'

const sumOf = (hashes: readonly Uint8Array[]) => {
  const digest = runningDigest()
  for (const hash of hashes) digest.add(hash)
  return digest.hex()
}

const MODULUS = 1n << 256n
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe('the hash of a row', () => {
  test('is that of its text under any SHA-256', () => {
    fc.assert(
      fc.property(wireRow, (row) => {
        const other = rowHash(row, (text) => createHash('sha256').update(text).digest())
        expect(hex(rowHash(row))).toBe(hex(other))
      }),
    )
  })

  test('outlives its body, its slot and the generation of its key', () => {
    fc.assert(
      fc.property(wireRow, (row) => {
        expect(rowHash({ ...row, body: null, slot: null, gen: row.gen + 1 } as WireRow)).toEqual(rowHash(row))
      }),
    )
  })

  test('covers every other field, known and unknown', () => {
    const covered = Object.keys(ROW_FIELDS).filter((name) => !['slot', 'gen', 'body'].includes(name))
    fc.assert(
      fc.property(wireRow, wireRow, fc.constantFrom(...covered), (row, other, name) => {
        const changed = { ...row, [name]: other[name] }
        const same = JSON.stringify(row[name]) === JSON.stringify(other[name])
        expect(hashedText(changed) === hashedText(row)).toBe(same)
        const later = (value: number) => hashedText({ ...row, later: value } as WireRow)
        expect(later(1)).not.toBe(later(2))
      }),
    )
  })

  test('does not depend on the order of fields', () => {
    fc.assert(
      fc.property(wireRow, (row) => {
        expect(hashedText(Object.fromEntries(Object.entries(row).reverse()) as WireRow)).toBe(hashedText(row))
      }),
    )
  })

  test('differs wherever rows differ in what it covers', () => {
    const visible = (row: WireRow) => canonicalJson({ ...row, slot: null, gen: null, body: null })
    fc.assert(
      fc.property(wireRow, wireRow, (one, other) => {
        expect(hashedText(one) === hashedText(other)).toBe(visible(one) === visible(other))
      }),
    )
  })

  test('of a body is that of its bytes', () => {
    expect(bodyHash(new Uint8Array())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })
})

describe('a digest', () => {
  test('is the sum of numbers of 256 bits', () => {
    fc.assert(
      fc.property(fc.array(hash), (hashes) => {
        const sum = hashes.reduce((total, bytes) => (total + BigInt(`0x${hex(bytes)}`)) % MODULUS, 0n)
        expect(sumOf(hashes)).toBe(sum.toString(16).padStart(64, '0'))
      }),
    )
  })

  test('goes on from where one stood, and gives back what was taken out', () => {
    fc.assert(
      fc.property(fc.array(hash), fc.array(hash), (first, second) => {
        const whole = runningDigest(sumOf(first))
        for (const bytes of second) whole.add(bytes)
        expect(whole.hex()).toBe(sumOf([...second, ...first]))
        for (const bytes of first) whole.subtract(bytes)
        expect(whole.hex()).toBe(sumOf(second))
        expect(runningDigest(whole.bytes()).hex()).toBe(sumOf(second))
      }),
    )
    expect(sumOf([])).toBe(EMPTY_DIGEST)
  })
})

describe('the wire', () => {
  test('takes rows as they are and gives them back with what it does not know', () => {
    fc.assert(
      fc.property(wireRows, (rows) => {
        for (const row of rows) expect(WireRow.parse(JSON.parse(JSON.stringify(row)))).toEqual(row)
      }),
    )
  })

  test.each([
    ['a version beyond 64 bits', { ver: '9223372036854775808' }],
    ['a body without its hash', { body: 'AAAA', bh: null }],
    ['a slot without a generation', { slot: 'AAAA', gen: 0 }],
    ['a redaction of nothing', { kind: 'redact', target: null }],
    ['a target that nothing is done to', { kind: 'set', target: '00000000000000aa.1' }],
    ['base64url that cannot be', { body: 'AAAAA' }],
    ['nine parents', { parents: Array.from({ length: 9 }, (_, i) => `00000000000000aa.${i + 1}`) }],
    ['unknown fields without end', { later: 'x'.repeat(5_000) }],
    ['unknown text that is none', { later: '\ud800' }],
    ['a kind with a line break', { kind: 'set\n' }],
  ])('refuses %s', (_, change) => {
    const [row] = fc.sample(wireRow, { numRuns: 1, seed: 7 })
    const plain = { ...row, kind: 'set', target: null }
    expect(WireRow.safeParse(plain).success).toBe(true)
    expect(WireRow.safeParse({ ...plain, ...change }).success).toBe(false)
  })
})
