import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalForm, canonicalJson, contentSha256, textOf } from '../../src/domain/canonical.js'
import { jsonValue, storableText } from '../support/arbitraries.js'

describe('canonical JSON', () => {
  test('sorts names by code unit at every depth and holds no white space', () => {
    // The names of the example in RFC 8785, section 3.2.3.
    const value = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: { b: [true, null], a: 'x y' } }
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":{"a":"x y","b":[true,null]},"€":1,"😀":5,"\ufb33":3}')
  })

  test('writes numbers as the scheme asks', () => {
    expect(canonicalJson([333333333.33333329, 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    )
  })

  test('is JSON of the same value', () => {
    fc.assert(fc.property(jsonValue(), (value) => void expect(JSON.parse(canonicalJson(value))).toEqual(value)))
  })

  test('is the same whatever order the names came in', () => {
    fc.assert(
      fc.property(fc.dictionary(storableText(8), jsonValue()), (fields) => {
        const turned = Object.fromEntries(Object.entries(fields).reverse())
        expect(canonicalJson(turned)).toBe(canonicalJson(fields))
        expect(contentSha256(turned)).toBe(contentSha256(fields))
      }),
    )
  })

  test('tells values apart that print alike', () => {
    const hashes = ['1', 1, [1], { '1': 1 }, true, 'true', null, 'null', '', [], {}].map((value) => contentSha256(value))
    expect(new Set(hashes).size).toBe(hashes.length)
  })
})

describe('the text of a value', () => {
  test('is the text itself, or the parts of a structure line by line', () => {
    expect(textOf('as it is ')).toBe('as it is ')
    expect(textOf([1, true, null])).toBe('1\ntrue\nnull')
    expect(textOf({ situation: 'a leak', steps: ['close', 'call'] })).toBe('situation: a leak\nsteps: close\ncall')
  })

  test('does not depend on the order of names, since the stored value has lost it', () => {
    expect(textOf({ b: 1, a: 2 })).toBe(textOf({ a: 2, b: 1 }))
    fc.assert(fc.property(jsonValue(), (value) => void expect(textOf(JSON.parse(canonicalJson(value)))).toBe(textOf(value))))
  })
})

describe('the canonical form', () => {
  const same = (one: string, other: string) => expect(canonicalForm(one)).toBe(canonicalForm(other))
  const differ = (one: string, other: string) => expect(canonicalForm(one)).not.toBe(canonicalForm(other))

  test.each([
    ['Alice lives in Berlin.', 'alice lives in berlin'],
    ['Alice  lives\n in\tBerlin', 'Alice lives in Berlin'],
    ['caf\u00e9 in the mall', 'cafe\u0301 in the mall'],
    ['she doesn’t smoke', "she doesn't smoke"],
    ['ＡＢＣ', 'abc'],
    ['“Loom”, the project!', 'loom the project'],
    ['½', '1⁄2'],
  ])('is the same for %j and %j', same)

  test.each([
    ['it costs 1.5', 'it costs 15'],
    ['it costs 1,5', 'it costs 15'],
    ['kick-off at 27:10', 'kick-off at 2710'],
    ['it is -5 outside', 'it is 5 outside'],
    ['on 3/4', 'on 34'],
    ['from 3–4', 'from 34'],
    ['written in C#', 'written in C'],
    ['a rise of 5 %', 'a rise of 5'],
    ['a rise of 5 ‰', 'a rise of 5 %'],
    ['ask @mia', 'ask mia'],
    ['R&D', 'R D'],
    ['Alice lives in Berlin?', 'Alice lives in Berlin'],
    ['snake_case', 'snake case'],
    ['2 + 3', '2 3'],
    ['caf\u00e9', 'cafe'],
  ])('keeps %j and %j apart', differ)

  test('of nothing but punctuation is that punctuation', () => {
    expect(canonicalForm(' !! ')).toBe('!!')
    differ('!!', '...')
  })

  test('is its own canonical form', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."aB1 .,:-?%#'é\n！５"), maxLength: 30 }), (text) => {
        const form = canonicalForm(text)
        expect(canonicalForm(form)).toBe(form)
      }),
    )
  })

  test('of a hostile text is quick', () => {
    const start = performance.now()
    canonicalForm('\u0301'.repeat(90_000))
    canonicalForm('-'.repeat(190_000))
    canonicalForm(' \n'.repeat(90_000))
    expect(performance.now() - start).toBeLessThan(3_000)
  })
})
