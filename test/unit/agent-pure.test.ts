import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalPredicate, importanceOf, weigh } from '../../src/agent/main.js'
import { partsOf, windowOf } from '../../src/agent/said.js'
import { holdsAt, type TimedTriple, withEnds } from '../../src/agent/triple-time.js'
import type { TurnRow } from '../../src/schema/neighbours/conversations.js'
import type { Hit } from '../../src/schema/records.js'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 5, 1)

const hit = (id: string, more: Partial<Hit> = {}): Hit =>
  ({ id, score: 1, updatedAt: NOW, pinned: false, confidence: 1, reinforcementCount: 1, ...more }) as Hit

const order = (...given: Parameters<typeof weigh>) => weigh(...given).map(({ hit: { id } }) => id)

describe('the score', () => {
  test('is the weighted mean of relevance, recency and importance', () => {
    const hits = [
      hit('best'),
      hit('old', { score: 0.5, updatedAt: NOW - 30 * DAY }),
      hit('pinned', { score: 0.25, pinned: true }),
    ]
    const [first] = weigh(hits, { relevance: 2, recency: 1, importance: 1 }, NOW)
    expect(first).toMatchObject({ relevance: 1, recency: 1, importance: 0.5, score: (2 + 1 + 0.5) / 4 })
    expect(weigh(hits, {}, NOW).find(({ hit: { id } }) => id === 'old')).toMatchObject({ relevance: 0.5, recency: 0.5 })
    expect(order(hits, { relevance: 1, recency: 0, importance: 0 }, NOW)).toEqual(['best', 'old', 'pinned'])
    expect(order(hits, { relevance: 0, recency: 0, importance: 1 }, NOW)[0]).toBe('pinned')
    expect(order(hits, { relevance: 0, recency: 1, importance: 0 }, NOW).at(-1)).toBe('old')
    expect(order(hits, { relevance: 0, recency: 1, importance: 0, halfLifeDays: 0 }, NOW)).toEqual(['best', 'old', 'pinned'])
    expect(
      order(hits, { relevance: 0, recency: 0, importance: 1, importanceOf: ({ id }) => (id === 'old' ? 1 : 0) }, NOW)[0],
    ).toBe('old')
  })

  test('lies between 0 and 1 whatever it is given, and weights count against each other only', () => {
    const number = fc.double({ noDefaultInfinity: false })
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            score: number,
            age: fc.nat(10_000),
            confidence: number,
            reinforcementCount: number,
            pinned: fc.boolean(),
          }),
        ),
        fc.record({ relevance: number, recency: number, importance: number, halfLifeDays: number }),
        (given, weights) => {
          const hits = given.map(({ age, ...more }, i) => hit(String(i), { ...more, updatedAt: NOW - age * DAY }))
          const weighed = weigh(hits, weights, NOW)
          expect(weighed.map(({ hit: { id } }) => id).toSorted()).toEqual(hits.map(({ id }) => id).toSorted())
          for (const { score, relevance, recency, importance } of weighed)
            for (const part of [score, relevance, recency, importance]) {
              expect(part).toBeGreaterThanOrEqual(0)
              expect(part).toBeLessThanOrEqual(1)
            }
        },
      ),
    )
    const hits = [
      hit('a', { score: 0.3 }),
      hit('b', { score: 0.9, updatedAt: NOW - 90 * DAY }),
      hit('c', { pinned: true, score: 0.1 }),
    ]
    for (const scale of [0.5, 3])
      expect(order(hits, { relevance: scale, recency: scale, importance: scale }, NOW)).toEqual(order(hits, {}, NOW))
  })

  test('counts what was heard more often for more, and nothing for more than what is pinned', () => {
    const counts = [1, 2, 5, 50].map((reinforcementCount) => importanceOf(hit('a', { reinforcementCount })))
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(counts[0]).toBe(0.5)
    expect(Math.max(...counts)).toBeLessThan(importanceOf(hit('a', { pinned: true, confidence: 0 })))
  })
})

describe('a predicate', () => {
  test.each([
    ['Name_Is', 'name is'],
    ['name is', 'name is'],
    ['nameIs', 'name is'],
    ['NAME-IS', 'name is'],
    ['  name   is ', 'name is'],
    ['hasURLOf', 'has url of'],
    ['wohntIn', 'wohnt in'],
    ['größe_ist', 'größe ist'],
    ['住在', '住在'],
    ['version2Of', 'version2 of'],
  ])('%s is %s', (given, canonical) => expect(canonicalPredicate(given)).toBe(canonical))

  test('is its own canonical form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = canonicalPredicate(text)
        expect(canonicalPredicate(once)).toBe(once)
      }),
    )
  })
})

const triple = (object: string, validFrom: number, more: Partial<TimedTriple> = {}): TimedTriple => ({
  subject: 'Ada',
  predicate: 'lives in',
  object,
  validFrom,
  validUntil: null,
  recordedAt: validFrom,
  single: true,
  ...more,
})

const heldAt = (triples: readonly TimedTriple[], at: number) =>
  withEnds(triples)
    .filter((one) => holdsAt(one, at))
    .map(({ object }) => object)
    .toSorted()

describe('triples', () => {
  test('of a single-valued predicate end each other, in whatever order they come', () => {
    const lives = [triple('Berlin', 10), triple('Lyon', 20), triple('Porto', 30)]
    fc.assert(
      fc.property(fc.shuffledSubarray(lives, { minLength: 3 }), (triples) => {
        expect([5, 10, 19, 20, 29, 30, 99].map((at) => heldAt(triples, at).join())).toEqual([
          '',
          'Berlin',
          'Berlin',
          'Lyon',
          'Lyon',
          'Porto',
          'Porto',
        ])
      }),
    )
  })

  test('end nothing where their predicate has many, or they are no later, or say the same', () => {
    expect(heldAt([triple('tea', 1, { single: false }), triple('coffee', 2, { single: false })], 9)).toEqual([
      'coffee',
      'tea',
    ])
    expect(heldAt([triple('Berlin', 5), triple('Rome', 5)], 9)).toEqual(['Berlin', 'Rome'])
    expect(heldAt([triple('Berlin', 5), triple('berlin', 7)], 9)).toEqual(['Berlin', 'berlin'])
    expect(heldAt([triple('Berlin', 5), triple('Rome', 7, { subject: 'Bo' })], 9)).toEqual(['Berlin', 'Rome'])
    expect(heldAt([triple('Berlin', 5), triple('ADA', 7, { subject: 'ADA' })], 9)).toEqual(['ADA'])
    expect(heldAt([triple('Berlin', 5, { validUntil: 6 }), triple('Rome', 9)], 7)).toEqual([])
  })

  test('of a single-valued predicate hold one at a time, where no two begin at once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(1_000), { maxLength: 20 }), fc.nat(1_100), (starts, at) => {
        const held = heldAt(
          starts.map((start) => triple(`city ${start}`, start)),
          at,
        )
        const begun = starts.filter((start) => start <= at)
        expect(held).toEqual(begun.length === 0 ? [] : [`city ${Math.max(...begun)}`])
      }),
    )
  })
})

describe('a long turn', () => {
  test('is kept in parts that make it up again, none of them ill-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 2, max: 40 }), (text, most) => {
        const parts = partsOf(text, most)
        expect(parts.join('')).toBe(text)
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(most)
          expect(part.length).toBeGreaterThan(0)
          expect(/\p{Surrogate}/u.test(part)).toBe(false)
        }
      }),
    )
  })

  test('is one message of the window', () => {
    const row = (turnId: string, text: string) => ({ turnId, text, role: 'user', speaker: null, at: null }) as TurnRow
    const rows = [row('b', 'end'), row('a~part2', 'three'), row('a~part1', 'two '), row('a', 'one ')]
    expect(windowOf(rows, 5).map(({ content }) => content)).toEqual(['one two three', 'end'])
    expect(windowOf(rows, 1).map(({ content }) => content)).toEqual(['end'])
    expect(windowOf(rows, 0)).toEqual([])
  })
})
