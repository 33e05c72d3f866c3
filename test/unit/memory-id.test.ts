import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryId } from '../../src/domain/memory-id.js'
import { MemoryId } from '../../src/schema/scalars.js'

const moment = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const chance = fc.uint8Array({ minLength: 16, maxLength: 16 })

test('is what the schema takes for a memory id', () => {
  fc.assert(
    fc.property(moment, chance, (now, random) => void expect(MemoryId.safeParse(memoryId(now, random)).success).toBe(true)),
  )
})

test('sorts by the time of creation', () => {
  fc.assert(
    fc.property(moment, moment, chance, chance, (a, b, one, other) => {
      fc.pre(a < b)
      expect(memoryId(a, one) < memoryId(b, other)).toBe(true)
    }),
  )
})

test('differs by each of its sixteen random bytes', () => {
  const zeros = new Uint8Array(16)
  const ids = Array.from({ length: 16 }, (_, i) => memoryId(0, zeros.with(i, 1)))
  expect(new Set([memoryId(0, zeros), ...ids]).size).toBe(17)
})

test('is the one that other implementations of the layout give', () => {
  expect(memoryId(1469918176385, new Uint8Array(16)).slice(0, 10)).toBe('01ARYZ6S41')
})
