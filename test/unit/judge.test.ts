import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FALLBACK_THRESHOLDS, type JudgedPeer, type JudgedWrite, judge } from '../../src/domain/judge.js'

const WORDS = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string]

const write = (more: Partial<JudgedWrite> = {}): JudgedWrite => ({
  canonicalSha256: WORDS[0],
  run: null,
  embedder: 'hash-384@1',
  revises: null,
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
  ...more,
})

const decide = (written: JudgedWrite, ...peers: readonly JudgedPeer[]) => judge(written, peers, FALLBACK_THRESHOLDS)

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

test('a verdict holds what is needed to give it again', () => {
  const thresholds = { duplicate: 0.9, conflict: 0.8 }
  expect(judge(write(), [], thresholds).explanation).toMatchObject({ thresholds, embedder: 'hash-384@1' })
  expect(judge(write(), [peer()], thresholds).explanation.because).toContain('user/home/city')
})

describe('for any write and peers', () => {
  const writes = fc.record({
    canonicalSha256: fc.constantFrom(...WORDS),
    run: fc.constantFrom(null, 'r1', 'r2'),
    embedder: fc.constantFrom(null, 'hash-384@1'),
    revises: fc.constantFrom(null, 0, 77),
  })
  const peers = fc
    .array(
      fc.record({
        similarity: fc.constantFrom(1, 0.98, 0.9, 0.5),
        status: fc.constantFrom('active', 'conflicted'),
        run: fc.constantFrom(null, 'r1', 'r2'),
        canonicalSha256: fc.constantFrom(...WORDS),
        reinforceable: fc.boolean(),
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

  test('whoever decides says the same, and other words are never merged', () => {
    fc.assert(
      fc.property(writes, peers, (written, drawn) => {
        const verdict = decide(written, ...drawn)
        expect(verdict.peer === null).toBe(verdict.kind === 'clear')
        if (verdict.peer !== null) expect(verdict.peer.canonicalSha256).toBe(written.canonicalSha256)
        if (verdict.kind === 'merge') expect(verdict.peer?.reinforceable).toBe(true)
      }),
    )
  })
})
