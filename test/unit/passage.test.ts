import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PASSAGE_LENGTH, passagesOf } from '../../src/domain/passage.js'

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '. ',
        '\n\n',
        ' ',
        '。',
        '🎉',
        'word',
        '\n \n',
        '? "',
        'a'.repeat(899),
        '🎉'.repeat(500),
        'b '.repeat(500),
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

test('passages cover the text exactly, each within the limit and none within a character', () => {
  fc.assert(
    fc.property(text, (text) => {
      const passages = passagesOf(text)
      expect(passages[0]?.start).toBe(0)
      expect(passages.at(-1)?.end).toBe(text.length)
      passages.forEach(({ start, end }, i) => {
        if (i > 0) expect(start).toBe(passages[i - 1]?.end)
        if (text.length > 0) expect(end).toBeGreaterThan(start)
        expect(end - start).toBeLessThanOrEqual(PASSAGE_LENGTH)
        expect(text.slice(start, end).isWellFormed()).toBe(true)
      })
    }),
  )
})

test('a short text is one passage, an empty one too', () => {
  expect(passagesOf('')).toEqual([{ start: 0, end: 0 }])
  expect(passagesOf('a'.repeat(PASSAGE_LENGTH))).toHaveLength(1)
})

const cutAfter = (text: string): string => text.slice(0, passagesOf(text)[0]?.end)

test('cuts at a paragraph rather than at a sentence, at a sentence rather than at a word, at a word rather than inside one', () => {
  const half = 'word '.repeat(PASSAGE_LENGTH / 8)
  expect(cutAfter(`${half}end.\n\nNext one. ${half}`)).toBe(`${half}end.\n\n`)
  expect(cutAfter(`${half}end. Next ${half}`)).toBe(`${half}end. `)
  expect(cutAfter(`${half}终。${'字'.repeat(500)}`)).toBe(`${half}终。`)
  expect(cutAfter(half + half).endsWith(' ')).toBe(true)
  expect(cutAfter('x'.repeat(1000))).toHaveLength(PASSAGE_LENGTH)
})

test('does not take a cut in the first half, which would leave crumbs', () => {
  expect(cutAfter(`A. ${'x'.repeat(1000)}`)).toHaveLength(PASSAGE_LENGTH)
})
