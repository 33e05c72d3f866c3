import { describe, expect, test } from 'vitest'
import { epochsOf, isErased, nextKeyEpoch, nextNamespaceEpoch } from '../../../src/domain/sync/epochs.js'
import { type KeyState, stateOfKey } from '../../../src/domain/sync/key-state.js'
import { leavingOf, stateOf } from '../../../src/domain/sync/state.js'
import type { SyncRow } from '../../../src/domain/sync/sync-row.js'
import { guard, id, row, set, verdict } from '../../support/sync/rows.js'

const stateOfRows = (...rows: SyncRow[]): KeyState => stateOfKey(rows, epochsOf(rows))
const standings = (...rows: SyncRow[]): string[] =>
  stateOfRows(...rows).heads.map((head) => `${head.id.split('.')[1]} ${head.standing}`)

const DAY = 86_400_000_000_000n

describe('among heads that do not know of each other', () => {
  const human = { human: true }

  test.each<[string, SyncRow[], string[]]>([
    ['a person who deletes wins over all', [row(1, 'tomb', human), set(2, 'a', human)], ['1 winner', '2 buried']],
    ['a person wins over a later agent', [set(1, 'a', human), set(2, 'b')], ['1 winner', '2 conflicted']],
    ['an agent who deletes loses to a person', [row(2, 'tomb'), set(1, 'a', human)], ['1 winner', '2 overruled']],
    ['an agent who deletes wins over an agent', [row(1, 'tomb'), set(2, 'a')], ['1 winner', '2 buried']],
    ['the later of two wins', [set(1, 'a'), set(2, 'b')], ['2 winner', '1 conflicted']],
    [
      'of the same time the higher device wins',
      [set(1, 'a'), set(1, 'b', { id: id(1, 'bb') })],
      ['1 winner', '1 conflicted'],
    ],
    ['the same words agree', [set(1, 'a'), set(2, 'a')], ['2 winner', '1 agrees']],
    ['what has no text left loses', [set(1, 'a'), set(2, 'b', { content: null, human: true })], ['1 winner', '2 bare']],
  ])('%s', (_, rows, expected) => {
    expect(standings(...rows)).toEqual(expected)
    expect(standings(...rows.reverse())).toEqual(expected)
  })

  test('what is said on two branches is counted once for each time it was said', () => {
    const rows = [set(1, 'a'), set(2, 'a', { parents: [id(1)] }), set(3, 'a', { parents: [id(1)] })]
    expect(stateOfRows(...rows).reinforcement).toBe(3)
    expect(
      stateOfRows(...rows, row(4, 'tomb', { parents: [id(2), id(3)] }), set(5, 'a', { parents: [id(4)] })).reinforcement,
    ).toBe(1)
  })
})

describe('a deletion', () => {
  const buried = [set(1, 'a'), row(2, 'tomb', { ver: 2n, parents: [id(1)] })]
  const back = (ver: bigint): SyncRow =>
    row(3, 'restore', { ver, parents: [id(2)], content: { of: 'life', sha256: 'a', adds: 1 } })

  test('is taken back within a fortnight by the versions of both', () => {
    expect(stateOfRows(...buried).deleted).toBe(true)
    expect(standings(...buried, back(2n + 14n * DAY))).toEqual(['3 winner'])
    expect(standings(...buried, back(3n + 14n * DAY))).toEqual(['2 winner'])
  })

  test('is not undone by a restore that came too late, but by a new value on top of that', () => {
    expect(standings(...buried, back(3n + 14n * DAY), set(4, 'b', { ver: 4n + 14n * DAY, parents: [id(3)] }))).toEqual([
      '4 winner',
    ])
  })
})

describe('a pin', () => {
  const pinned = [set(1, 'a'), guard(2, { pinned: true }, { parents: [id(1)] })]

  test('holds its value against what was written without knowledge of it', () => {
    expect(standings(...pinned, set(3, 'b', { parents: [id(1)] }))).toEqual(['1 winner', '3 pinned_conflict'])
    expect(stateOfRows(...pinned, set(3, 'b', { parents: [id(1)] })).conflict).toEqual([])
  })

  test('yields to who knew of it, and holds what they wrote', () => {
    const known = set(3, 'b', { parents: [id(1), id(2)] })
    expect(standings(...pinned, known)).toEqual(['3 winner'])
    expect(standings(...pinned, known, set(4, 'c', { parents: [id(1)] }))).toEqual(['3 winner', '4 pinned_conflict'])
  })

  test('that is lifted lets the edit stand', () => {
    const edit = set(3, 'b', { parents: [id(1)] })
    expect(standings(...pinned, edit, guard(4, {}, { parents: [id(2)] }))).toEqual(['3 winner'])
  })

  test('of a person counts alone among guards, and does not hold against a person who deletes', () => {
    const rows = [...pinned, guard(5, {}, { human: true, parents: [id(1)] })]
    expect(stateOfRows(...rows).guard).toMatchObject({ pinned: false, heads: [id(2), id(5)] })
    expect(standings(...pinned, row(3, 'tomb', { human: true, parents: [id(1)] }))).toEqual(['3 winner', '1 buried'])
  })
})

describe('a lock', () => {
  const locked = (mode: 'read_only' | 'no_delete', until: bigint | null): SyncRow[] => [
    set(1, 'a'),
    guard(2, { lockMode: mode, lockUntil: until }, { parents: [id(1)] }),
  ]

  test('is held against versions, not against a clock', () => {
    const edit = (n: number): SyncRow => set(n, 'b', { parents: [id(1), id(2)] })
    expect(standings(...locked('read_only', 9n), edit(9))).toEqual(['1 winner', '9 locked_conflict'])
    expect(standings(...locked('read_only', 9n), edit(10))).toEqual(['10 winner'])
    expect(standings(...locked('read_only', null), edit(10))).toEqual(['1 winner', '10 locked_conflict'])
  })

  test('against deletion lets edits through', () => {
    expect(standings(...locked('no_delete', null), set(3, 'b', { parents: [id(2)] }))).toEqual(['3 winner'])
    expect(standings(...locked('no_delete', null), row(3, 'tomb', { parents: [id(2)] }))).toEqual([
      '1 winner',
      '3 overruled',
    ])
  })
})

describe('rows that are not there yet', () => {
  test('keep those on top of them from showing, and show once they come', () => {
    const [first, second, third] = [set(1, 'a'), set(2, 'b', { parents: [id(1)] }), set(3, 'c', { parents: [id(2)] })]
    expect(stateOfRows(third, second)).toMatchObject({ heads: [], waiting: [id(2), id(3)] })
    expect(standings(third, first, second)).toEqual(['3 winner'])
  })

  test('are taken for seen while only heads have been read', () => {
    const rows = [set(7, 'c', { parents: [id(6)] }), guard(8, { pinned: true }, { parents: [id(7)] })]
    expect(stateOfKey(rows, epochsOf(rows), false)).toMatchObject({
      heads: [{ id: id(7), standing: 'winner' }],
      waiting: [],
      guard: { pinned: true },
    })
  })

  test('include the erasure that a row knows of', () => {
    const after = set(2, 'b', { kepoch: 1 })
    expect(stateOfRows(after)).toMatchObject({ heads: [], waiting: [id(2)] })
    expect(standings(after, row(1, 'erase', { kepoch: 1 }))).toEqual(['2 winner'])
  })
})

describe('an erasure', () => {
  test('takes what did not know of it, whatever its clock, and leaves the rest', () => {
    const rows = [set(1, 'a'), row(2, 'erase', { kepoch: 1 }), set(9, 'late', { ver: 99n }), set(3, 'b', { kepoch: 1 })]
    expect(standings(...rows)).toEqual(['3 winner'])
    expect(leavingOf(rows)).toEqual({ erased: [id(1), id(9)], redacted: [] })
  })

  test('for good takes everything', () => {
    const erased = row(2, 'erase', { kepoch: 1, content: { of: 'erase', block: true } })
    expect(stateOfRows(erased, set(3, 'b', { kepoch: 1 }))).toMatchObject({ blocked: true, heads: [] })
  })

  test('of a namespace is above those of keys that its author did not know of', () => {
    const none = epochsOf([])
    expect(nextKeyEpoch(none, { nc: 'n', kc: 'k' }, [])).toBe(1)
    const whole = nextNamespaceEpoch(none, 'n', [])
    const rows = [row(1, 'erase', { kepoch: 5 }), row(2, 'erase', { kc: null, kepoch: whole })]
    expect(isErased(set(3, 'a', { kepoch: 5 }), epochsOf(rows))).toBe(true)
    expect(isErased(set(3, 'a', { kepoch: whole }), epochsOf(rows))).toBe(false)
    expect(nextNamespaceEpoch(epochsOf(rows), 'n', [])).toBeGreaterThan(
      nextKeyEpoch(epochsOf(rows), { nc: 'n', kc: 'k' }, []),
    )
    expect(isErased(set(3, 'a', { nc: 'other' }), epochsOf(rows))).toBe(false)
    expect(nextKeyEpoch(none, { nc: 'n', kc: 'k' }, [{ kepoch: 4 }])).toBe(5)
  })
})

describe('a redaction', () => {
  test('empties a row of its own key, also before its own past is there, by either id of what was issued again', () => {
    const again = set(4, 'c', { content: { of: 'life', sha256: 'c', adds: 1, was: 'old.1' } })
    const rows = [
      set(1, 'a'),
      row(2, 'redact', { target: id(1), parents: [id(77)] }),
      again,
      row(5, 'redact', { target: 'old.1' }),
    ]
    expect(stateOfRows(...rows).bare).toEqual([id(1), id(4)])
    expect(leavingOf(rows).redacted).toEqual([id(1), id(4)])
    expect(leavingOf([set(1, 'a'), row(2, 'redact', { kc: 'other', target: id(1) })]).redacted).toEqual([])
  })
})

test('a redaction reaches nothing that knows of an erasure which it does not know of', () => {
  const rows = [row(1, 'erase', { kepoch: 1 }), set(2, 'a', { kepoch: 1 }), row(3, 'redact', { target: id(2) })]
  expect(leavingOf(rows)).toEqual({ erased: [id(3)], redacted: [] })
  expect(leavingOf([...rows, row(4, 'redact', { target: id(2), kepoch: 1 })]).redacted).toEqual([id(2)])
})

test('an unknown kind is carried, and makes its key read-only if its name says so', () => {
  expect(stateOfRows(set(1, 'a'), row(2, 'hologram', { parents: [id(1)] }))).toMatchObject({
    readOnly: false,
    deleted: false,
  })
  expect(stateOfRows(set(1, 'a'), row(2, 'hologram-required'))).toMatchObject({ readOnly: true })
})

describe('verdicts', () => {
  const key = (n: number, over: Partial<SyncRow> = {}): SyncRow => set(n, `text ${n}`, { kc: `key ${n}`, ...over })
  const of = (...rows: SyncRow[]) => stateOf(rows).namespaces.get('n')?.verdicts
  const three = [key(1), key(2), key(3)]

  test('merge by what keeps most visible, and a person decides', () => {
    const said = (...rows: SyncRow[]): unknown =>
      of(...three, ...rows)?.pairs.map((pair) => `${pair.verdict}${pair.human ? '!' : ''}`)
    expect(said(verdict(11, 1, 2, 'refines'), verdict(12, 2, 1, 'duplicate'))).toEqual(['duplicate'])
    expect(said(verdict(11, 1, 2, 'clear'), verdict(12, 1, 2, 'duplicate'))).toEqual(['clear'])
    expect(said(verdict(11, 1, 2, 'clear'), verdict(10, 1, 2, 'conflict'))).toEqual(['conflict'])
    expect(said(verdict(11, 1, 2, 'conflict'), verdict(10, 1, 2, 'duplicate', { human: true }))).toEqual(['duplicate!'])
    expect(said(verdict(11, 1, 2, 'conflict'), verdict(12, 1, 2, 'clear', { parents: [id(11)] }))).toEqual(['clear'])
  })

  test('make groups of duplicates, for which what is pinned answers, else the oldest', () => {
    const same = [verdict(11, 3, 2, 'duplicate'), verdict(12, 1, 2, 'duplicate')]
    expect(of(...three, ...same)?.duplicates).toEqual([[id(1), id(2), id(3)]])
    const pin = guard(13, { pinned: true }, { kc: 'key 3', parents: [id(3)] })
    expect(of(...three, ...same, pin)?.duplicates).toEqual([[id(3), id(1), id(2)]])
  })

  test('let the later row refine the earlier, until that one has another head', () => {
    const refined = verdict(11, 2, 1, 'refines')
    expect(of(...three, refined)?.refined).toEqual([{ superseded: id(1), by: id(2) }])
    expect(of(...three, refined, key(4, { kc: 'key 1', parents: [id(1)] }))?.refined).toEqual([])
  })

  test('say nothing of rows that were erased, redacted, or of another namespace', () => {
    const said = verdict(11, 1, 2, 'conflict')
    expect(of(...three, said, row(12, 'erase', { kc: 'key 1', kepoch: 1 }))?.pairs).toEqual([])
    expect(of(...three, said, row(12, 'redact', { kc: 'key 2', target: id(2) }))?.pairs).toEqual([])
    expect(of(key(1), key(2, { nc: 'm' }), said)?.pairs).toEqual([])
    expect(of(key(1), said)?.pairs).toEqual([])
  })
})
