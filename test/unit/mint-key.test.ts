import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alternativeKey, mintKey } from '../../src/domain/mint-key.js'
import { keyProblem } from '../../src/schema/scalars.js'
import { storableText } from '../support/arbitraries.js'

describe('a minted key', () => {
  test.each([
    ['I live in Berlin', 'user/lives-in'],
    ["I've just moved to Munich", 'user/lives-in'],
    ['Alice lives in Berlin', 'alice/lives-in'],
    ['Alice Braun is living in Berlin', 'alice-braun/lives-in'],
    ['I work at Loom', 'user/works-at'],
    ['Bob currently works for Loom', 'bob/works-at'],
    ['My name is Mia', 'user/name'],
    ["Alice's birthday is 3 May", 'alice/birthday'],
    ['Alice’s favourite tea is oolong', 'alice/favourite-tea'],
    ['alice lives in Berlin', 'alice/lives-in'],
    ["My sister's favourite composer is Bach", 'my-sister/favourite-composer'],
    ['My sister lives in Berlin', 'my-sister/lives-in'],
    ['My email address is a@example.org', 'user/email-address'],
  ])('of %j is %s', (text, key) => {
    expect(mintKey(text)).toEqual({ key, names: 'attribute' })
  })

  test('is the same for another value of the same attribute', () => {
    expect(mintKey('My name is Mia').key).toBe(mintKey('my name is Leo.').key)
  })

  test.each([
    ['The deploy window is Friday at noon', 'note/deploy-window-friday-noon'],
    ['My sister likes green tea', 'note/sister-likes-green-tea'],
    ['She lives in Berlin', 'note/lives-berlin'],
    ['Her brother moved to Munich', 'note/brother-moved-munich'],
    ['The old office moved to Munich', 'note/old-office-moved-munich'],
    ['?!', 'note/untitled'],
    ['', 'note/untitled'],
    ['大切な会議', 'note/大切な会議'],
  ])('of %j names the statement: %s', (text, key) => {
    expect(mintKey(text)).toEqual({ key, names: 'statement' })
  })

  test('is a key, in the form in which it is looked up', () => {
    const unit = fc.constantFrom(
      'I ',
      'my ',
      'name ',
      ' is ',
      ' lives in ',
      'Alice',
      "'s ",
      'é',
      'e\u0301',
      '\u0301',
      'İ',
      'ΐ',
      '字',
      '/',
      '~',
      ' ',
      'ß',
    )
    const texts = fc.oneof(
      storableText(200),
      fc.array(unit, { maxLength: 40 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 10_000 }), (text, n) => {
        const { key } = mintKey(text)
        for (const made of [key, alternativeKey(key, n)]) {
          expect(keyProblem(made)).toBeNull()
          expect(made.normalize('NFC')).toBe(made)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('stays short and quick for a hostile text', () => {
    const start = performance.now()
    for (const text of [
      'a'.repeat(190_000),
      `My ${'a '.repeat(90_000)}`,
      'A '.repeat(90_000),
      `a${'\u0301'.repeat(90_000)}`,
    ]) {
      const { key } = mintKey(text)
      expect(keyProblem(key)).toBeNull()
      expect(key.normalize('NFC')).toBe(key)
    }
    expect(performance.now() - start).toBeLessThan(3_000)
  })
})
