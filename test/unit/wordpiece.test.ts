import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWordPiece } from '../../src/domain/wordpiece.js'

const VOCABULARY = [
  ...[
    '',
    '[UNK]',
    '[CLS]',
    '',
    'play',
    '##ing',
    '##s',
    'guitar',
    'cafe',
    'uber',
    '!',
    '#',
    '###',
    "'",
    's',
    '\u4f60',
    '\u597d',
  ],
  ...['un', '##aff', '##able', '=', 'great', 'news', '\u2122', '##\u2122', '\u1112', '##\u1161', '##\u11ab', 'k', '5', '$'],
]
const { ids, unknownId } = createWordPiece(VOCABULARY)
const pieces = (text: string): string[] => ids(text).map((id) => VOCABULARY[id] ?? `no piece ${id}`)

describe('splitting', () => {
  test.each([
    ['keeps a known word whole', 'guitar', ['guitar']],
    ['takes the longest pieces first', 'unaffable playing', ['un', '##aff', '##able', 'play', '##ing']],
    ['ignores case', 'GUITAR Plays', ['guitar', 'play', '##s']],
    ['calls a word unknown as a whole when one piece is missing', 'playxyz guitar', ['[UNK]', 'guitar']],
    ['lets punctuation stand alone', "guitar's!!", ['guitar', "'", 's', '!', '!']],
    ['counts ASCII symbols as punctuation', '#5$', ['#', '5', '$']],
    ['splits ideographs', '你好你', ['你', '好', '你']],
    ['decomposes Korean syllables', '한', ['\u1112', '##\u1161', '##\u11ab']],
    ['strips accents', 'Über café', ['uber', 'cafe']],
    ['strips accents given as combining marks', 'U\u0308ber cafe\u0301', ['uber', 'cafe']],
    ['reads a struck-out sign as the sign', '\u2260', ['=']],
    ['reads the Kelvin sign as a letter', '\u212a', ['k']],
    [
      'divides at any kind of space',
      'play\u00a0guitar\u3000play\tguitar\u2028play',
      ['play', 'guitar', 'play', 'guitar', 'play'],
    ],
    ['reads over control characters and invisible signs', 'gui\u0000t\u200da\u00adr\ufffd', ['guitar']],
    ['reads over half a surrogate pair', 'gui\ud83dtar \udc00 play', ['guitar', 'play']],
    ['keeps a word that an emoji touches', 'great🎉news👍🏽', ['great', '[UNK]', 'news', '[UNK]', '[UNK]']],
    ['leaves a sign the vocabulary can continue a word with', 'play™', ['play', '##™']],
    ['does not read special tokens from text', '[CLS]', ['[UNK]', '[UNK]', '[UNK]']],
    ['finds nothing in nothing', ' \n\u0301 ', []],
  ])('%s', (_, text, expected) => expect(pieces(text)).toEqual(expected))

  test('calls a word of more than a hundred characters unknown, however it is spelled', () => {
    expect(pieces(`play${'s'.repeat(96)}`)).toHaveLength(97)
    expect(pieces(`play${'s'.repeat(97)}`)).toEqual(['[UNK]'])
    expect(pieces('é'.repeat(101))).toEqual(['[UNK]'])
  })

  test('names no unknown word when the vocabulary has no entry for it', () => {
    expect(createWordPiece(['a']).unknownId).toBe(-1)
    expect(createWordPiece(['a']).ids('a b')).toEqual([0, -1])
  })
})

describe('any text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 })

  test('gives ids of the vocabulary', () => {
    fc.assert(
      fc.property(text, (sample) => ids(sample).every((id) => VOCABULARY[id] !== undefined && VOCABULARY[id] !== '')),
    )
  })

  test('gives the same ids composed and decomposed', () => {
    fc.assert(
      fc.property(text, (sample) => {
        expect(ids(sample.normalize('NFC'))).toEqual(ids(sample.normalize('NFD')))
      }),
    )
  })

  test('gives the same ids a second time, and joined by spaces', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(ids(`${one} ${other}`)).toEqual([...ids(one), ...ids(other)])
      }),
    )
  })

  test.each([
    ['accented letters', 'é'],
    ['combining marks of two classes', '\u0301\u0316'],
    ['lone surrogates', '\ud800'],
    ['emoji', '👩‍👩‍👧'],
    ['Arabic', 'مرحبا بالعالم '],
    ['one word', 'a'],
    ['unknown words', 'xyzabcdefghi '],
  ])('reads 200 KB of %s in linear time', (_, unit) => {
    const started = performance.now()
    const found = ids(unit.repeat(200_000 / unit.length))
    // Tens of milliseconds; seconds where it is quadratic.
    expect(performance.now() - started).toBeLessThan(2_000)
    expect(found.every((id) => id === unknownId)).toBe(true)
  })
})
