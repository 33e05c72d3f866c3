import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULTS } from '../../src/domain/body.js'
import { actionFor, beneath, bodyOf, guardedFromRollback, guardedFromUndo, keyMove } from '../../src/domain/going-back.js'
import { isQuote, scrubbedResult } from '../../src/domain/scrub.js'
import type { VersionBody } from '../../src/schema/records.js'
import { versionBody } from '../support/arbitraries.js'

const body = (more: Partial<VersionBody> = {}): VersionBody => ({
  ...DEFAULTS,
  key: 'a',
  value: 1,
  createdAt: 1,
  updatedAt: 1,
  actor: 'process:a',
  contentSha256: '1'.repeat(64),
  ...more,
})
const gone = body({ status: 'tombstoned', tombstonedAt: 5 })

/** One letter for each version: t taken back, b of the background, o of others. */
const stood = (letters: string) =>
  beneath([...letters].map((letter, row) => ({ row, taken: letter === 't', background: letter === 'b' })))

test.each<[string, ReturnType<typeof beneath>]>([
  ['t', { kept: false, target: null }],
  ['ot', { kept: false, target: 0 }],
  ['ottt', { kept: false, target: 0 }],
  ['oto', { kept: true }],
  ['otot', { kept: false, target: 2 }],
  ['otb', { kept: false, target: 0 }],
  ['otbtb', { kept: false, target: 0 }],
  ['obtb', { kept: false, target: 1 }],
  ['otob', { kept: true }],
  ['ob', { kept: true }],
  ['', { kept: true }],
])('of %j what stood before is found', (letters, expected) => expect(stood(letters)).toEqual(expected))

test('what has to be done follows from what stands now and what stood then', () => {
  expect(actionFor(body(), null)).toBe('tombstone')
  expect(actionFor(gone, null)).toBeNull()
  expect(actionFor(gone, body())).toBe('restore')
  expect(actionFor(body(), gone)).toBe('tombstone')
  expect(actionFor(body({ value: 2 }), body())).toBe('revert')
  expect(actionFor(body({ status: 'superseded' }), body())).toBe('restore')
  expect([keyMove(body(), null), keyMove(gone, body()), keyMove(body({ value: 2 }), body())]).toEqual([
    'leaves',
    'takes',
    'stays',
  ])
})

test('who wrote it when makes no difference', () => {
  fc.assert(
    fc.property(versionBody(), fc.nat(), (then, updatedAt) => {
      expect(actionFor({ ...then, updatedAt, actor: 'process:other', run: 'other' }, then)).toBeNull()
    }),
  )
})

describe('a lock', () => {
  const locked = (more: Partial<VersionBody> = {}) =>
    body({ lockMode: 'read_only', lockBy: 'process:a', lockUntil: 10, ...more })

  test('holds against a rollback while it is in force, as does a pin', () => {
    expect(guardedFromRollback(locked(), 9)).toBe('locked')
    expect(guardedFromRollback(locked(), 10)).toBeNull()
    expect(guardedFromRollback(body({ pinned: true }), 9)).toBe('pinned')
  })

  test('that was made by the writes goes with them for its holder alone', () => {
    expect(guardedFromUndo(locked(), body(), 'process:a', 9)).toBeNull()
    expect(guardedFromUndo(locked(), null, 'process:a', 9)).toBeNull()
    expect(guardedFromUndo(locked(), body(), 'human:b', 9)).toBe('locked')
  })

  test('that stood before refuses what it refuses of a write', () => {
    const undone = (now: VersionBody, then: VersionBody | null) => guardedFromUndo(now, then, 'human:b', 9)
    expect(undone(locked({ reinforcementCount: 2 }), locked())).toBeNull()
    expect(undone(locked(), locked({ contentSha256: '2'.repeat(64) }))).toBe('locked')
    expect(undone(locked(), locked({ expiresAt: 99 }))).toBe('locked')
    expect(undone(locked(), locked({ status: 'tombstoned' }))).toBe('locked')
    const kept = { lockMode: 'no_delete' } as const
    expect(undone(locked(kept), locked({ ...kept, contentSha256: '2'.repeat(64) }))).toBeNull()
    expect(undone(locked(kept), locked({ ...kept, status: 'tombstoned' }))).toBe('locked')
  })
})

test('links that lead nowhere are left out, and who is left without one speaks for itself', () => {
  const leads = (id: string): boolean => id === 'here'
  const back = (then: Partial<VersionBody>) => bodyOf(body(), body(then), leads, 7)
  expect(back({ status: 'conflicted', conflictWith: ['here', 'gone'] })).toMatchObject({
    status: 'conflicted',
    conflictWith: ['here'],
  })
  expect(back({ status: 'conflicted', conflictWith: ['gone'] })).toMatchObject({ status: 'active', conflictWith: [] })
  expect(back({ status: 'duplicate', duplicateOf: 'here' })).toMatchObject({ status: 'duplicate', duplicateOf: 'here' })
  expect(back({ status: 'duplicate', duplicateOf: 'gone' })).toMatchObject({ status: 'active', duplicateOf: null })
  expect(bodyOf(body(), null, leads, 7)).toMatchObject({ status: 'tombstoned', tombstonedAt: 7 })
})

test('a result loses a hash and what may quote a value, and nothing else', () => {
  const sha = '1'.repeat(64)
  const result = {
    ok: true,
    contentSha256: sha,
    explanation: { rule: 'refines', because: 'was a, now b' },
    peers: [sha, 'x'],
  }
  expect(scrubbedResult(result, sha)).toEqual({
    ok: true,
    contentSha256: '',
    explanation: { rule: 'refines', because: '' },
    peers: ['', 'x'],
  })
  expect(['newer_value: city was a', 'She said so.', null].map(isQuote)).toEqual([true, false, false])
})
