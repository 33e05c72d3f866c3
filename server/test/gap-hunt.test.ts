import { expect, inject, test } from 'vitest'
import { huntGaps, huntGapsOfSequence } from './support/gap-hunt.js'

const long = process.env.LONG === '1'

test('a reader that polls beside sixteen writers sees every row, on one account and on eight', async () => {
  const url = inject('postgresUrl')
  const disturbed = { url, rowsPerPush: 20, stalled: 0.5 }
  const one = await huntGaps({ ...disturbed, accounts: 1, rows: long ? 200_000 : 4_000 })
  const eight = await huntGaps({ ...disturbed, accounts: 8, rows: long ? 800_000 : 6_400 })
  expect([one.missed, eight.missed]).toEqual([0, 0])
  expect(one.disturbed + eight.disturbed).toBeGreaterThan(100)
  expect(one.written + eight.written).toBeGreaterThanOrEqual(10_000)
})

test('the same reader misses rows whose places come from a sequence', async () => {
  const { written, missed } = await huntGapsOfSequence(inject('postgresUrl'), 3_000)
  expect(written).toBeGreaterThanOrEqual(3_000)
  expect(missed).toBeGreaterThan(0)
})
