import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  Instant,
  Key,
  keyProblem,
  MAX_KEY_LENGTH,
  MAX_KEY_SEGMENTS,
  MAX_VALUE_BYTES,
  MAX_VALUE_DEPTH,
  Value,
  valueProblem,
} from '../../src/schema/scalars.js'
import { jsonValue } from '../support/arbitraries.js'

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

describe('a key', () => {
  test.each([
    'a',
    'user/home/city',
    'a_b-c.d~e@f:g',
    'größe/大小',
    '9',
    'e\u0301x'.normalize('NFC'),
    'a/b/c/d/e/f/g/h',
    'x'.repeat(512),
  ])('may be %j', (key) => expect(keyProblem(key)).toBeNull())

  test.each([
    '',
    '/a',
    'a/',
    'a//b',
    'a b',
    'a\n',
    'a\0b',
    'a*',
    'a?',
    '🎉',
    'a\ud800',
    'a\u200b',
    'x'.repeat(MAX_KEY_LENGTH + 1),
    Array.from({ length: MAX_KEY_SEGMENTS + 1 }, () => 'a').join('/'),
  ])('may not be %j', (key) => {
    expect(keyProblem(key)).not.toBeNull()
    expect(Key.safeParse(key).success).toBe(false)
  })

  test('is stored composed, and its length counted after that', () => {
    expect(Key.parse('cafe\u0301/a')).toBe('caf\u00e9/a')
    expect(Key.parse('e\u0301'.repeat(MAX_KEY_LENGTH))).toHaveLength(MAX_KEY_LENGTH)
    expect(Key.safeParse('e\u0301'.repeat(MAX_KEY_LENGTH + 1)).success).toBe(false)
  })

  test('is the same however often it is read', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'é', 'e\u0301', '\u0323', '/', '~', '字'), maxLength: 30 }),
        (text) => {
          const parsed = Key.safeParse(text)
          if (parsed.success) expect(Key.parse(parsed.data)).toBe(parsed.data)
        },
      ),
    )
  })

  test('of hostile length is refused at once', () => {
    const start = performance.now()
    expect(Key.safeParse('\u0301'.repeat(1_000_000)).success).toBe(false)
    expect(performance.now() - start).toBeLessThan(1_000)
  })

  test('is text', () => {
    for (const key of [7, null, undefined, ['a'], {}]) expect(Key.safeParse(key).success).toBe(false)
  })
})

describe('a value', () => {
  test('may be any JSON', () => {
    fc.assert(fc.property(jsonValue(), (value) => void expect(valueProblem(value)).toBeNull()))
  })

  const cyclic: Record<string, unknown> = { a: [] }
  ;(cyclic['a'] as unknown[]).push(cyclic)
  const list: unknown[] = []
  list.push([list])

  test.each([
    ['undefined', undefined, []],
    ['a field without value', { a: { b: undefined } }, ['a', 'b']],
    ['a hole', [1, , 2], [1]],
    ['NaN', { a: [Number.NaN] }, ['a', 0]],
    ['an infinity', [Number.NEGATIVE_INFINITY], [0]],
    ['a bigint', { a: 1n }, ['a']],
    ['a symbol', [Symbol('x')], [0]],
    ['a function', { toJSON: () => 'x' }, ['toJSON']],
    ['a date', { at: new Date(0) }, ['at']],
    ['a map', new Map(), []],
    ['a set', [new Set()], [0]],
    ['bytes', { a: new Uint8Array(2) }, ['a']],
    ['a boxed text', [new String('x')], [0]],
    ['a circle', cyclic, ['a', 0]],
    ['a list in itself', list, [0, 0]],
    ['a lone surrogate', { a: 'x\ud800' }, ['a']],
    ['a lone surrogate in a name', { 'x\udc00': 1 }, ['x\udc00']],
    ['a prototype', JSON.parse('{"a":{"__proto__":1}}'), ['a', '__proto__']],
    ['an object of a class', { a: new (class Thing {})() }, ['a']],
  ])('may not hold %s, and the path to it is told', (_, value, path) => {
    expect(valueProblem(value)?.path).toEqual(path)
    expect(Value.safeParse(value).error?.issues[0]?.path).toEqual(path)
  })

  test('may hold the same part twice', () => {
    const part = { a: 1 }
    expect(valueProblem([part, part, { part }])).toBeNull()
  })

  test('may be an object without a prototype', () => {
    expect(valueProblem(Object.assign(Object.create(null), { a: 1 }))).toBeNull()
  })

  test(`nests at most ${MAX_VALUE_DEPTH} levels, and deeper ones are not walked`, () => {
    expect(valueProblem(nested(MAX_VALUE_DEPTH))).toBeNull()
    expect(valueProblem(nested(MAX_VALUE_DEPTH + 1))?.path).toHaveLength(MAX_VALUE_DEPTH)
    expect(valueProblem(nested(100_000))).not.toBeNull()
  })

  test('is not blank text, but may be empty otherwise', () => {
    for (const blank of ['', ' ', '\n\t', '\u3000']) expect(Value.safeParse(blank).success).toBe(false)
    for (const empty of [null, [], {}, 0, false, [' ']]) expect(Value.safeParse(empty).success).toBe(true)
  })

  test('is limited in bytes, not in characters', () => {
    const room = MAX_VALUE_BYTES - 2
    expect(Value.safeParse('a'.repeat(room)).success).toBe(true)
    expect(Value.safeParse('a'.repeat(room + 1)).success).toBe(false)
    expect(Value.safeParse('字'.repeat(room / 3)).success).toBe(true)
    expect(Value.safeParse('字'.repeat(room / 3 + 1)).success).toBe(false)
  })

  test('never shows in the message that refuses it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{12,20}$/), (secret) => {
        for (const value of [{ a: `${secret}\ud800` }, { a: [secret, 1n] }, secret.repeat(20_000)]) {
          const { error } = Value.safeParse(value)
          expect(error?.issues).toHaveLength(1)
          expect(JSON.stringify(error?.issues)).not.toContain(secret)
        }
      }),
      { numRuns: 10 },
    )
  })
})

describe('an instant', () => {
  test.each(['2026-03-01T09:00:00Z', '2026-03-01T09:00:00.123456+02:00', '2024-02-29T23:59:59-11:30'])(
    'may be %s',
    (text) => {
      expect(Instant.safeParse(text).success).toBe(true)
      expect(Number.isSafeInteger(Date.parse(text))).toBe(true)
    },
  )

  test.each([
    '2026-03-01',
    '2026-03-01T09:00:00',
    '2026-02-30T09:00:00Z',
    '2026-13-01T00:00:00Z',
    '09:00',
    'now',
    '',
    '1735689600000',
  ])('may not be %j', (text) => expect(Instant.safeParse(text).success).toBe(false))

  test('is always a moment the store can keep', () => {
    const digits = (max: number, width: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(width, '0'))
    const text = fc
      .tuple(
        digits(9999, 4),
        digits(13, 2),
        digits(32, 2),
        digits(24, 2),
        digits(60, 2),
        digits(60, 2),
        fc.constantFrom('Z', '+14:00', '-12:00', '+23:59'),
      )
      .map(([y, mo, d, h, mi, s, zone]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${zone}`)
    fc.assert(
      fc.property(text, (text) => {
        if (Instant.safeParse(text).success) expect(Number.isSafeInteger(Date.parse(text))).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})
