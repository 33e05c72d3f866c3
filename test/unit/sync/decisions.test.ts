import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gapsOf, nextStep, pushable } from '../../../src/domain/sync/exchange.js'
import { backoffMs, batchStep, rowStep } from '../../../src/domain/sync/refusals.js'
import { isFromTwin, reissue } from '../../../src/domain/sync/reissue.js'
import { adopt, restamped, stamp } from '../../../src/domain/sync/stamp.js'
import { id, row, set } from '../../support/sync/rows.js'

const NOW = Date.UTC(2026, 5, 1)
const ns = (ms: number): bigint => BigInt(ms) * 1_000_000n
const MINUTE = 60_000

describe('a clock', () => {
  const clock = { offsetMs: 0, last: ns(NOW) }

  test('follows others five minutes ahead, and no further', () => {
    expect(adopt(clock, NOW, ns(NOW + 5 * MINUTE)).last).toBe(ns(NOW + 5 * MINUTE))
    expect(adopt(clock, NOW, ns(NOW + 5 * MINUTE + 1)).last).toBe(ns(NOW))
    expect(adopt(clock, NOW, 5n).last).toBe(ns(NOW))
  })

  test('rises above a parent of the far future for that row alone', () => {
    const future = ns(NOW + 400 * 86_400_000)
    const { ver, clock: after } = stamp(clock, NOW, [future])
    expect(ver).toBe(future + 1n)
    expect(stamp(after, NOW, []).ver).toBe(ns(NOW) + 1n)
  })

  test('falls back after a refusal, and rows keep their order', () => {
    const far = ns(NOW + 400 * 86_400_000)
    const rows = [set(2, 'b', { ver: far + 1n, parents: [id(1)] }), set(1, 'a', { ver: far })]
    const { versions, clock: after } = restamped({ offsetMs: 0, last: far + 1n }, NOW, rows, () => undefined, 7n)
    expect([versions.get(id(1)), versions.get(id(2))]).toEqual([ns(NOW), ns(NOW) + 1n])
    expect(after.last).toBe(ns(NOW) + 1n)
  })
})

test('each answer to a row has its step, and nothing is deleted or restamped that others may have', () => {
  const own = { isOwn: true, everAccepted: false, wasDue: false }
  const answers = ['ok', 'dup', 'erased', 'skew', 'collision', 'invalid', 'too_large', 'quota'] as const
  expect(answers.map((answer) => rowStep(answer, own))).toEqual([
    ...['acknowledged', 'acknowledged', 'await_erasure', 'restamp', 'reissue'],
    ...[{ quarantine: 'invalid' }, { quarantine: 'too_large' }, { quarantine: 'quota' }],
  ])
  for (const held of [{ everAccepted: true }, { isOwn: false }, { wasDue: true }])
    expect(rowStep('skew', { ...own, ...held })).toBe('later')
})

test('each status of a whole answer has its step', () => {
  const steps = (statuses: readonly number[], rows = 2): unknown[] =>
    statuses.map((status) => batchStep(status, rows, false))
  expect(steps([0, 408, 425, 429, 500, 503, 200])).toEqual(Array.from({ length: 7 }, () => ({ do: 'back_off' })))
  expect(steps([403, 426, 400])).toEqual(['forbidden', 'version', 'refused'].map((why) => ({ do: 'stop', why })))
  expect([batchStep(401, 2, false), batchStep(401, 2, true)]).toEqual([{ do: 'refresh_token' }, { do: 'needs_auth' }])
  expect([...steps([413]), ...steps([413], 1)]).toEqual([{ do: 'halve' }, { do: 'stop', why: 'refused' }])
})

test('waits double up to five minutes, anywhere below the bound, beside what the server asks for', () => {
  expect([1, 2, 3, 9, 10, 1_000].map((attempt) => backoffMs(attempt, 1, null))).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ])
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 99 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(99_999),
      (attempt, chance, asked) => {
        const wait = backoffMs(attempt, chance, asked)
        expect(wait).toBeGreaterThanOrEqual(asked)
        expect(wait).toBeLessThanOrEqual(asked + 300_000)
      },
    ),
  )
})

describe('a server', () => {
  const cursor = { epoch: 'e', seq: 5, digest: 'd' }

  test('is gone on with when it is the same and has all that was read, and else begun anew with', () => {
    const step = (view: object, from: object = {}): string =>
      nextStep({ ...cursor, ...from }, { epoch: 'e', head: 9, digestAtCursor: 'd', ...view }).do
    expect(step({})).toBe('go_on')
    expect([{ epoch: 'f' }, { head: 4, digestAtCursor: null }, { digestAtCursor: 'x' }].map((view) => step(view))).toEqual([
      'rebase',
      'rebase',
      'rebase',
    ])
    expect(step({ epoch: 'f' }, { epoch: null })).toBe('go_on')
  })

  test('gets removals first and nothing that stands on quarantined rows', () => {
    const rows = [
      set(1, 'a'),
      set(2, 'b', { parents: [id(1)] }),
      set(3, 'c', { parents: [id(2)] }),
      set(4, 'd'),
      row(5, 'redact', { target: id(4), parents: [id(1)] }),
      row(6, 'erase', { kc: 'x', kepoch: 1 }),
    ]
    expect(pushable(rows, new Set([id(1)])).map((one) => one.id)).toEqual([id(5), id(6), id(4)])
  })

  test('that withholds rows is seen by the counters', () => {
    expect(
      gapsOf(
        new Map([
          ['a', [1, 2, 5]],
          ['b', [1, 2]],
          ['c', []],
        ]),
      ),
    ).toEqual(new Map([['a', [3, 4]]]))
  })
})

describe('an id that two devices used', () => {
  test('is given up with what stands on it; parents and targets follow', () => {
    const rows = [
      set(1, 'a'),
      set(2, 'b', { parents: [id(1)] }),
      set(3, 'c', { kc: 'other' }),
      row(4, 'redact', { target: id(2) }),
    ]
    const made = reissue(rows, new Set([id(1)]), 'bb', 1)
    expect(made).toEqual([
      { from: id(1), to: 'bb.1', parents: [], target: null, keepsOld: false },
      { from: id(2), to: 'bb.2', parents: ['bb.1'], target: null, keepsOld: false },
      { from: id(4), to: 'bb.3', parents: [], target: 'bb.2', keepsOld: true },
    ])
  })

  test('shows by counters that were not given here', () => {
    expect([isFromTwin('aa.5', 'aa', 5), isFromTwin('aa.4', 'aa', 5), isFromTwin('bb.9', 'aa', 5)]).toEqual([
      true,
      false,
      false,
    ])
  })
})
