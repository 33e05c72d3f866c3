import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hex, sha256, sha256Hex, utf8 } from '../../src/domain/sha256.js'
import { storableText } from '../support/arbitraries.js'

test('hashes bytes as the platform does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const expected = createHash('sha256').update(bytes).digest()
      expect(Buffer.from(sha256(bytes)).equals(expected)).toBe(true)
      expect(hex(sha256(bytes))).toBe(expected.toString('hex'))
    }),
  )
})

test('writes text as UTF-8 as the platform does', () => {
  fc.assert(
    fc.property(storableText(200), (text) => {
      expect(Buffer.from(utf8(text)).equals(Buffer.from(text, 'utf8'))).toBe(true)
      expect(sha256Hex(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'))
    }),
  )
})

test.each(['', '\u007f\u0080', '\u07ff\u0800', '\uffff', '\u{10000}', '\u{10ffff}', '🎉a'])(
  'writes %j at its right length',
  (text) => {
    expect([...utf8(text)]).toEqual([...new TextEncoder().encode(text)])
  },
)
