import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type GuardedBody, type GuardedWrite, lockInForce, refusalOf } from '../../src/domain/guards.js'

const ONE = '1'.repeat(64)
const OTHER = '2'.repeat(64)
const NOW = 1_000

const live = (more: Partial<GuardedBody> = {}): GuardedBody => ({
  contentSha256: ONE,
  validTo: null,
  expiresAt: null,
  pinned: false,
  lockMode: null,
  lockUntil: null,
  ...more,
})

const write = (after: Partial<GuardedWrite['after']> = {}, more: Partial<GuardedWrite> = {}): GuardedWrite => ({
  after: { contentSha256: OTHER, validTo: null, expiresAt: null, ...after },
  overridesPin: false,
  isBlacklisted: false,
  ifMatchSha256: undefined,
  ...more,
})

const codeOf = (body: GuardedBody | null, asked: GuardedWrite) => refusalOf(body, asked, NOW)?.code ?? null

describe('the precondition', () => {
  test('lets a write through that has none', () => {
    expect(codeOf(null, write())).toBeNull()
    expect(codeOf(live(), write())).toBeNull()
  })

  test('lets a write through while the live value is the one it was made for', () => {
    expect(codeOf(live(), write({}, { ifMatchSha256: ONE }))).toBeNull()
  })

  test('refuses with the current hash when the value changed, and with none when it is gone', () => {
    expect(refusalOf(live({ contentSha256: OTHER }), write({}, { ifMatchSha256: ONE }), NOW)).toEqual({
      code: 'PRECONDITION_FAILED',
      currentSha256: OTHER,
    })
    expect(refusalOf(null, write({}, { ifMatchSha256: ONE }), NOW)).toEqual({
      code: 'PRECONDITION_FAILED',
      currentSha256: null,
    })
  })
})

describe('a lock', () => {
  test.each([
    ['another value', {}, 'LOCKED'],
    ['another end of service', { contentSha256: ONE, expiresAt: 9 }, 'LOCKED'],
    ['another end of truth', { contentSha256: ONE, validTo: 9 }, 'LOCKED'],
    ['neither', { contentSha256: ONE }, null],
  ])('that is read_only, against %s', (_, after, code) => {
    expect(codeOf(live({ lockMode: 'read_only' }), write(after))).toBe(code)
  })

  test('that is no_delete lets edits through', () => {
    expect(codeOf(live({ lockMode: 'no_delete' }), write({ expiresAt: 9 }))).toBeNull()
  })

  test('lapses at its end', () => {
    expect(codeOf(live({ lockMode: 'read_only', lockUntil: NOW + 1 }), write())).toBe('LOCKED')
    expect(codeOf(live({ lockMode: 'read_only', lockUntil: NOW }), write())).toBeNull()
    expect(lockInForce({ lockMode: 'no_delete', lockUntil: null }, NOW)).toBe('no_delete')
  })
})

describe('a pin', () => {
  test('keeps the value from writes that do not pin themselves', () => {
    expect(codeOf(live({ pinned: true }), write())).toBe('PINNED_CONFLICT')
    expect(codeOf(live({ pinned: true }), write({}, { overridesPin: true }))).toBeNull()
    expect(codeOf(live({ pinned: true }), write({ contentSha256: ONE, expiresAt: 9 }))).toBeNull()
  })
})

test('the first guard in order answers: lock, pin, blacklist, precondition', () => {
  const all = live({ lockMode: 'read_only', pinned: true })
  const asked = write({}, { isBlacklisted: true, ifMatchSha256: OTHER })
  expect(codeOf(all, asked)).toBe('LOCKED')
  expect(codeOf({ ...all, lockMode: null }, asked)).toBe('PINNED_CONFLICT')
  expect(codeOf(live(), asked)).toBe('BLACKLISTED')
  expect(codeOf(live(), { ...asked, isBlacklisted: false })).toBe('PRECONDITION_FAILED')
})

test('the same bytes and ends pass every lock and pin, but not the blacklist', () => {
  const bodies = fc.record({
    contentSha256: fc.constantFrom(ONE, OTHER),
    validTo: fc.option(fc.nat()),
    expiresAt: fc.option(fc.nat()),
    pinned: fc.boolean(),
    lockMode: fc.constantFrom('read_only' as const, 'no_delete' as const, null),
    lockUntil: fc.option(fc.nat({ max: 2 * NOW })),
  })
  fc.assert(
    fc.property(bodies, fc.boolean(), (body, isBlacklisted) => {
      expect(codeOf(body, write(body, { isBlacklisted }))).toBe(isBlacklisted ? 'BLACKLISTED' : null)
    }),
  )
})
