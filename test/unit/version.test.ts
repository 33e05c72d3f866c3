import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from '../../src/domain/canonical.js'
import { bodyCommitment, chainSha256, HOLDS_KEY, isServed, SERVED, type VersionHeader } from '../../src/domain/version.js'
import { storableText } from '../support/arbitraries.js'

interface Link {
  readonly header: VersionHeader
  readonly salt: Uint8Array | null
  readonly body: string | null
  readonly commitment: string
  readonly prev: string | null
  readonly sha256: string
}

const header = (): fc.Arbitrary<VersionHeader> =>
  fc.record({
    rowId: storableText(12),
    ver: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    kind: fc.constantFrom('set', 'tomb', 'restore'),
    memoryId: storableText(26),
    scope: fc.constantFrom({ org: 'o', namespace: 'n' }, { org: 'o', namespace: 'n', user: null }),
    parents: fc.array(storableText(12), { maxLength: 2 }),
  })

const chain = (): fc.Arbitrary<readonly Link[]> =>
  fc
    .array(fc.tuple(header(), fc.uint8Array({ minLength: 16, maxLength: 16 }), storableText(30)), {
      minLength: 1,
      maxLength: 6,
    })
    .map((links) => {
      const made: Link[] = []
      for (const [header, salt, body] of links) {
        const commitment = bodyCommitment(salt, body)
        const prev = made[made.length - 1]?.sha256 ?? null
        made.push({ header, salt, body, commitment, prev, sha256: chainSha256(prev, header, commitment) })
      }
      return made
    })

const verifies = (links: readonly Link[]): boolean =>
  links.every((link, i) => {
    const open = link.salt === null || link.body === null || bodyCommitment(link.salt, link.body) === link.commitment
    const joined = link.prev === (links[i - 1]?.sha256 ?? null)
    return open && joined && link.sha256 === chainSha256(link.prev, link.header, link.commitment)
  })

test('a chain verifies, also after any of its bodies was redacted', () => {
  fc.assert(
    fc.property(chain(), fc.nat(), (links, at) => {
      expect(verifies(links)).toBe(true)
      const redacted = links.map((link, i) => (i === at % links.length ? { ...link, body: null, salt: null } : link))
      expect(verifies(redacted)).toBe(true)
    }),
  )
})

test('any changed field breaks the chain', () => {
  const changes: readonly ((link: Link) => Link)[] = [
    (link) => ({ ...link, body: `${link.body}.` }),
    (link) => ({ ...link, salt: new Uint8Array(17) }),
    (link) => ({ ...link, commitment: link.commitment.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) }),
    (link) => ({ ...link, prev: link.prev === null ? '0'.repeat(64) : null }),
    (link) => ({ ...link, sha256: link.sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) }),
    (link) => ({ ...link, header: { ...link.header, rowId: `${link.header.rowId}0` } }),
    (link) => ({ ...link, header: { ...link.header, ver: link.header.ver + 1n } }),
    (link) => ({ ...link, header: { ...link.header, kind: `${link.header.kind}s` } }),
    (link) => ({ ...link, header: { ...link.header, memoryId: `${link.header.memoryId}0` } }),
    (link) => ({ ...link, header: { ...link.header, scope: { org: 'o', namespace: 'n', user: 'mallory' } } }),
    (link) => ({ ...link, header: { ...link.header, parents: [...link.header.parents, 'x'] } }),
  ]
  fc.assert(
    fc.property(chain(), fc.nat(), fc.constantFrom(...changes), (links, at, change) => {
      const forged = links.map((link, i) => (i === at % links.length ? change(link) : link))
      expect(verifies(forged)).toBe(false)
    }),
  )
})

test('the commitment of a short body cannot be guessed without its salt', () => {
  const body = canonicalJson({ value: 'yes' })
  expect(bodyCommitment(new Uint8Array(16), body)).not.toBe(bodyCommitment(new Uint8Array(16).with(0, 1), body))
})

test('a row is served while its status is and its ends lie ahead', () => {
  const body = { status: 'active', validTo: null } as const
  const row = { body, leavesAt: null }
  expect(isServed(row, 10)).toBe(true)
  expect(isServed({ ...row, body: { ...body, status: 'conflicted' } }, 10)).toBe(true)
  for (const status of ['duplicate', 'superseded', 'proposed', 'rejected', 'tombstoned'] as const)
    expect(isServed({ ...row, body: { ...body, status } }, 10)).toBe(false)
  for (const [end, served] of [
    [11, true],
    [10, false],
  ] as const) {
    expect(isServed({ ...row, leavesAt: end }, 10)).toBe(served)
    expect(isServed({ ...row, body: { ...body, validTo: end } }, 10)).toBe(served)
  }
})

test('whatever is served holds its key', () => {
  for (const status of SERVED) expect(HOLDS_KEY).toContain(status)
  for (const status of ['superseded', 'rejected', 'tombstoned']) expect(HOLDS_KEY).not.toContain(status)
})
