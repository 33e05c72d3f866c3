import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FALLBACK_THRESHOLDS, type JudgedPeer, type JudgedWrite, judge } from '../../src/domain/judge.js'
import type { ConflictPolicy } from '../../src/schema/namespaces.js'

const WORDS = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string]

const write = (more: Partial<JudgedWrite> = {}): JudgedWrite => ({
  canonicalSha256: WORDS[0],
  run: null,
  embedder: 'hash-384@1',
  revises: null,
  pins: false,
  holdsFrom: 10,
  ...more,
})

const peer = (more: Partial<JudgedPeer> = {}): JudgedPeer => ({
  memory: 1,
  id: '01',
  key: 'user/home/city',
  status: 'active',
  run: null,
  canonicalSha256: WORDS[0],
  similarity: 1,
  reinforceable: true,
  pinned: false,
  locked: false,
  validAt: null,
  sameKey: false,
  elsewhere: false,
  relation: { kind: 'apart', because: 'they say different things' },
  ...more,
})

const under = (conflictPolicy: ConflictPolicy, written: JudgedWrite, ...peers: readonly JudgedPeer[]) =>
  judge(written, peers, { thresholds: FALLBACK_THRESHOLDS, conflictPolicy })

const decide = (written: JudgedWrite, ...peers: readonly JudgedPeer[]) => under('auto_reinforce', written, ...peers)

/** A peer in other words. */
const other = (kind: JudgedPeer['relation']['kind'], more: Partial<JudgedPeer> = {}): JudgedPeer =>
  peer({ canonicalSha256: WORDS[1], similarity: 0.9, relation: { kind, because: 'a reason' }, ...more })

describe('a write', () => {
  test('is clear where nothing says the same', () => {
    expect(decide(write())).toMatchObject({ kind: 'clear', peer: null, explanation: { rule: 'no_peer' } })
    expect(decide(write(), peer({ canonicalSha256: WORDS[1] }))).toMatchObject({ kind: 'clear', peer: null })
  })

  test('in the same words is merged into its peer', () => {
    expect(decide(write(), peer())).toMatchObject({
      kind: 'merge',
      peer: { key: 'user/home/city' },
      explanation: { rule: 'same_canonical_form' },
    })
  })

  test('under a run stays a duplicate of what another run, or none, has said', () => {
    for (const run of [null, 'r2'])
      expect(decide(write({ run: 'r1' }), peer({ run }))).toMatchObject({
        kind: 'duplicate',
        explanation: { rule: 'same_canonical_form_other_run' },
      })
    expect(decide(write({ run: 'r1' }), peer({ run: 'r1' })).kind).toBe('merge')
    expect(decide(write(), peer({ run: 'r1' })).kind).toBe('merge')
  })

  test('never counts on a row that others read', () => {
    expect(decide(write(), peer({ reinforceable: false }))).toMatchObject({
      kind: 'duplicate',
      explanation: { rule: 'same_canonical_form_shared' },
    })
  })

  test('that revises another key is stored there, so that the old value does not go on standing', () => {
    expect(decide(write({ revises: 2 }), peer({ memory: 1 }))).toMatchObject({
      kind: 'duplicate',
      explanation: { rule: 'same_canonical_form_other_key' },
    })
    expect(decide(write({ revises: 1 }), peer({ memory: 1 })).kind).toBe('merge')
    expect(decide(write({ revises: 2 }), peer({ memory: 1 }), peer({ memory: 2, id: '02' }))).toMatchObject({
      kind: 'merge',
      peer: { id: '02' },
    })
  })

  test('prefers, among rows that say the same, the one it may count on, of its own run, and the oldest', () => {
    const shared = peer({ id: '01', reinforceable: false })
    const other = peer({ id: '02', run: 'r2' })
    const own = peer({ id: '03', run: 'r1' })
    const later = peer({ id: '04', run: 'r1' })
    expect(decide(write({ run: 'r1' }), shared, other, later, own)).toMatchObject({ kind: 'merge', peer: { id: '03' } })
  })
})

describe('a write in other words', () => {
  test.each([
    ['restates', 0.9, 'duplicate', 'says_the_same'],
    ['restates', 0.84, 'clear', 'no_peer'],
    ['nearly', 0.98, 'duplicate', 'says_the_same'],
    ['nearly', 0.96, 'clear', 'no_peer'],
    ['refines', 0.4, 'refines', 'another_value'],
    ['opposes', 0.85, 'conflict', 'opposes'],
    ['opposes', 0.84, 'clear', 'no_peer'],
    ['differs', 0.9, 'conflict', 'differs'],
    ['apart', 0.99, 'clear', 'no_peer'],
  ] as const)('that %s at %d is %s', (relation, similarity, kind, rule) => {
    expect(decide(write(), other(relation, { similarity }))).toMatchObject({ kind, explanation: { rule } })
  })

  test.each([
    [0, 0.85, 'duplicate'],
    [0.5, 0.92, 'duplicate'],
    [0.5, 0.9, 'clear'],
    [1, 0.96, 'clear'],
    [1.2, 0.97, 'clear'],
    [1.2, 1, 'duplicate'],
  ])('that repeats with a doubt of %d at %d is %s', (doubt, similarity, kind) => {
    const relation = { kind: 'nearly', because: 'a reason', doubt } as const
    expect(decide(write(), other('nearly', { relation, similarity })).kind).toBe(kind)
  })

  test('is marked against every peer it cannot stand beside, nearest first', () => {
    const near = other('opposes', { id: '01', memory: 1, similarity: 0.95 })
    const far = other('refines', { id: '02', memory: 2, similarity: 0.5 })
    const apart = other('apart', { id: '03', memory: 3, similarity: 0.97 })
    expect(decide(write(), far, apart, near)).toMatchObject({
      kind: 'conflict',
      peer: { id: '01' },
      against: [{ id: '01' }, { id: '02' }],
    })
    expect(decide(write(), other('restates')).against).toEqual([])
  })

  test('does not touch what is pinned, unless it pins itself', () => {
    for (const kind of ['refines', 'opposes', 'differs', 'restates', 'nearly'] as const)
      expect(decide(write(), other(kind, { pinned: true }))).toMatchObject({
        kind: 'rejected',
        explanation: { rule: 'pinned' },
      })
    expect(decide(write({ pins: true }), other('opposes', { pinned: true })).kind).toBe('conflict')
    expect(decide(write(), other('apart', { pinned: true })).kind).toBe('clear')
  })

  test('takes the place of an older value only where the newest wins, and not when it tells of an earlier time', () => {
    const older = other('refines')
    expect(decide(write(), older)).toMatchObject({ kind: 'refines', retired: [] })
    expect(under('manual_review', write(), older)).toMatchObject({ kind: 'refines', retired: [] })
    expect(under('newest_wins', write(), older)).toMatchObject({ kind: 'refines', retired: [older] })
    expect(under('newest_wins', write({ holdsFrom: 1 }), other('refines', { validAt: 2 }))).toMatchObject({
      kind: 'conflict',
      retired: [],
      explanation: { rule: 'older_value' },
    })
    for (const kept of [{ reinforceable: false }, { locked: true }])
      expect(under('newest_wins', write(), other('refines', kept))).toMatchObject({ kind: 'refines', retired: [] })
    expect(under('newest_wins', write({ pins: true }), other('refines', { pinned: true })).retired).toEqual([])
  })

  test('retires every other row of its key where the newest wins, whatever they say', () => {
    const rows = [
      other('apart', { sameKey: true, similarity: 0 }),
      other('apart', { memory: 2, id: '02', sameKey: true, elsewhere: true, similarity: 0 }),
    ]
    expect(under('newest_wins', write(), ...rows)).toMatchObject({
      kind: 'refines',
      retired: rows,
      explanation: { rule: 'newest_of_key' },
    })
    expect(under('newest_wins', write(), other('apart', { sameKey: true, locked: true, similarity: 0 })).kind).toBe('clear')
    expect(decide(write(), other('apart', { sameKey: true, similarity: 0 })).kind).toBe('clear')
  })

  test('stands against what another session of the user holds under its key, and is never merged into it', () => {
    const elsewhere = { sameKey: true, elsewhere: true, similarity: 0 } as const
    expect(decide(write(), other('apart', elsewhere))).toMatchObject({
      kind: 'conflict',
      explanation: { rule: 'same_key_other_session' },
    })
    expect(decide(write(), other('refines', elsewhere)).kind).toBe('refines')
    for (const same of [peer(elsewhere), other('restates', elsewhere), other('nearly', { ...elsewhere, similarity: 1 })])
      expect(decide(write(), same).kind).toBe('clear')
  })

  test('is not judged where a namespace appends only', () => {
    for (const one of [peer(), other('opposes'), other('refines', { pinned: true })])
      expect(under('append_only', write(), one)).toMatchObject({ kind: 'clear', explanation: { rule: 'append_only' } })
  })
})

test('a verdict holds what is needed to give it again', () => {
  const thresholds = { duplicate: 0.9, conflict: 0.8 }
  const policy = { thresholds, conflictPolicy: 'auto_reinforce' } as const
  expect(judge(write(), [], policy).explanation).toMatchObject({
    thresholds,
    policy: 'auto_reinforce',
    embedder: 'hash-384@1',
  })
  expect(judge(write(), [peer()], policy).explanation.because).toContain('user/home/city')
})

const RELATIONS = (['restates', 'nearly', 'refines', 'opposes', 'differs', 'apart'] as const).map((kind) => ({
  kind,
  because: 'a reason',
}))

describe('for any write and peers', () => {
  const writes = fc.record({
    canonicalSha256: fc.constantFrom(...WORDS),
    run: fc.constantFrom(null, 'r1', 'r2'),
    embedder: fc.constantFrom(null, 'hash-384@1'),
    revises: fc.constantFrom(null, 0, 77),
    pins: fc.boolean(),
    holdsFrom: fc.constantFrom(1, 2, 3),
  })
  const peers = fc
    .array(
      fc.record({
        similarity: fc.constantFrom(1, 0.98, 0.9, 0.5),
        status: fc.constantFrom('active', 'conflicted'),
        run: fc.constantFrom(null, 'r1', 'r2'),
        canonicalSha256: fc.constantFrom(...WORDS),
        reinforceable: fc.boolean(),
        pinned: fc.boolean(),
        locked: fc.boolean(),
        sameKey: fc.boolean(),
        elsewhere: fc.boolean(),
        validAt: fc.constantFrom(null, 1, 2),
        relation: fc.constantFrom(...RELATIONS),
      }),
      { maxLength: 6 },
    )
    .map((drawn) => drawn.map((made, i) => peer({ ...made, memory: i, id: `0${i}`, key: `k/${i}` })))
  const shuffled = fc.tuple(peers, fc.infiniteStream(fc.nat())).map(([drawn, chance]) => {
    const order = drawn.map((made) => ({ made, at: chance.next().value as number }))
    return { drawn, turned: order.sort((a, b) => a.at - b.at).map(({ made }) => made) }
  })

  test('the same input gives the same verdict', () => {
    fc.assert(
      fc.property(writes, peers, (written, drawn) => {
        expect(decide(written, ...drawn)).toEqual(decide({ ...written }, ...drawn.map((made) => ({ ...made }))))
      }),
    )
  })

  test('the order in which peers come makes no difference', () => {
    fc.assert(
      fc.property(writes, shuffled, (written, { drawn, turned }) => {
        expect(decide(written, ...turned)).toEqual(decide(written, ...drawn))
      }),
    )
  })

  test('a farther peer never overrides what a nearer one decided', () => {
    fc.assert(
      fc.property(writes, peers, fc.boolean(), (written, drawn, reinforceable) => {
        const before = decide(written, ...drawn)
        fc.pre(before.kind !== 'clear')
        const farther = peer({ id: '99', similarity: 0.1, canonicalSha256: written.canonicalSha256, reinforceable })
        expect(decide(written, ...drawn, farther)).toEqual(before)
        expect(decide(written, farther, ...drawn)).toEqual(before)
      }),
    )
  })

  test('other words are never merged, and a differing value is never a duplicate', () => {
    fc.assert(
      fc.property(writes, peers, (written, drawn) => {
        const verdict = decide(written, ...drawn)
        expect(verdict.peer === null).toBe(verdict.kind === 'clear')
        const isSame = verdict.peer?.canonicalSha256 === written.canonicalSha256
        if (verdict.kind === 'merge') expect([isSame, verdict.peer?.reinforceable]).toEqual([true, true])
        if (verdict.kind === 'duplicate' && !isSame) expect(['restates', 'nearly']).toContain(verdict.peer?.relation.kind)
      }),
    )
  })
})
