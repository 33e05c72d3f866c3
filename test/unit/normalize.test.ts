import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalize } from '../../src/domain/normalize.js'

test('normalises ordinary text as the platform does', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('NFC', 'NFKC'),
      (text, form) => void expect(normalize(text, form)).toBe(text.normalize(form)),
    ),
  )
  expect(normalize('cafe\u0301', 'NFC')).toBe('caf\u00e9')
  expect(normalize('ﬁ', 'NFKC')).toBe('fi')
})

test('reorders up to thirty marks in a row', () => {
  const marks = '\u0301\u0323'.repeat(15)
  expect(normalize(`a${marks}`, 'NFC')).toBe(`a${marks}`.normalize('NFC'))
})

test('takes 200 KB of combining marks without slowing down', () => {
  const start = performance.now()
  const hostile = `a${'\u0301\u0323'.repeat(50_000)}`
  expect(normalize(hostile, 'NFKC')).toHaveLength(hostile.length)
  expect(performance.now() - start).toBeLessThan(2_000)
})

test('normalises what stands around a long run', () => {
  const run = '\u0301'.repeat(40)
  expect(normalize(`cafe\u0301 ${run} cafe\u0301`, 'NFC')).toContain('caf\u00e9 ')
  expect(normalize(`cafe\u0301 ${run} cafe\u0301`, 'NFC').endsWith(' caf\u00e9')).toBe(true)
})

test('does nothing to what is normal already', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '\u0301', '\u0323', 'ﬁ'), maxLength: 80 }), (text) => {
      const once = normalize(text, 'NFKC')
      expect(normalize(once, 'NFKC')).toBe(once)
    }),
  )
})
