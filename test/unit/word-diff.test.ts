import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffWords } from '../../src/domain/word-diff.js'

const told = (before: string, after: string): string =>
  diffWords(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : kind === 'removed' ? `[-${text}-]` : `{+${text}+}`))
    .join('')

test.each([
  ['Alice lives in Delhi.', 'Alice lives in Berlin.', 'Alice lives in [-Delhi-]{+Berlin+}.'],
  ['one two three', 'one three', 'one [-two -]three'],
  ['a b', 'a c b d', 'a {+c +}b{+ d+}'],
  ['the same', 'the same', 'the same'],
  ['', 'new', '{+new+}'],
  ['old', '', '[-old-]'],
  ['', '', ''],
  ['東京に住む', '大阪に住む', '[-東京-]{+大阪+}に住む'],
  ['5 mg', '5 g', '5 [-mg-]{+g+}'],
  ['🙂 ok', '🙃 ok', '[-🙂-]{+🙃+} ok'],
])('%j to %j is %j', (before, after, expected) => expect(told(before, after)).toBe(expected))

test('what stays and goes is the first text, what stays and comes the second, and no two neighbours are of a kind', () => {
  const word = fc.constantFrom('a', 'b', 'c', ' ', '.', 'ü', '漢', '\ud800')
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word, { maxLength: 30 }).map((words) => words.join('')),
  )
  fc.assert(
    fc.property(text, text, (before, after) => {
      const changes = diffWords(before, after)
      const of = (kind: string): string =>
        changes
          .filter((change) => change.kind === 'same' || change.kind === kind)
          .map((change) => change.text)
          .join('')
      expect([of('removed'), of('added')]).toEqual([before, after])
      expect(changes.every(({ kind, text }, i) => text !== '' && kind !== changes[i - 1]?.kind)).toBe(true)
    }),
  )
})

test('long texts that share little are told as a whole, with what they begin and end with', () => {
  const words = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word}${i}`).join(' ')
  const changes = diffWords(`start ${words('a')} end`, `start ${words('b')} end`)
  expect(changes.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same'])
})
