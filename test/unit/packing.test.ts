import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Piece, packSections, SECTIONS, type Section, tokensOf } from '../../src/domain/asking/packing.js'

const pieces = (...costs: number[]): Piece[] => costs.map((tokens, i) => ({ text: `${i}`, tokens }))
const section = (name: Section<Piece>['name'], costs: number[], more: Partial<Section<Piece>> = {}): Section<Piece> => ({
  name,
  pieces: pieces(...costs),
  isKept: false,
  heading: 1,
  ...more,
})
const texts = (packed: readonly { readonly pieces: readonly Piece[] }[]) =>
  packed.map((one) => one.pieces.map(({ text }) => text))

test('a piece that does not fit is left out whole, and later ones still get their turn', () => {
  const packed = packSections([section('facts', [5, 50, 3]), section('turns', [4, 1])], 14)
  expect(texts(packed)).toEqual([['0', '2'], ['0']])
  expect(packed.map(({ leftOut, tokens }) => [leftOut, tokens])).toEqual([
    [1, 9],
    [1, 5],
  ])
})

test('what is kept is taken off the budget first, wherever it stands, and may exceed it', () => {
  const working = section('working', [8], { isKept: true })
  expect(texts(packSections([section('facts', [5, 3]), working], 14))).toEqual([['1'], ['0']])
  expect(packSections([working], 3)).toMatchObject([{ leftOut: 0, tokens: 9 }])
  expect(texts(packSections([working, section('facts', [1])], 3))).toEqual([['0'], []])
})

test('a section has a limit of its own', () => {
  expect(texts(packSections([section('facts', [5, 5, 5], { budget: 12 }), section('turns', [5])], 100))).toEqual([
    ['0', '1'],
    ['0'],
  ])
})

test('a block never costs more than its budget, and nothing that would still fit is left out', () => {
  const anySection = fc.record({
    name: fc.constantFrom(...SECTIONS),
    pieces: fc.array(fc.nat({ max: 30 }).map((tokens) => ({ text: 'x', tokens }))),
    budget: fc.option(fc.nat({ max: 100 }), { nil: undefined }),
    isKept: fc.constant(false),
    heading: fc.nat({ max: 3 }),
  })
  fc.assert(
    fc.property(fc.array(anySection, { maxLength: 6 }), fc.nat({ max: 200 }), (sections, budget) => {
      const packed = packSections(sections, budget)
      const spent = packed.reduce((sum, { tokens }) => sum + tokens, 0)
      expect(spent).toBeLessThanOrEqual(budget)
      packed.forEach((one, i) => {
        const { pieces: offered, budget: own = Number.POSITIVE_INFINITY, heading } = sections[i] as (typeof sections)[number]
        expect(one.tokens).toBeLessThanOrEqual(own)
        expect(one.pieces.length + one.leftOut).toBe(offered.length)
        const room = Math.min(budget - spent, own - one.tokens)
        for (const piece of offered.filter((wanted) => !one.pieces.includes(wanted)))
          expect(piece.tokens + (one.pieces.length === 0 ? heading : 0)).toBeGreaterThan(room)
      })
    }),
  )
})

test('four characters are a token when nobody counts better', () => {
  expect(['', 'a', 'abcd', 'abcde'].map(tokensOf)).toEqual([0, 1, 1, 2])
})
