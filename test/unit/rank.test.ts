import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agreementOf, fuse, type LegResult } from '../../src/domain/rank.js'

const leg = (name: 'vector' | 'lexical', weight: number, ...memories: readonly number[]): LegResult => ({
  leg: name,
  weight,
  found: memories.map((memory, i) => ({ memory, passage: memory * 10 + i, score: 1 - i / 100 })),
})

const legs = fc
  .tuple(...[0, 1].map(() => fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 })), fc.constantFrom(0.5, 1, 2))
  .map(([near, worded, weight]) => [
    leg('vector', 1, ...(near as number[])),
    leg('lexical', weight as number, ...(worded as number[])),
  ])

describe('fusing', () => {
  test('puts what both legs found first', () => {
    expect(fuse([leg('vector', 1, 1, 2, 3), leg('lexical', 1, 4, 2, 5)]).map(({ memory }) => memory)[0]).toBe(2)
  })

  test('adds weight over rank and says what each leg gave', () => {
    const [first] = fuse([leg('vector', 1, 7), leg('lexical', 1.2, 7)])
    expect(first?.score).toBeCloseTo(2.2 / 61, 12)
    expect(first?.components).toEqual([
      { leg: 'vector', rank: 1, score: 1, weight: 1 },
      { leg: 'lexical', rank: 1, score: 1, weight: 1.2 },
    ])
  })

  test('counts a memory once per leg, by its best passage, and ranks by memories', () => {
    const fused = fuse([leg('vector', 1, 5, 5, 5, 6)])
    expect(fused.map(({ memory, passage }) => ({ memory, passage }))).toEqual([
      { memory: 5, passage: 50 },
      { memory: 6, passage: 63 },
    ])
    expect(fused[1]?.components[0]?.rank).toBe(2)
  })

  test('shows the passage of the leg that was worth more', () => {
    const vector: LegResult = { leg: 'vector', weight: 1, found: [{ memory: 1, passage: 11, score: 1 }] }
    const lexical: LegResult = { leg: 'lexical', weight: 1.2, found: [{ memory: 1, passage: 12, score: 9 }] }
    expect(fuse([vector, lexical])[0]?.passage).toBe(12)
    expect(fuse([{ ...vector, weight: 2 }, lexical])[0]?.passage).toBe(11)
  })

  test('keeps the older memory first among equals, and finds nothing in nothing', () => {
    expect(fuse([leg('vector', 1, 9), leg('lexical', 1, 3)]).map(({ memory }) => memory)).toEqual([3, 9])
    expect(fuse([])).toEqual([])
    expect(fuse([leg('vector', 1)])).toEqual([])
  })

  test('judges what a leg could not have found by the others alone', () => {
    const vector = leg('vector', 1, 1, 2, 3)
    const lexical = leg('lexical', 1.2, 4, 1, 2, 3)
    expect(fuse([vector, lexical]).map(({ memory }) => memory)).toEqual([1, 2, 3, 4])
    const bare = { ...lexical, found: lexical.found.map((one) => ({ ...one, bare: one.memory === 4 })) }
    const fused = fuse([vector, bare])
    expect(fused.map(({ memory }) => memory)).toEqual([4, 1, 2, 3])
    expect(fused[0]?.components.map((component) => component.leg)).toEqual(['lexical'])
  })

  test('answers with every memory found, once, best first, whatever the order of the legs', () => {
    fc.assert(
      fc.property(legs, (drawn) => {
        const fused = fuse(drawn)
        const memories = new Set(drawn.flatMap(({ found }) => found.map(({ memory }) => memory)))
        expect(new Set(fused.map(({ memory }) => memory))).toEqual(memories)
        expect(fused).toHaveLength(memories.size)
        fused.slice(1).forEach(({ score }, i) => expect(score).toBeLessThanOrEqual(fused[i]?.score ?? 0))
        expect(fuse(drawn.toReversed()).map(({ memory }) => memory)).toEqual(fused.map(({ memory }) => memory))
      }),
    )
  })

  test('never puts a memory lower for being found by another leg as well', () => {
    fc.assert(
      fc.property(legs, fc.integer({ min: 1, max: 9 }), ([near, worded], memory) => {
        fc.pre(near !== undefined && worded !== undefined && near.found.some((one) => one.memory === memory))
        fc.pre(!worded.found.some((one) => one.memory === memory))
        const rankIn = (fused: ReturnType<typeof fuse>) => fused.findIndex((one) => one.memory === memory)
        const also = { ...worded, found: [...worded.found, { memory, passage: 1, score: 0 }] }
        expect(rankIn(fuse([near, also]))).toBeLessThanOrEqual(rankIn(fuse([near, worded])))
      }),
    )
  })
})

describe('the agreement of two legs', () => {
  test('is the share of their best five that both found', () => {
    expect(agreementOf([leg('vector', 1, 1, 2, 3, 4, 5, 6), leg('lexical', 1, 5, 4, 9, 8, 7, 1)])).toBeCloseTo(2 / 5)
    expect(agreementOf([leg('vector', 1, 1), leg('lexical', 1, 2, 1)])).toBe(1)
    expect(agreementOf([leg('vector', 1, 1, 1, 1, 1, 1, 2), leg('lexical', 1, 2, 1)])).toBe(1)
  })

  test('is none where a leg found nothing or is missing', () => {
    expect(agreementOf([leg('vector', 1, 1), leg('lexical', 1)])).toBe(0)
    expect(agreementOf([leg('vector', 1, 1)])).toBe(0)
    expect(agreementOf([])).toBe(0)
  })
})
