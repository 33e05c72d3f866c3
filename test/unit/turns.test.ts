import fc from 'fast-check'
import { expect, test } from 'vitest'
import { namesIn, roomKey, wordsAround } from '../../src/domain/neighbours/room.js'
import { withNeighbours } from '../../src/domain/neighbours/turns.js'
import { keyProblem } from '../../src/schema/scalars.js'

test('any names make a key that gives them back, and no two of them the same', () => {
  const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((text) => !/\p{Surrogate}/u.test(text))
  fc.assert(
    fc.property(name, name, (first, second) => {
      const key = roomKey('~turns', first, second)
      expect(keyProblem(key)).toBeNull()
      expect(namesIn(key)).toEqual([first.normalize('NFC'), second.normalize('NFC')])
      expect(key.normalize('NFC')).toBe(key)
    }),
  )
})

test('names that look like a spelled character stay apart from it', () => {
  expect(roomKey('~turns', '~2f.')).not.toBe(roomKey('~turns', '/'))
  expect(namesIn(roomKey('~turns', '~2f.', 'a/b c'))).toEqual(['~2f.', 'a/b c'])
})

test('a passage is found by the words of its key, or by what stands around it where the key only names a row', () => {
  const around = { entities: ['Ana'], sourceTrace: null }
  expect(wordsAround({ key: 'user/home', ...around })).toBe('user/home')
  expect(wordsAround({ key: '~turns/monday/1', ...around })).toContain('Ana')
  expect(wordsAround({ key: '~turns/monday/1', ...around })).not.toContain('monday')
})

const beside = new Map([
  [2, { before: 1, after: 3 }],
  [9, { before: null, after: null }],
])

test('a turn beside one that was found comes in below it', () => {
  const ranked = withNeighbours([{ memory: 2, score: 1 }], beside, 0.4)
  expect(ranked).toEqual([
    { memory: 2, score: 1, lent: 0 },
    { memory: 1, score: 0.4, lent: 0.4 },
    { memory: 3, score: 0.4, lent: 0.4 },
  ])
})

test('of two neighbours the better one lends, and nothing is lent twice', () => {
  const found = [
    { memory: 1, score: 1 },
    { memory: 3, score: 0.5 },
    { memory: 2, score: 0.2 },
  ]
  const chain = new Map([
    [1, { before: null, after: 2 }],
    [2, { before: 1, after: 3 }],
    [3, { before: 2, after: null }],
  ])
  const ranked = withNeighbours(found, chain, 0.5)
  expect(ranked.map(({ memory, score }) => [memory, score])).toEqual([
    [1, 1.1],
    [2, 0.7],
    [3, 0.6],
  ])
})
