import { expect, test } from 'vitest'
import { isStatement } from '../../src/domain/statement.js'

test.each([
  'Alice lives in Berlin',
  'I agree.',
  'Go home!',
  'Is it?',
  'She said "no."',
  '彼女は東京に住んでいる',
  ' one  two three four ',
])('%j says something by itself', (value) => expect(isStatement(value)).toBe(true))

test.each(['Mia', 'dark mode', 'v1.2.3.', 'three plain words', '', '東京', 42, true, null, ['a b c d'], { a: 'b c d e f' }])(
  '%j means nothing without its key',
  (value) => expect(isStatement(value)).toBe(false),
)
