import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stateBody } from '../../src/domain/body.js'
import { type BulkAction, stepFor } from '../../src/domain/bulk.js'
import { rankRelated, sharedEntities } from '../../src/domain/related.js'
import type { RelatedWhy } from '../../src/schema/bulk.js'
import type { VersionBody } from '../../src/schema/records.js'

const NOW = 1_767_225_600_000
const STAMP = { key: 'a', actor: 'process:local', run: null, nowMs: NOW - 1 }
const bodyWith = (more: Partial<VersionBody> = {}): VersionBody => ({
  ...stateBody(null, { value: 'The kettle is blue.' }, STAMP).body,
  ...more,
})
const step = (action: BulkAction, more: Partial<VersionBody> = {}, actor = 'process:local') =>
  stepFor(bodyWith(more), action, actor, NOW)

const DELETE = { kind: 'delete' } as const
const EXPIRE = { kind: 'expire', at: NOW } as const
const DEMOTE = { kind: 'demote', confidence: 0.5 } as const
const LOCK = { kind: 'lock', mode: 'read_only', reason: 'final', until: null } as const
const locked = (mode: 'read_only' | 'no_delete', lockUntil: number | null = null) => ({
  lockMode: mode,
  lockReason: 'x',
  lockUntil,
  lockBy: 'human:ada',
})

describe('what is done to many', () => {
  test.each<[string, BulkAction, Partial<VersionBody>, ReturnType<typeof stepFor>]>([
    ['deletes', DELETE, {}, { do: 'delete' }],
    ['deletes no pinned one', DELETE, { pinned: true }, { do: 'keep', why: 'pinned' }],
    ['deletes no locked one', DELETE, locked('no_delete'), { do: 'keep', why: 'locked' }],
    ['deletes one whose lock has lapsed', DELETE, locked('no_delete', NOW), { do: 'delete' }],
    ['ends', EXPIRE, {}, { do: 'change', change: { expiresAt: NOW } }],
    ['ends no locked one', EXPIRE, locked('no_delete'), { do: 'keep', why: 'locked' }],
    ['ends nothing twice', EXPIRE, { expiresAt: NOW }, { do: 'nothing' }],
    ['demotes', DEMOTE, {}, { do: 'change', change: { confidence: 0.5 } }],
    ['never raises by demoting', DEMOTE, { confidence: 0.2 }, { do: 'nothing' }],
    ['demotes no pinned one', DEMOTE, { pinned: true }, { do: 'keep', why: 'pinned' }],
    ['demotes what may only not be deleted', DEMOTE, locked('no_delete'), { do: 'change', change: { confidence: 0.5 } }],
    ['leaves the lock of another', LOCK, locked('no_delete'), { do: 'keep', why: 'locked' }],
    [
      'locks what is pinned',
      LOCK,
      { pinned: true },
      { do: 'change', change: { lockMode: 'read_only', lockReason: 'final', lockUntil: null, lockBy: 'process:local' } },
    ],
    [
      'labels what is locked and pinned',
      { kind: 'label', add: ['b'], remove: ['a'] },
      { ...locked('read_only'), pinned: true, tags: ['a', 'c'] },
      { do: 'change', change: { tags: ['c', 'b'] } },
    ],
    ['labels nothing twice', { kind: 'label', add: ['a'], remove: ['x'] }, { tags: ['a'] }, { do: 'nothing' }],
    [
      'labels none that is full',
      { kind: 'label', add: ['new'], remove: [] },
      { tags: Array.from({ length: 64 }, (_, i) => `t${i}`) },
      { do: 'keep', why: 'full' },
    ],
  ])('%s', (_, action, more, expected) => expect(step(action, more)).toEqual(expected))

  test('is done once: after it there is nothing left to do', () => {
    const action = fc.oneof(
      fc.record({ kind: fc.constant('expire' as const), at: fc.integer({ min: 1, max: 2 * NOW }) }),
      fc.record({ kind: fc.constant('demote' as const), confidence: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({
        kind: fc.constant('label' as const),
        add: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
        remove: fc.uniqueArray(fc.constantFrom('d', 'e'), { maxLength: 2 }),
      }),
      fc.record({
        kind: fc.constant('lock' as const),
        mode: fc.constantFrom('read_only' as const, 'no_delete' as const),
        reason: fc.constant('x'),
        until: fc.option(fc.integer({ min: NOW + 1, max: 2 * NOW })),
      }),
    )
    const held = fc.record({
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e')),
      pinned: fc.boolean(),
    })
    fc.assert(
      fc.property(action, held, (given, more) => {
        const first = step(given, more)
        if (first.do !== 'change') return
        expect(step(given, { ...more, ...first.change })).toMatchObject({ do: 'nothing' })
      }),
    )
  })
})

describe('what is related', () => {
  const why = fc.constantFrom<RelatedWhy>('conflict', 'duplicate', 'lineage', 'vector', 'entities')
  const reasons = fc.array(
    fc.record({
      memory: fc.integer({ min: 1, max: 9 }),
      why,
      similarity: fc.double({ min: 0, max: 1, noNaN: true }),
      shared: fc.subarray(['x', 'y', 'z']),
    }),
  )

  test('names each memory once, with every reason once, whatever order they come in', () => {
    fc.assert(
      fc.property(reasons, fc.infiniteStream(fc.nat()), (all, chance) => {
        const ranked = rankRelated(all)
        expect(ranked.map(({ memory }) => memory).toSorted()).toEqual(
          [...new Set(all.map(({ memory }) => memory))].toSorted(),
        )
        for (const one of ranked) expect(new Set(one.why).size).toBe(one.why.length)
        const mixed = all
          .map((reason) => ({ reason, at: chance.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ reason }) => reason)
        expect(rankRelated(mixed).map(({ memory }) => memory)).toEqual(ranked.map(({ memory }) => memory))
      }),
    )
  })

  test('comes by what is stated before what is guessed, then by how near it is', () => {
    const ranked = rankRelated([
      { memory: 1, why: 'vector', similarity: 0.9 },
      { memory: 2, why: 'lineage' },
      { memory: 3, why: 'entities', shared: ['Berlin'] },
      { memory: 4, why: 'conflict' },
      { memory: 5, why: 'vector', similarity: 0.5 },
      { memory: 5, why: 'entities', shared: ['Berlin'] },
    ])
    expect(ranked.map(({ memory }) => memory)).toEqual([4, 2, 1, 5, 3])
    expect(ranked[3]).toEqual({ memory: 5, why: ['vector', 'entities'], similarity: 0.5, shared: ['Berlin'] })
  })

  test('shares entities in any case and form', () =>
    expect(sharedEntities(['berlin', 'Jose\u0301'], ['Berlin', 'JOSÉ', 'Oslo'])).toEqual(['Berlin', 'JOSÉ']))
})
