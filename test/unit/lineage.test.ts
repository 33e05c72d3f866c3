import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { idsNamedIn, type LinkedMemory, linksOf, walk } from '../../src/domain/lineage.js'

const ID = '01KDVDNA00HT37Q95MD5VKCNMM'
const OTHER = '01KDVDNA00HT37Q95MD5VKCNMN'

test.each([
  [null, []],
  ['', []],
  [ID, [ID]],
  [`${ID}, ${OTHER}`, [ID, OTHER]],
  [`memory:${ID};${ID}`, [ID]],
  [`x${ID}`, []],
  [`${ID}0`, []],
  [ID.toLowerCase(), []],
  ['https://example.org/a', []],
])('a source that reads %j names the memories %j', (resource, ids) => expect(idsNamedIn(resource)).toEqual(ids))

const ids = Array.from({ length: 8 }, (_, i) => `01KDVDNA00HT37Q95MD5VKCNM${i}`)
const one = fc.option(fc.constantFrom(...ids))
const memory = fc.record({
  sourceResourceId: fc.option(fc.subarray(ids).map((named) => named.join(' '))),
  supersededBy: one,
  duplicateOf: one,
})
const memories = fc
  .array(memory, { minLength: 1, maxLength: ids.length })
  .map((all): readonly LinkedMemory[] => all.map((links, i) => ({ id: ids[i] as string, ...links })))

describe('a walk', () => {
  test('visits each memory once, nearest first, each from one that was visited before it, and never what is not there', () => {
    fc.assert(
      fc.property(memories, (all) => {
        const { from, into } = linksOf(all)
        for (const links of [from, into]) {
          const { steps, truncated } = walk(ids[0] as string, links, { depth: 64, limit: 1000 })
          const reached = [ids[0], ...steps.map(({ id }) => id)]
          expect(new Set(reached).size).toBe(reached.length)
          expect(reached.every((id) => all.some((known) => known.id === id))).toBe(true)
          steps.forEach(({ via, depth }, i) => {
            expect(reached.slice(0, i + 1)).toContain(via)
            expect(depth).toBeGreaterThanOrEqual(steps[i - 1]?.depth ?? 1)
          })
          expect(truncated).toBe(false)
        }
      }),
    )
  })

  test('back and forth sees the same links', () => {
    fc.assert(
      fc.property(memories, (all) => {
        const { from, into } = linksOf(all)
        const pairs = (links: typeof from) => [...links].flatMap(([id, found]) => found.map(({ to }) => [id, to]))
        expect(
          pairs(from)
            .map(([a, b]) => `${a} ${b}`)
            .toSorted(),
        ).toEqual(
          pairs(into)
            .map(([a, b]) => `${b} ${a}`)
            .toSorted(),
        )
      }),
    )
  })

  test('is cut at a depth and at a number, and says so', () => {
    const chain = ids.map((id, i) => ({
      id,
      sourceResourceId: ids[i + 1] ?? null,
      supersededBy: null,
      duplicateOf: null,
    }))
    const { from } = linksOf(chain)
    const reach = (limits: { depth: number; limit: number }) => {
      const { steps, truncated } = walk(ids[0] as string, from, limits)
      return [steps.length, truncated]
    }
    expect(reach({ depth: 3, limit: 100 })).toEqual([3, true])
    expect(reach({ depth: 64, limit: 2 })).toEqual([2, true])
    expect(reach({ depth: 7, limit: 7 })).toEqual([7, false])
  })
})
