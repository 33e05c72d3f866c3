import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldText, governingScopes, governs, PATTERN_LIMITS, piecesOf, scannedText } from '../../src/domain/blacklist.js'
import type { Scope } from '../../src/schema/scope.js'

describe('texts are compared', () => {
  test.each([
    ['in any case', 'Project FALCON', 'project falcon'],
    ['in any width', 'ｐｒｏｊｅｃｔ', 'project'],
    ['with ligatures taken apart', 'oﬃce', 'office'],
    ['without what is not seen', 'pro\u200bject\u00ad', 'project'],
    ['in any normal form', 'cafe\u0301', 'café'],
  ])('%s', (_, written, meant) => {
    expect(foldText(written)).toBe(foldText(meant))
  })
})

test('key, value, names of fields and labels are looked at', () => {
  const text = scannedText(
    {
      value: { city: ['Berlin'] },
      tags: ['home'],
      entities: ['Ana'],
      relations: [{ subject: 'Ana', predicate: 'knows', object: 'Tom' }],
      files: ['a.txt'],
    },
    'user/city',
  )
  for (const part of ['user/city', 'city: Berlin', 'home', 'Ana knows Tom', 'a.txt']) expect(text).toContain(part)
  expect(scannedText({}, undefined)).toBe('')
})

test('pieces are short, lie one on the other, and leave nothing out', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 60_000 }), (length, at) => {
      const word = 'x'.repeat(200)
      const text = `${'.'.repeat(Math.min(at, length))}${word}${'.'.repeat(Math.max(0, length - at))}`
      const pieces = piecesOf(text)
      expect(pieces.every((piece) => piece.length <= PATTERN_LIMITS.piece)).toBe(true)
      expect(pieces.some((piece) => piece.includes(word))).toBe(true)
      expect(pieces[0]?.startsWith(text.slice(0, 100))).toBe(true)
      expect(text.endsWith(pieces.at(-1) as string)).toBe(true)
    }),
  )
})

const level = fc.constantFrom('a', 'b')
const scope: fc.Arbitrary<Scope> = fc.record(
  { org: level, namespace: level, agent: level, user: fc.constantFrom('a', 'b', null), session: level },
  { requiredKeys: ['org', 'namespace'] },
)

test('the scopes whose rules hold are those that govern, and none but these', () => {
  fc.assert(
    fc.property(scope, scope, (written, other) => {
      const governing = governingScopes(written)
      expect(governing.every((rule) => governs(rule, written))).toBe(true)
      expect(governing).toContainEqual(written)
      expect(governs(other, written)).toBe(governing.some((rule) => JSON.stringify(rule) === JSON.stringify(ordered(other))))
    }),
    { numRuns: 500 },
  )
})

const ordered = ({ org, namespace, agent, user, session }: Scope) => ({
  org,
  namespace,
  ...(agent === undefined ? {} : { agent }),
  ...(user === undefined ? {} : { user }),
  ...(session === undefined ? {} : { session }),
})

test('no rule of one user ever holds for another', () => {
  fc.assert(
    fc.property(scope, scope, (rule, written) => {
      fc.pre(rule.user !== undefined && rule.user !== written.user)
      expect(governs(rule, written)).toBe(false)
    }),
  )
})
