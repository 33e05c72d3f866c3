import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isUsable, lesser, ownTrust, TRUST, trustAlong } from '../../src/domain/trust.js'
import { isAttested, verificationOf } from '../../src/domain/verification.js'
import type { SourceClass } from '../../src/schema/records.js'

const UNVERIFIED = { contentSha256: 'a', verifiedBy: null, verifiedSha256: null }

describe('verification', () => {
  test.each([
    ['none', UNVERIFIED],
    ['human', { contentSha256: 'a', verifiedBy: 'human:ada', verifiedSha256: 'a' }],
    ['process', { contentSha256: 'a', verifiedBy: 'process:checker', verifiedSha256: 'a' }],
    ['stale', { contentSha256: 'b', verifiedBy: 'human:ada', verifiedSha256: 'a' }],
    ['stale', { contentSha256: 'b', verifiedBy: 'process:checker', verifiedSha256: 'a' }],
  ] as const)('is %s', (expected, body) => expect(verificationOf(body)).toBe(expected))

  test('by a program adds nothing to that of a person, nor does the same one twice', () => {
    const byAda = { contentSha256: 'a', verifiedBy: 'human:ada', verifiedSha256: 'a' }
    expect(isAttested(byAda, 'process:checker')).toBe(true)
    expect(isAttested(byAda, 'human:ada')).toBe(true)
    expect(isAttested(byAda, 'human:ben')).toBe(false)
    expect(isAttested({ ...byAda, verifiedBy: 'process:checker' }, 'human:ada')).toBe(false)
    expect(isAttested({ ...byAda, contentSha256: 'b' }, 'human:ada')).toBe(false)
    expect(isAttested(UNVERIFIED, 'process:checker')).toBe(false)
  })
})

describe('the trust of a memory by itself', () => {
  test.each<[string, SourceClass, string]>([
    ['human', 'asserted', 'human:ada'],
    ['human', 'observed', 'human:ada'],
    ['process', 'asserted', 'process:bot'],
    ['process', 'observed', 'process:bot'],
    ['inferred', 'extracted', 'human:ada'],
    ['inferred', 'derived', 'process:bot'],
    ['imported', 'imported', 'human:ada'],
    ['external', 'external', 'human:ada'],
  ])('is %s for what is %s by %s', (expected, sourceClass, statedBy) =>
    expect(ownTrust({ ...UNVERIFIED, sourceClass, statedBy })).toBe(expected),
  )

  test('is the most once a person has attested the very text, and no more for a program', () => {
    const page = { sourceClass: 'external', statedBy: 'process:bot', contentSha256: 'a', verifiedSha256: 'a' } as const
    expect(ownTrust({ ...page, verifiedBy: 'human:ada' })).toBe('attested')
    expect(ownTrust({ ...page, verifiedBy: 'process:checker' })).toBe('external')
    expect(ownTrust({ ...page, contentSha256: 'b', verifiedBy: 'human:ada' })).toBe('external')
  })
})

const level = fc.constantFrom(...TRUST)

/** Memories that each name some others as their sources, circles among them. */
const graph = fc.integer({ min: 1, max: 12 }).chain((count) =>
  fc.array(
    fc.record({ own: level, sources: fc.array(fc.integer({ min: 0, max: count - 1 }).map(String), { maxLength: 4 }) }),
    {
      minLength: count,
      maxLength: count,
    },
  ),
)

describe('trust along a lineage', () => {
  test('is that of something that can be reached, never more than its own, and ends in circles too', () => {
    fc.assert(
      fc.property(graph, (memories) => {
        const at = (id: string) => memories[Number(id)] as (typeof memories)[number]
        const { trust, weakest } = trustAlong(
          '0',
          (id) => at(id).sources,
          (id) => at(id).own,
        )
        expect(lesser(trust, at('0').own)).toBe(trust)
        expect(at(weakest).own).toBe(trust)
      }),
    )
  })

  test('is the least of all, where nothing is attested', () => {
    fc.assert(
      fc.property(fc.array(level, { minLength: 1, maxLength: 30 }), (chain) => {
        fc.pre(!chain.includes('attested'))
        const { trust } = trustAlong(
          '0',
          (id) => (Number(id) + 1 < chain.length ? [String(Number(id) + 1)] : []),
          (id) => chain[Number(id)] as (typeof chain)[number],
        )
        expect(trust).toBe(chain.reduce(lesser))
      }),
    )
  })

  test('ends at a text that a person has attested', () => {
    const own: Readonly<Record<string, (typeof TRUST)[number]>> = { fact: 'human', summary: 'attested', page: 'external' }
    const sources: Readonly<Record<string, readonly string[]>> = { fact: ['summary'], summary: ['page'], page: [] }
    const along = (start: string, levels = own) =>
      trustAlong(
        start,
        (id) => sources[id] ?? [],
        (id) => levels[id] ?? 'external',
      )
    expect(along('fact')).toEqual({ trust: 'human', weakest: 'fact' })
    expect(along('summary')).toEqual({ trust: 'attested', weakest: 'summary' })
    expect(along('fact', { ...own, summary: 'inferred' })).toEqual({ trust: 'external', weakest: 'page' })
  })

  test('of a lineage too long to be seen is the least', () => {
    const { trust } = trustAlong(
      '0',
      (id) => [String(Number(id) + 1)],
      () => 'human',
    )
    expect(trust).toBe('external')
  })

  test('keeps what comes from outside away from use, and nothing else', () => {
    expect(TRUST.filter((trust) => !isUsable(trust))).toEqual(['external'])
  })
})
